// The packages as users receive them: packed, then installed in folders without a network.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** Packs the package of a folder into another folder. */
export function pack(packedFolder: string, folder: string): Packed {
  const [packed] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], packedFolder));
  return { path: join(folder, packed.filename), files: packed.files.map(({ path }: { path: string }) => path) };
}

/** Installs packages in a new folder, without a network. */
export function install(target: string, ...args: string[]): void {
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), '{ "private": true, "type": "module" }\n');
  npm(['install', '--offline', '--no-audit', '--no-fund', ...args], target);
}
