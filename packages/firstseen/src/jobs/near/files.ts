// Files as documents: which they are, as lines of one input that is never on a disk, and what stands in them.

import { createHash } from 'node:crypto';
import { closeSync, type Dirent, fstatSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import picomatch from 'picomatch';
import { formatCounted } from '../../count.js';
import { FirstseenError } from '../../errors.js';
import { compressionOf, inputError } from '../../run/input/reader.js';
import type { InputSource } from '../../run/job.js';

/** Bytes of the list that are read at once: so few that a run can be stopped, and saved, between them. */
const PIECE_BYTES = 4096;

export interface FilePatterns {
  include: readonly string[];
  exclude: readonly string[];
}

type IsWanted = (path: string) => boolean;

/** A pattern without a slash is one of the name alone. */
function matcher(patterns: readonly string[]): IsWanted {
  const tests = patterns.map((pattern) => picomatch(pattern, { matchBase: !pattern.includes('/'), dot: true }));
  return (path) => tests.some((test) => test(path));
}

function wantedBy({ include, exclude }: FilePatterns): IsWanted {
  const isIncluded = include.length > 0 ? matcher(include) : () => true;
  const isExcluded = exclude.length > 0 ? matcher(exclude) : () => false;
  return (path) => isIncluded(path) && !isExcluded(path);
}

/** What a path leads to; nothing where a link leads nowhere or in a circle. */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return undefined;
    throw error;
  }
}

/** What the folder itself calls a file is one, also where its name cannot be told and reading it will fail. */
function isFile(entry: Dirent, path: string): boolean {
  return entry.isFile() || (lookAt(path)?.isFile() ?? false);
}

/** The files below a folder, in the order of their names. Links to folders are not followed, as they may lead in circles. */
function* filesBelow(root: string, inside: string, isWanted: IsWanted): Generator<string> {
  const entries = readdirSync(join(root, inside), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, path, isWanted);
    else if (isWanted(path) && isFile(entry, join(root, path))) yield join(root, path);
  }
}

/**
 * The documents that files and folders hold, in their order.
 * @throws FirstseenError E_INPUT for what is not there or cannot be read.
 */
export function listFiles(inputs: readonly string[], patterns: FilePatterns): string[] {
  const isWanted = wantedBy(patterns);
  return inputs.flatMap((input) => {
    try {
      return statSync(input).isDirectory() ? [...filesBelow(input, '', isWanted)] : [input];
    } catch (cause) {
      throw inputError(input, cause);
    }
  });
}

/** @throws FirstseenError E_INPUT for a path that is no line. */
function listOf(paths: readonly string[]): Buffer {
  const broken = paths.find((path) => path.includes('\n'));
  if (broken === undefined) return Buffer.from(paths.map((path) => `${path}\n`).join(''));
  throw new FirstseenError(
    'E_INPUT',
    `${JSON.stringify(broken)} has a newline in its name; rename it, or leave it out`,
  );
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The list of files as the input of a run. */
export function listSource(paths: readonly string[]): InputSource {
  const list = listOf(paths);
  return {
    look: async (path) => ({
      path,
      isFile: true,
      isCompressed: false,
      storedBytes: list.length,
      digest: digestOf(list),
    }),
    isSame: async (known, now) =>
      known.path === now.path &&
      known.storedBytes <= list.length &&
      digestOf(list.subarray(0, known.storedBytes)) === known.digest,
    taken: async (note, offset) => ({ ...note, storedBytes: offset, digest: digestOf(list.subarray(0, offset)) }),
    open: async (_path, { offset }) => {
      let at = offset;
      return {
        read: async (target) => {
          const piece = list.subarray(at, at + Math.min(PIECE_BYTES, target.length));
          target.set(piece);
          at += piece.length;
          return piece.length;
        },
        storedBytes: () => at,
        close: async () => undefined,
      };
    },
  };
}

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

function decompressOf(path: string, compression: 'gzip' | 'zstd'): Decompress {
  if (compression === 'gzip') return zlib.gunzipSync;
  // Node has zstd from 22.15 and 23.8 on; the types of Node 20 do not know it.
  const decompress = (zlib as { zstdDecompressSync?: Decompress }).zstdDecompressSync;
  if (decompress) return decompress;
  throw new FirstseenError(
    'E_COMPRESSION',
    `${path} is compressed with zstd, which Node ${process.versions.node} cannot read; use Node 22.15 or later`,
  );
}

function tooLong(path: string, mostBytes: number): FirstseenError {
  return new FirstseenError(
    'E_RECORD',
    `${path} is longer than allowed, ${formatCounted(mostBytes, 'byte')} (--max-record)`,
  );
}

/** The bytes of a file, of which a device or a pipe does not say beforehand how many they are. */
function readAtMost(path: string, mostBytes: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    let bytes = Buffer.alloc(Math.min(fstatSync(file).size, mostBytes) + 1);
    for (let filled = 0; ; ) {
      const read = readSync(file, bytes, filled, bytes.length - filled, null);
      filled += read;
      if (read === 0) return bytes.subarray(0, filled);
      if (filled > mostBytes) throw tooLong(path, mostBytes);
      if (filled === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * filled, mostBytes + 1));
    }
  } finally {
    closeSync(file);
  }
}

/**
 * What a file holds, decompressed if it is compressed.
 * @throws FirstseenError E_INPUT, E_COMPRESSION, or E_RECORD when it is longer than allowed.
 */
export function readDocument(path: string, mostBytes: number): Uint8Array {
  try {
    const stored = readAtMost(path, mostBytes);
    const compression = compressionOf(path, stored, false);
    if (compression === 'none') return stored;
    return decompressOf(path, compression)(stored, { maxOutputLength: mostBytes });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong(path, mostBytes);
    throw inputError(path, cause);
  }
}
