// The identity of a file, whatever name it is given by.

import { realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

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

/** An identity that is the same for all names of a file, whether the file exists or not. */
export function identityOf(path: string): string {
  const stats = found(path);
  if (stats) return stats.isFile() ? `${stats.dev}:${stats.ino}` : path;
  return join(realFolder(dirname(path)), basename(path));
}
