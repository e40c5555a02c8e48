// Builds the wheel of the Python package, with the built command in it: `node tools/python.mjs`, or `node tools/python.mjs PYTHON`
// with a Python that has `build` and `hatchling`. Prints the path of the wheel.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const library = join(root, 'packages/firstseen');
const copied = join(root, 'python/firstseen/_js');

/** The optional packages of npm that the command reads Parquet and zstd with. They have no code for one system alone. */
const bundled = ['fzstd', 'hyparquet', 'hyparquet-compressors', 'hysnappy', '@hpcc-js/wasm-zstd'];

/** What of the packed package the command does not need. */
const isNeeded = (path) => !path.endsWith('.d.ts') && !path.endsWith('.map');

/** Copies the files that npm packs, and the optional packages. */
export function copyCommand() {
  rmSync(copied, { recursive: true, force: true });
  mkdirSync(copied, { recursive: true });
  const { files } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));
  for (const name of ['package.json', ...files])
    cpSync(join(library, name), join(copied, name), { recursive: true, filter: isNeeded });
  for (const name of bundled) {
    cpSync(join(root, 'node_modules', name), join(copied, 'node_modules', name), { recursive: true, filter: isNeeded });
  }
}

/** Builds the wheel into `build/python`. @returns its path @throws Error with what the program says if it fails */
export async function buildWheel(python = 'python3') {
  await build(['code', 'manual']);
  copyCommand();
  const folder = join(root, 'build/python');
  rmSync(folder, { recursive: true, force: true });
  const wheel = ['-m', 'build', '--wheel', '--no-isolation', '--outdir', folder, join(root, 'python')];
  const { status, stdout, stderr, error } = spawnSync(python, wheel, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${python} ${wheel.join(' ')}: ${error ?? `${stdout}${stderr}`}`);
  return join(folder, readdirSync(folder)[0]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await buildWheel(process.argv[2]));
