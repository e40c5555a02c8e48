// The switches of mutants in a copy of a checkout, in which they are built and tested.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../copytree.mjs';
import { HITS, KERNEL, TEST_FILE, withSwitches } from './switches.mjs';

const SETUP = 'mutants.setup.mjs';
const CONFIGURATION = 'vitest.config.ts';
export const CHECKOUT_CONFIGURATION = 'vitest.checkout.config.ts';

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

/**
 * The configuration of vitest in the copy: the one of the checkout, in which every project has the setup. Hits are noted with a process for
 * each file, because a module is loaded once in a process.
 */
export const configuration = `
import checkout from './${CHECKOUT_CONFIGURATION}';

const withSetup = (project) => ({
  ...project,
  test: {
    ...project.test,
    setupFiles: ['${SETUP}', ...(project.test.setupFiles ?? [])],
    ...(process.env.${HITS} !== undefined && { isolate: true }),
  },
});
const { projects } = checkout.test;
export default projects
  ? { ...checkout, test: { ...checkout.test, projects: projects.map(withSetup) } }
  : withSetup(checkout);
`;

function writeChanged(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

/** Writes the switches of mutants, which have numbers, into a copy, with what runs before each file of tests. */
export function writeSwitches({ root, folder, mutants }) {
  const count = 1 + Math.max(KERNEL, ...mutants.map(({ number }) => number));
  writeChanged(join(folder, SETUP), setup);
  writeChanged(join(folder, CHECKOUT_CONFIGURATION), readFileSync(join(root, CONFIGURATION), 'utf8'));
  writeChanged(join(folder, CONFIGURATION), configuration);
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
