// Stores of others, fetched once and started for a test.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, fetchPython, has, makeOnce } from '../../../tools/fetch.mjs';
import { freePorts } from '../../../tools/ports.mjs';
import { started } from '../../support/started.mjs';

const cache = cacheFolder('firstseen-stores');
const S3MOCK = '4.8.0';
const MOTO = ['moto[server]==5.2.5'];
/** A JVM that begins beside other work takes most of a minute. */
const ATTEMPTS = 6000;
const GET = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy';

export const BUCKET = 'bucket';
export const ACCESS_KEY = 'AKIATESTOFSTORES';
export const SECRET_KEY = 'the-secret-of-the-tests';

function fetchS3Mock() {
  if (process.env.STORES_QUICK) return { missing: 'left out by --quick' };
  if (!has('java', '-version')) return { missing: 'java is not installed' };
  if (!has('mvn', '--version')) return { missing: 'mvn is not installed' };
  const folder = join(cache, `s3mock-${S3MOCK}`);
  const artifact = `-Dartifact=com.adobe.testing:s3mock:${S3MOCK}:jar:exec`;
  const missing = makeOnce(folder, S3MOCK, [['mvn', '-q', '-B', GET, artifact, `-DoutputDirectory=${folder}`]]);
  return missing === undefined ? { path: join(folder, `s3mock-${S3MOCK}-exec.jar`) } : { missing };
}

/** The server of moto, in Python. */
function fetchMoto() {
  const { python, missing } = fetchPython(join(cache, 'moto'), MOTO);
  return missing === undefined ? { path: join(python, '../moto_server') } : { missing };
}

/** Gives a folder to a server, and removes it when the server is stopped. */
async function withFolder(start) {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-store-'));
  const server = await start(folder);
  return {
    port: server.port,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startS3Mock(path) {
  return withFolder(async (folder) => {
    const [port, securePort] = await freePorts(2);
    const settings = {
      'server.port': securePort,
      'com.adobe.testing.s3mock.httpPort': port,
      'com.adobe.testing.s3mock.store.root': join(folder, 'root'),
    };
    const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
    const java = ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', path, ...flags];
    return started('java', java, port, { attempts: ATTEMPTS, cwd: folder });
  });
}

async function startMoto(path) {
  const [port] = await freePorts(1);
  return started(path, ['-H', '127.0.0.1', '-p', String(port)], port, { attempts: ATTEMPTS });
}

/** The stores: why one is missing, or what starts it, and why it does not answer requests of the web. */
export const stores = {
  moto: { ...fetchMoto(), start: startMoto, whyNotOpen: 'it answers signed requests only' },
  'S3Mock of Adobe': { ...fetchS3Mock(), start: startS3Mock },
};
