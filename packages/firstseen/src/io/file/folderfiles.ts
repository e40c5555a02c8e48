// Finds the files in folders.

import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { posix } from 'node:path';
import picomatch from 'picomatch';
import type { InputRequest } from '../source.js';
import { inputError } from '../system/inputerror.js';
import { pathOfBytes, systemPath } from '../system/paths.js';
import { pathRequest } from './request.js';

export interface FilePatterns {
  include: readonly string[];
  exclude: readonly string[];
}

type IsWanted = (path: string) => boolean;

/** A pattern without a slash matches the name of a file, others its path in the folder. */
function matcher(patterns: readonly string[]): IsWanted {
  const tests = patterns.map((pattern) => picomatch(pattern, { matchBase: !pattern.includes('/'), dot: true }));
  return (path) => tests.some((test) => test(path));
}

function wantedBy({ include, exclude }: FilePatterns): IsWanted {
  const isIncluded = include.length > 0 ? matcher(include) : () => true;
  const isExcluded = exclude.length > 0 ? matcher(exclude) : () => false;
  return (path) => isIncluded(path) && !isExcluded(path);
}

/** The target of a path; undefined for a broken or circular link. */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(systemPath(path), { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined;
    throw error;
  }
}

/** An entry that the folder marks as a file is one, even if its status cannot be read; reading it will fail later. */
function isFile(entry: Dirent, path: string): boolean {
  return entry.isFile() || (lookAt(path)?.isFile() ?? false);
}

/**
 * The files below a folder, ordered by name, with the same paths on every system. Links to folders are not followed,
 * because they may be circular.
 */
function* filesBelow(root: string, folder: string, isWanted: IsWanted): Generator<string> {
  // As Latin-1, each byte of a name is one character.
  const entries = readdirSync(systemPath(posix.join(root, folder)), { withFileTypes: true, encoding: 'latin1' });
  const namedEntries = entries.map((entry) => ({ entry, name: pathOfBytes(Buffer.from(entry.name, 'latin1')) }));
  namedEntries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { entry, name } of namedEntries) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (entry.isDirectory()) yield* filesBelow(root, path, isWanted);
    else if (isWanted(path) && isFile(entry, posix.join(root, path))) yield posix.join(root, path);
  }
}

/** An input that was found. A pipe or a device, which is not a file, may be read only once, and may wait. */
export interface FoundInput extends InputRequest {
  readonly isFile: boolean;
}

/**
 * The inputs that are not folders, and the files in those that are, in order.
 * @throws FirstseenError E_INPUT when an input does not exist or cannot be read.
 */
export function listFiles(inputs: readonly InputRequest[], patterns: FilePatterns): FoundInput[] {
  const isWanted = wantedBy(patterns);
  return inputs.flatMap((input) => {
    if (input.file === undefined) return [{ ...input, isFile: false }];
    const { path } = input.file;
    try {
      const kind = input.file.kind();
      if (kind !== 'folder') return [{ ...input, isFile: kind !== 'stream' }];
      return [...filesBelow(path, '', isWanted)].map((file) => ({ ...pathRequest(file), isFile: true }));
    } catch (cause) {
      throw inputError(path, cause);
    }
  });
}
