// Fetches Hadoop and Spark once, into a cache outside the repository.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'firstseen-engines');
const pom = fileURLToPath(new URL('./pom.xml', import.meta.url));
const COPY_DEPENDENCIES = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies';
const PYTHON_PACKAGES = ['pyspark==4.3.0', 'pyarrow==26.0.1'];
/** The first version of Java that Spark 4 takes, and a program that fails where Spark 4 cannot be installed. */
const JAVA_VERSION = 17;
const PYTHON_CHECK = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)';
/** What mvn and pip print when a registry does not answer, or refuses. Other failures are those of the tests. */
const UNREACHABLE =
  /^.*(could not transfer|connection broken by|timed out|(client|server) error|from versions: none).*$/im;
const REASON_CHARACTERS = 300;

function has(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

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

/** The line which shows that a command did not reach its registry; undefined if it failed for another reason. */
export function whyUnreachable(output) {
  return UNREACHABLE.exec(stripVTControlCharacters(output))?.[0].trim().slice(0, REASON_CHARACTERS);
}

/**
 * Makes a folder once for each text that describes it, by commands. Returns why a registry was not reached.
 * @throws Error when a command fails for another reason
 */
function makeOnce(folder, description, commands) {
  const done = join(folder, 'fetched');
  if (existsSync(done) && readFileSync(done, 'utf8') === description) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [command, ...args] of commands) {
    console.log(`fetching: ${command} ${args.join(' ')}`);
    const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', cwd: folder });
    if (status === 0) continue;
    const output = `${stdout}${stderr}`;
    const reason = whyUnreachable(output);
    if (reason === undefined) throw new Error(`${command} failed: ${error?.message ?? output.trim()}`);
    return `the registry cannot be reached: ${reason}`;
  }
  writeFileSync(done, description);
  return undefined;
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

/** The Python that has Spark as `python`, or why there is none as `missing`. */
export function fetchSpark() {
  const missing =
    whyNoJava() ?? (has('python3', '-c', PYTHON_CHECK) ? undefined : 'python3 from 3.10 with venv is not installed');
  if (missing) return { missing };
  const folder = join(cache, 'spark');
  const python = join(folder, 'venv/bin/python');
  const failed = makeOnce(folder, PYTHON_PACKAGES.join(' '), [
    ['python3', '-m', 'venv', join(folder, 'venv')],
    [python, '-m', 'pip', 'install', '--quiet', '--retries', '1', ...PYTHON_PACKAGES],
  ]);
  return failed ? { missing: failed } : { python };
}
