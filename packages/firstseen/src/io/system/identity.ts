// The identity of a file, by whichever name it is given.

import { fstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isObjectName, withoutSecrets } from './objectname.js';
import { pathOfBytes, systemPath } from './paths.js';

function found(path: string): Stats | undefined {
  try {
    return statSync(systemPath(path));
  } catch {
    return undefined;
  }
}

/** @throws Error of the system when there is no such file or folder */
export function withoutLinks(path: string): string {
  const name = systemPath(path);
  return typeof name === 'string' ? realpathSync(name) : pathOfBytes(realpathSync.native(name, 'buffer'));
}

function realFolder(path: string): string {
  try {
    return withoutLinks(path);
  } catch {
    return path;
  }
}

/** Links in a row after which Linux reports a loop. */
const MAX_LINKS = 40;

function linkTarget(path: string): string | undefined {
  try {
    return pathOfBytes(readlinkSync(systemPath(path), 'buffer'));
  } catch {
    return undefined;
  }
}

/** The file that a path leads to through symbolic links, whether it exists or not; a path that is not a link stays as it is. */
export function linkedFile(path: string): string {
  let found = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const target = linkTarget(found);
    if (target === undefined) return found;
    found = resolve(realFolder(dirname(found)), target);
  }
  return path;
}

/** The absolute path of a file without symbolic links, whether the file exists or not; the name of an object. */
export function realPathOf(path: string): string {
  if (isObjectName(path)) return withoutSecrets(path);
  try {
    return withoutLinks(path);
  } catch {
    return join(realFolder(dirname(resolve(path))), basename(path));
  }
}

/** A path, as a state keeps it: as it was given, and resolved, if it is that of a file. */
export interface KnownPath {
  /** Null for standard output; undefined for an input without a path, which has a name. */
  readonly path?: string | null | undefined;
  readonly realPath?: string | undefined;
  readonly name?: string | undefined;
}

/** Tells if two paths name the same file, however they are written, or two inputs without paths have the same name. */
export function isSamePath(one: KnownPath, other: KnownPath): boolean {
  if (one.path === undefined && one.name !== other.name) return false;
  return one.path === other.path || (one.realPath !== undefined && one.realPath === other.realPath);
}

/** Texts for a path. Two paths have one of them in common if and only if they are the same. */
function textsOf({ path, realPath, name }: KnownPath): string[] {
  if (path === undefined) return [`named ${name}`];
  const given = path === null ? 'no path' : `given ${path}`;
  return realPath === undefined ? [given] : [given, `real ${realPath}`];
}

/** Finds the same paths among many, as `isSamePath` would, without a look at each of them. */
export class PathIndex {
  readonly #positions = new Map<string, number[]>();

  constructor(paths: readonly KnownPath[]) {
    for (const [i, path] of paths.entries()) {
      for (const text of textsOf(path)) {
        const positions = this.#positions.get(text);
        if (positions) positions.push(i);
        else this.#positions.set(text, [i]);
      }
    }
  }

  has(path: KnownPath): boolean {
    return textsOf(path).some((text) => this.#positions.has(text));
  }

  /** The positions of the same paths, in their order. */
  positionsOf(path: KnownPath): number[] {
    const positions = textsOf(path).flatMap((text) => this.#positions.get(text) ?? []);
    return [...new Set(positions)].sort((one, other) => one - other);
  }
}

/** The identity of the file that is open as this descriptor; undefined unless there is one and it is a regular file. */
export function identityOfDescriptor(descriptor: number | undefined): string | undefined {
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** An identity that is the same for all names of a file, whether the file exists or not; the name of an object. */
export function identityOf(path: string): string {
  if (isObjectName(path)) return withoutSecrets(path);
  const stats = found(path);
  if (stats) return stats.isFile() ? `${stats.dev}:${stats.ino}` : path;
  return join(realFolder(dirname(path)), basename(path));
}
