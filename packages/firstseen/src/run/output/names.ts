// Names of files: what they cannot be, and which of them are one file that would be read and written.

import { realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FirstseenError } from '../../errors.js';
import { STANDARD_STREAM } from '../options.js';
import { lockPath } from '../state/lock.js';
import { partPath } from '../state/statefile.js';

/** A file that is read, and what it is in a message. */
export type FileUse = readonly [path: string, use: string];

function found(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The same for all names of a file, whether it is there already or not. */
export function identityOf(path: string): string {
  const stats = found(path);
  if (stats) return stats.isFile() ? `${stats.dev}:${stats.ino}` : path;
  return join(realFolder(dirname(path)), basename(path));
}

type Written = { [Name in 'output' | 'duplicatesTo' | 'state']?: string | undefined };

/** All files that a run writes: its outputs, its state and the files beside that. */
export function filesWritten({ output, duplicatesTo, state }: Written): string[] {
  const kept = state === undefined ? [] : [state, partPath(state), lockPath(state)];
  return [output, duplicatesTo, ...kept].filter((path) => path !== undefined);
}

/** @throws FirstseenError E_USAGE for names that a file to be written cannot have. */
export function checkNames({ output, duplicatesTo, state }: Written): void {
  const named = { '--output': output, '--duplicates-to': duplicatesTo, '--state': state };
  for (const [flag, path] of Object.entries(named)) {
    if (path === '' || (path === STANDARD_STREAM && flag !== '--output')) {
      throw new FirstseenError('E_USAGE', `${flag} is "${path}", but must name a file; name one, or leave it out`);
    }
  }
}

/** @throws FirstseenError E_USAGE when a file would be read and written, or written twice. */
export function checkApart(read: readonly FileUse[], written: readonly string[]): void {
  const seen = new Map(read.map(([path, use]) => [identityOf(path), use]));
  for (const path of written) {
    const identity = identityOf(path);
    const other = seen.get(identity);
    if (other && !path.startsWith('/dev/')) {
      throw new FirstseenError('E_USAGE', `${path} would be written, but it is also ${other}; name another file`);
    }
    seen.set(identity, 'another output or the state');
  }
}
