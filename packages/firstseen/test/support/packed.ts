// The packages as users receive them: packed, then installed in folders without a network.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { requireBuilt } from './built.js';
import { repositoryFolder } from './folders.js';

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
}

export interface Packed {
  path: string;
  files: string[];
}

/** A package as it was packed from the current build, once for all tests. */
export function packed(name: 'firstseen' | 'firstseen-lab'): Packed {
  requireBuilt('packed');
  const folder = join(repositoryFolder, 'build/packed');
  const both: { name: string; filename: string; files: { path: string }[] }[] = JSON.parse(
    readFileSync(join(folder, 'packed.json'), 'utf8'),
  );
  const report = both.find((one) => one.name === name);
  if (report === undefined) throw new Error(`npm did not pack ${name}`);
  return { path: join(folder, report.filename), files: report.files.map(({ path }) => path) };
}

/** Unpacks a package in a folder as npm does, without its dependencies. */
export function unpack(target: string, { path }: Packed): void {
  mkdirSync(target, { recursive: true });
  // The tar of Windows takes the letter of a drive for a machine.
  execFileSync('tar', ['-xzf', basename(path), '-C', target, '--strip-components=1'], { cwd: dirname(path) });
}

/** Installs packages in a new folder, without a network. */
export function install(target: string, ...args: string[]): void {
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), '{ "private": true, "type": "module" }\n');
  npm(['install', '--offline', '--no-audit', '--no-fund', ...args], target);
}
