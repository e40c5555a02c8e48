// The identity of a file, whatever name it is given by.

import { realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

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

/** The absolute path of a file without symbolic links, whether the file exists or not. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(realFolder(dirname(resolve(path))), basename(path));
  }
}

/** A path, as a state keeps it: as it was given, and resolved. States of 0.1.0 have no resolved path. */
export interface KnownPath {
  readonly path: string | null;
  readonly realPath?: string | undefined;
}

/** Whether two paths name the same file, however they are written. */
export function isSamePath(one: KnownPath, other: KnownPath): boolean {
  return one.path === other.path || (one.realPath !== undefined && one.realPath === other.realPath);
}

/** An identity that is the same for all names of a file, whether the file exists or not. */
export function identityOf(path: string): string {
  const stats = found(path);
  if (stats) return stats.isFile() ? `${stats.dev}:${stats.ino}` : path;
  return join(realFolder(dirname(path)), basename(path));
}
