// Fetches Hadoop and Spark once, into a cache outside the repository.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'firstseen-engines');
const pom = new URL('./pom.xml', import.meta.url);
const PYTHON_PACKAGES = ['pyspark==4.3.0', 'pyarrow==26.0.1'];

function has(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function whyNoJava() {
  return has('java', '-version') ? undefined : 'java is not installed';
}

/** Makes a folder once for each text that describes it, by commands. Returns why that failed. */
function makeOnce(folder, description, commands) {
  const done = join(folder, 'fetched');
  if (existsSync(done) && readFileSync(done, 'utf8') === description) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [command, ...args] of commands) {
    console.log(`fetching: ${command} ${args.join(' ')}`);
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: folder });
    if (status !== 0) return `${command} failed: ${`${stdout}${stderr}`.trim().split('\n').slice(-3).join(' ')}`;
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
  const file = join(folder, 'pom.xml');
  const copy = [
    'mvn',
    '-q',
    '-B',
    '-f',
    file,
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    '-DoutputDirectory=libs',
  ];
  const failed = makeOnce(folder, text, [['cp', pom.pathname, file], copy]);
  return failed ? { missing: failed } : { libs: join(folder, 'libs') };
}

/** The Python that has Spark as `python`, or why there is none as `missing`. */
export function fetchSpark() {
  const missing =
    whyNoJava() ?? (has('python3', '-c', 'import venv') ? undefined : 'python3 with venv is not installed');
  if (missing) return { missing };
  const folder = join(cache, 'spark');
  const python = join(folder, 'venv/bin/python');
  const failed = makeOnce(folder, PYTHON_PACKAGES.join(' '), [
    ['python3', '-m', 'venv', join(folder, 'venv')],
    [python, '-m', 'pip', 'install', '--quiet', ...PYTHON_PACKAGES],
  ]);
  return failed ? { missing: failed } : { python };
}
