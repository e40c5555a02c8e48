// Stores of others, fetched once and started for a test.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, has, makeOnce } from '../../../tools/fetch.mjs';
import { freePorts } from '../../../tools/ports.mjs';
import { started } from '../../support/started.mjs';

const cache = cacheFolder('firstseen-stores');
const S3MOCK = '4.8.0';
const S3S = '0.14.1';
/** A JVM that begins beside other work takes most of a minute. */
const ATTEMPTS = 6000;
const GET = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy';

export const BUCKET = 'bucket';
export const ACCESS_KEY = 'AKIATESTOFSTORES';
export const SECRET_KEY = 'the-secret-of-the-tests';

function fetchS3Mock() {
  if (!has('java', '-version')) return { missing: 'java is not installed' };
  if (!has('mvn', '--version')) return { missing: 'mvn is not installed' };
  const folder = join(cache, `s3mock-${S3MOCK}`);
  const artifact = `-Dartifact=com.adobe.testing:s3mock:${S3MOCK}:jar:exec`;
  const missing = makeOnce(folder, S3MOCK, [['mvn', '-q', '-B', GET, artifact, `-DoutputDirectory=${folder}`]]);
  return missing === undefined ? { path: join(folder, `s3mock-${S3MOCK}-exec.jar`) } : { missing };
}

function fetchS3s() {
  if (process.env.STORES_QUICK) return { missing: 'left out by --quick, because it is compiled' };
  if (!has('cargo', '--version')) return { missing: 'cargo is not installed' };
  const folder = join(cache, `s3s-fs-${S3S}`);
  const install = [
    'cargo',
    'install',
    's3s-fs',
    '--version',
    S3S,
    '--locked',
    '--features',
    'binary',
    '--root',
    folder,
  ];
  const missing = makeOnce(folder, S3S, [install]);
  return missing === undefined ? { path: join(folder, 'bin/s3s-fs') } : { missing };
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
      'com.adobe.testing.s3mock.store.initialBuckets': BUCKET,
    };
    const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
    const java = ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', path, ...flags];
    return started('java', java, port, { attempts: ATTEMPTS, cwd: folder });
  });
}

function startS3s(path) {
  return withFolder(async (folder) => {
    const [port] = await freePorts(1);
    mkdirSync(join(folder, BUCKET));
    const keys = ['--access-key', ACCESS_KEY, '--secret-key', SECRET_KEY];
    return started(path, ['--host', '127.0.0.1', '--port', String(port), ...keys, folder], port, { cwd: folder });
  });
}

/** The stores: why one is missing, or what starts it, with a bucket. */
export const stores = {
  'S3Mock of Adobe': { ...fetchS3Mock(), start: startS3Mock, isOpen: true },
  's3s-fs': { ...fetchS3s(), start: startS3s, isOpen: false },
};
