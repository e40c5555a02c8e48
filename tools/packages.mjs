// Checks the packed packages with external tools: publint for package.json and the files, attw for the declarations.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function passes(...args) {
  const { status, stdout, stderr } = spawnSync('npx', ['--no-install', ...args], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) console.error(`${args.join(' ')}\n${stdout}${stderr}`);
  return status === 0;
}

await build(['packed']);
const packed = JSON.parse(readFileSync(join(root, 'build/packed/packed.json'), 'utf8'));
// The library is for CommonJS too. `firstseen/internal` has no declarations: it is for the packages of this repository. A module of
// WebAssembly can only be imported.
const optionsOf = {
  firstseen: ['--exclude-entrypoints', './internal', './kernel.wasm', './detectors.wasm'],
  'firstseen-lab': ['--profile', 'esm-only'],
};
const results = packed.flatMap(({ name, filename }) => {
  const file = join('build/packed', filename);
  return [passes('publint', file, '--strict'), passes('attw', file, ...optionsOf[name])];
});
process.exitCode = results.every(Boolean) ? 0 : 1;
