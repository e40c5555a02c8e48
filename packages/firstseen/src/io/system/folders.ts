// Folders, and the names in them. A run over thousands of files of one folder looks for rotated files of each, and lists the folder once.

import { statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { pathOfBytes, systemPath } from './paths.js';

/** Tells if a path is a folder. What does not exist is not; reading it fails later. */
export function isFolder(path: string): boolean {
  return statSync(systemPath(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * The least time between the last change of a folder and its listing, so that a later change has another time of
 * modification. Two seconds are the coarsest times of file systems in use, those of FAT.
 */
const SETTLED_MILLISECONDS = 2000;

interface Listing {
  /** In the order of their code units, so that those with a common prefix follow each other. */
  readonly names: readonly string[];
  /** The time at which the folder was modified before it was listed, in nanoseconds since 1970. */
  readonly modifiedNanoseconds: bigint;
  readonly isSettled: boolean;
}

/** The position of the first of some sorted names that is not before another name. */
function firstNotBefore(names: readonly string[], name: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] as string) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Lists folders, and keeps a listing until its folder changes. */
export class Folders {
  readonly #listings = new Map<string, Listing>();

  /** The names in a folder now that begin with a prefix. A folder that cannot be listed has none. */
  async namesIn(folder: string, prefix = ''): Promise<readonly string[]> {
    const names = await this.#list(folder);
    if (prefix === '') return names;
    const start = firstNotBefore(names, prefix);
    let end = start;
    while (names[end]?.startsWith(prefix)) end++;
    return names.slice(start, end);
  }

  async #list(folder: string): Promise<readonly string[]> {
    const path = systemPath(folder);
    const stats = await stat(path, { bigint: true }).catch(() => undefined);
    if (!stats) return [];
    const { mtimeNs: modifiedNanoseconds } = stats;
    const keptListing = this.#listings.get(folder);
    if (keptListing?.isSettled && keptListing.modifiedNanoseconds === modifiedNanoseconds) return keptListing.names;
    const isSettled = Date.now() - Number(stats.mtimeMs) > SETTLED_MILLISECONDS;
    const names = (await readdir(path, 'buffer').catch(() => [])).map((name) => pathOfBytes(name)).sort();
    this.#listings.set(folder, { names, modifiedNanoseconds, isSettled });
    return names;
  }
}
