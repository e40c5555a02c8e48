// The copy of a checkout in which mutants are built and tested.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HITS, KERNEL, TEST_FILE, withSwitches } from './switches.mjs';

const SETUP = 'mutants.setup.mjs';

/** The tracked files of a checkout and those that git does not ignore. */
export function filesOf(root) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path)));
}

/** Runs before each file of tests, and tells its name to the switches and to the processes that the tests start. */
const setup = `
process.env.${TEST_FILE} = globalThis.__vitest_worker__.filepath;
globalThis.__mutants?.forget();
if (process.env.${HITS} !== undefined) {
  const { instantiate } = WebAssembly;
  const { appendFileSync } = await import('node:fs');
  WebAssembly.instantiate = (...args) => {
    WebAssembly.instantiate = instantiate;
    appendFileSync(process.env.${HITS} + '/' + process.pid + '-starts', '${KERNEL}\\t' + process.env.${TEST_FILE} + '\\n');
    return instantiate(...args);
  };
}
`;

/** The configuration of vitest with the setup. Hits are noted with a process for each file, because a module is loaded once in a process. */
export function withSetup(configuration) {
  if (configuration.split('setupFiles: [').length !== 2)
    throw new Error('vitest.config.ts has not one `setupFiles: [`');
  return configuration
    .replace('setupFiles: [', `setupFiles: ['${SETUP}', `)
    .replace(/\bisolate: false\b/g, `isolate: process.env.${HITS} !== undefined`);
}

function writeChanged(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

function commit(folder) {
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=mutants', '-c', 'user.email=mutants@localhost', ...args], { cwd: folder });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'Copy for mutants');
}

/** Makes a copy of a checkout with the packages that it has installed. */
export function copyCheckout(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  for (const path of filesOf(root)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { verbatimSymlinks: true });
  }
  // Links of the packages of the workspace must lead to those of the copy.
  execFileSync('cp', ['-a', join(root, 'node_modules'), join(folder, 'node_modules')]);
  rmSync(join(folder, 'node_modules/.vite'), { recursive: true, force: true });
  commit(folder);
}

/** Writes the switches of mutants into a copy, with what runs before each file of tests. */
export function writeSwitches({ root, folder, mutants }) {
  const count = Math.max(KERNEL, ...mutants.map(({ number }) => number)) + 1;
  writeChanged(join(folder, SETUP), setup);
  writeChanged(join(folder, 'vitest.config.ts'), withSetup(readFileSync(join(root, 'vitest.config.ts'), 'utf8')));
  for (const path of filesOf(root).filter((name) => /^packages\/[^/]+\/src\/.*\.ts$/.test(name))) {
    const text = readFileSync(join(root, path), 'utf8');
    const changed = withSwitches(
      text,
      mutants.filter(({ file }) => file === path),
      count,
    );
    writeChanged(join(folder, path), changed ?? text);
  }
}
