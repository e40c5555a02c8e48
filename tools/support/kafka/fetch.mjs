// Fetches Kafka, the tool of the tests, and the client for Node once, into a cache outside the repository.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, has, makeOnce } from '../../fetch.mjs';

const cache = cacheFolder('firstseen-kafka');
const pom = fileURLToPath(new URL('./pom.xml', import.meta.url));
const sources = fileURLToPath(new URL('./java', import.meta.url));
const COPY_DEPENDENCIES = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';
const CLIENT = '@confluentinc/kafka-javascript@1.10.1';
/** What the client is compiled with where its binary is not fetched. */
const DEBIAN_PACKAGES = ['libssl-dev', 'libsasl2-dev', 'libzstd-dev', 'libcurl4-openssl-dev', 'zlib1g-dev'];
/** The first version of Java that Kafka 4 takes, and the first of Node for which the client has no binary and does not compile. */
const [JAVA_VERSION, NODE_VERSION_WITHOUT_CLIENT] = [17, 25];

function whyNoJava() {
  const { status, stdout } = spawnSync('javac', ['-version'], { encoding: 'utf8' });
  if (status !== 0) return 'javac is not installed';
  const found = Number(/javac (\d+)/.exec(stdout)?.[1]);
  return found < JAVA_VERSION ? `javac is version ${found}; Kafka needs ${JAVA_VERSION}` : undefined;
}

/** The folder of the jars of Kafka as `libs`, or why there is none as `missing`. */
export function fetchKafka() {
  const missing = whyNoJava() ?? (has('mvn', '--version') ? undefined : 'mvn is not installed');
  if (missing) return { missing };
  const folder = join(cache, 'kafka');
  const libs = join(folder, 'libs');
  const copy = ['-q', '-B', '-f', pom, COPY_DEPENDENCIES, '-DincludeScope=runtime', `-DoutputDirectory=${libs}`];
  const failed = makeOnce(folder, readFileSync(pom, 'utf8'), [['mvn', ...copy]]);
  return failed ? { missing: failed } : { libs };
}

/**
 * Compiles the Java programs of a folder against the jars of Kafka.
 * @returns the class path of the programs
 */
export function compileJava({ libs, folder = sources }) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.java'));
  const paths = files.map((file) => join(folder, file));
  const description = paths.map((path) => readFileSync(path, 'utf8')).join('\n');
  // Programs of another text may run meanwhile.
  const classes = join(cache, `classes-${createHash('sha256').update(description).digest('hex')}`);
  makeOnce(classes, description, [['javac', '-cp', `${libs}/*`, '-d', classes, ...paths]]);
  return `${classes}:${libs}/*`;
}

/**
 * The folder whose `node_modules` has the client for Node, as `folder`, or why there is none as `missing`. Where its binary cannot be
 * fetched, it is compiled, which takes three minutes.
 */
export function fetchClient() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_VERSION_WITHOUT_CLIENT) {
    return { missing: `${CLIENT} has no binary for Node ${process.versions.node}` };
  }
  const folder = join(cache, 'client');
  try {
    const failed = makeOnce(folder, `${CLIENT} ${process.versions.modules}`, clientCommands());
    return failed ? { missing: failed } : { folder };
  } catch (error) {
    const needed = `apt-get install ${DEBIAN_PACKAGES.join(' ')}`;
    return { missing: `${CLIENT} cannot be installed. Where it is compiled, it needs: ${needed}. ${lastLine(error)}` };
  }
}

function lastLine(error) {
  return error.message.trim().split('\n').at(-1);
}

function clientCommands() {
  const canInstall = process.getuid?.() === 0 && has('apt-get', '--version') && !has('dpkg', '-s', ...DEBIAN_PACKAGES);
  const packages = ['apt-get', 'install', '-y', '--no-install-recommends', ...DEBIAN_PACKAGES];
  // The processes of a compilation must not take the processors from what else runs.
  const install = ['env', 'CKJS_LINKING=dynamic', 'nice', 'npm', 'install', '--no-audit', '--no-fund', CLIENT];
  return [...(canInstall ? [['apt-get', 'update'], packages] : []), ['npm', 'init', '-y'], install];
}
