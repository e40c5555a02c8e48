// Fetches Hadoop, Spark and datatrove once, into a cache outside the repository.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, fetchPython, has, makeOnce } from '../../fetch.mjs';

const cache = cacheFolder('firstseen-engines');
const pom = fileURLToPath(new URL('./pom.xml', import.meta.url));
const COPY_DEPENDENCIES = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';
const SPARK_PACKAGES = ['pyspark==4.3.0', 'pyarrow==26.0.1'];
const DATATROVE_PACKAGES = ['datatrove==0.10.1', 'orjson'];
/** The first version of Java that Spark 4 takes. */
const JAVA_VERSION = 17;

/** Why this output of `java -version` is not enough; undefined if it is. */
export function whyNotJava(output) {
  const found = /version "(?:1\.)?([0-9]+)/.exec(output);
  if (found === null) return 'java is not installed';
  return Number(found[1]) < JAVA_VERSION ? `java is version ${found[1]}; Spark needs ${JAVA_VERSION}` : undefined;
}

function whyNoJava() {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  return whyNotJava(status === 0 ? stderr : '');
}

/** The folder of the jars of Hadoop as `libs`, or why there is none as `missing`. */
export function fetchHadoop() {
  const missing = whyNoJava() ?? (has('mvn', '--version') ? undefined : 'mvn is not installed');
  if (missing) return { missing };
  const text = readFileSync(pom, 'utf8');
  const folder = join(cache, 'hadoop');
  const copy = [
    'mvn',
    '-q',
    '-B',
    '-f',
    pom,
    COPY_DEPENDENCIES,
    '-DincludeScope=runtime',
    `-DoutputDirectory=${join(folder, 'libs')}`,
  ];
  const failed = makeOnce(folder, text, [copy]);
  return failed ? { missing: failed } : { libs: join(folder, 'libs') };
}

/** The Python that has Spark, as `fetchPython`. */
export function fetchSpark() {
  const missing = whyNoJava();
  return missing ? { missing } : fetchPython(join(cache, 'spark'), SPARK_PACKAGES);
}

/** The Python that has datatrove, as `fetchPython`. */
export function fetchDatatrove() {
  return fetchPython(join(cache, 'datatrove'), DATATROVE_PACKAGES);
}
