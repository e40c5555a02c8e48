// The switches of mutants in a copy of a checkout, in which they are built and tested.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../copytree.mjs';
import { HITS, KERNEL, TEST_FILE, withSwitches } from './switches.mjs';

const SETUP = 'mutants.setup.mjs';

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

/** Writes the switches of mutants into a copy, with what runs before each file of tests. */
export function writeSwitches({ root, folder, mutants }) {
  const count = Math.max(KERNEL, ...mutants.map(({ number }) => number)) + 1;
  writeChanged(join(folder, SETUP), setup);
  writeChanged(join(folder, 'vitest.config.ts'), withSetup(readFileSync(join(root, 'vitest.config.ts'), 'utf8')));
  for (const path of sourceFiles(root).filter((name) => /^packages\/[^/]+\/src\/.*\.ts$/.test(name))) {
    const text = readFileSync(join(root, path), 'utf8');
    const changed = withSwitches(
      text,
      mutants.filter(({ file }) => file === path),
      count,
    );
    writeChanged(join(folder, path), changed ?? text);
  }
}
