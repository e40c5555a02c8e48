// Checks the packed packages with external tools: publint for package.json and the files, attw for the declarations.

import { spawnSync } from 'node:child_process';
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

await build();
const results = ['packages/firstseen', 'packages/lab'].flatMap((folder) => [
  passes('publint', folder, '--strict'),
  // `firstseen/internal` has no declarations: it is for the packages of this repository.
  passes('attw', '--pack', folder, '--profile', 'esm-only', '--exclude-entrypoints', './internal'),
]);
process.exitCode = results.every(Boolean) ? 0 : 1;
