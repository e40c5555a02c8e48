// The note of a file, by which it is found again: its path, its inode, and a digest of the bytes at its start and end. Log rotation
// may rename the file, or put another one in its place, between two looks at it.

import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BEGINNING_BYTES, compressionOf, compressions } from '../compression/compressions.js';
import { inodeOf, pathsOfInode } from '../log/rotation.js';
import { type FileNote, type InputMark, InputReplaced } from '../source.js';
import { digestEdges, readEdge } from '../system/edges.js';
import { withoutLinks } from '../system/identity.js';
import { inputError } from '../system/inputerror.js';
import { systemPath } from '../system/paths.js';
import type { ReadEdges } from './readedges.js';

/** Looks for a file that log rotation may be renaming at the same time. */
export const MAX_LOOKS = 3;

/** The part of a file's time that may be lost when the file is copied. */
const ROUNDING_MILLISECONDS = 10;

export async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    const file = await open(systemPath(path));
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw inputError(path, cause);
  }
}

/** The note of the file at a path. */
export function noteOf(path: string, isBinary: boolean): Promise<FileNote> {
  return withFile(path, async (file) => {
    const stats = await file.stat({ bigint: true });
    const storedBytes = Number(stats.size);
    // Everything that is written after this look is later than the content that the file has now. The time of the look would be
    // closer, but then the same run would leave another state each time.
    const sinceMilliseconds = Number(stats.mtimeMs) - ROUNDING_MILLISECONDS;
    const isCompressed = compressionOf(path, await readEdge(file, BEGINNING_BYTES, 0), isBinary) !== compressions.none;
    const digest = await digestEdges(file, storedBytes);
    const identity = { realPath: withoutLinks(path), inode: inodeOf(stats) };
    return { path, ...identity, isFile: true, isCompressed, storedBytes, digest, sinceMilliseconds };
  });
}

/**
 * Uses the file of a note, which log rotation may have renamed.
 * @throws InputReplaced when it is gone
 */
export async function withNoted<T>(note: FileNote, use: (file: FileHandle) => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < MAX_LOOKS; attempt++) {
    for (const path of await pathsNow(note)) {
      const file = await openUnlessGone(path);
      try {
        if (file && inodeOf(await file.stat({ bigint: true })) === note.inode) return await use(file);
      } finally {
        await file?.close();
      }
    }
  }
  throw new InputReplaced(note.path);
}

export async function openUnlessGone(path: string): Promise<FileHandle | undefined> {
  return open(systemPath(path)).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw inputError(path, error);
  });
}

/**
 * The note of the first `offset` bytes that a reader has read. If they are not kept and the file was removed or emptied meanwhile,
 * it gets an empty digest, which matches no file.
 */
async function noteUpTo(note: FileNote, offset: number, edges: ReadEdges | undefined): Promise<FileNote> {
  const keptDigest = edges?.digestAt(offset);
  if (keptDigest !== undefined) return { ...note, storedBytes: offset, digest: keptDigest };
  for (const path of await pathsNow(note)) {
    const digest = await withFile(path, async (file) => {
      const stats = await file.stat({ bigint: true });
      const isThere = inodeOf(stats) === note.inode && stats.size >= offset;
      const digest = isThere ? await digestEdges(file, offset) : '';
      // Looked at after the digest was made, so that it is not that of new content.
      return (await edges?.areOf(file)) === false ? '' : digest;
    }).catch(() => '');
    if (digest !== '') return { ...note, storedBytes: offset, digest };
  }
  return { ...note, storedBytes: offset, digest: '' };
}

/** Returns the paths at which a file may be now: its path, or where log rotation has put it since. */
export async function pathsNow({
  path,
  realPath = path,
  inode,
}: Pick<FileNote, 'path' | 'realPath' | 'inode'>): Promise<string[]> {
  const stats = await stat(systemPath(path), { bigint: true }).catch(() => undefined);
  if (stats && inodeOf(stats) === inode) return [path];
  return inode === undefined ? [] : pathsOfInode(dirname(realPath), inode);
}

/** Tells if an open file is that of a note. It may have grown. */
export async function isFileOf(note: FileNote, file: FileHandle): Promise<boolean> {
  const stats = await file.stat({ bigint: true });
  if (inodeOf(stats) !== note.inode || Number(stats.size) < note.storedBytes) return false;
  return (await digestEdges(file, note.storedBytes)) === note.digest;
}

async function openIfSame(note: FileNote, path: string): Promise<FileHandle | undefined> {
  const file = await openUnlessGone(path);
  if (!file) return undefined;
  let isSame = false;
  try {
    isSame = await isFileOf(note, file);
  } finally {
    if (!isSame) await file.close();
  }
  return isSame ? file : undefined;
}

/**
 * Opens the file that the run looked at before. It may have grown, and log rotation may have renamed it.
 * @throws InputReplaced when a writer, or log rotation, has put something else in its place
 */
export async function openSame(note: FileNote): Promise<FileHandle> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    for (const path of await pathsNow(note)) {
      const file = await openIfSame(note, path);
      if (file) return file;
    }
  }
  throw new InputReplaced(note.path);
}

/**
 * A file that is not compressed, up to an offset.
 * @param hasBeginnings whether the note has the beginnings that `edges` know
 */
export async function markUpTo(
  note: FileNote,
  offset: number,
  edges: ReadEdges | undefined,
  hasBeginnings = false,
): Promise<InputMark> {
  const input = await noteUpTo(note, offset, edges);
  const beginnings = hasBeginnings ? (edges?.beginningsOf(offset) ?? []) : [];
  return { input: beginnings.length > 0 ? { ...input, beginnings } : input, position: { offset } };
}
