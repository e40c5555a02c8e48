// A folder in a file system that is soon full.

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SIZE = '512k';
/** Pieces by which it is filled: what is left is smaller than a snapshot. */
const PIECE_BYTES = 4096;

/** Makes a folder a small file system. @returns what undoes it, unless that fails; then undefined */
export function mountSmall(folder) {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'firstseen', folder]).status !== 0) return undefined;
  return () => spawnSync('umount', ['--lazy', folder]);
}

/** Why no file system can be mounted; false if one can. */
export function whyNoMount() {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-mount-'));
  const unmount = mountSmall(folder);
  unmount?.();
  rmdirSync(folder);
  return unmount ? false : 'a small file system can be mounted by root only';
}

/** Fills the file system of a path. */
export function fillUp(path) {
  const file = openSync(path, 'w');
  try {
    const piece = Buffer.alloc(PIECE_BYTES, 1);
    for (;;) writeSync(file, piece);
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
}
