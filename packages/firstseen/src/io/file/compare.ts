// Compares a file with the note of what an earlier run read.

import { dirname } from 'node:path';
import { isSameLog, pathsOfInode } from '../log/rotation.js';
import { type ByteReader, type FileNote, type InputComparison, type InputNote, InputReplaced } from '../source.js';
import { digestEdges, digestOf, EDGE_BYTES } from '../system/edges.js';
import { isSamePath } from '../system/identity.js';
import { openSame, withFile, withNoted } from './filenote.js';
import { openFile } from './reader.js';

/** Tells if a file may be a known one: it has its path or its inode, or the name that log rotation may have given it. */
function mayBeSame(earlier: FileNote, now: FileNote): boolean {
  if (isSamePath(earlier, now) || (earlier.inode !== undefined && earlier.inode === now.inode)) return true;
  // Every file begins like an empty one.
  return earlier.storedBytes > 0 && isSameLog(earlier, now);
}

/** Tells if a known file is still there under another name, so that a file that begins like it is another one. */
async function isMoved(earlier: FileNote, now: FileNote): Promise<boolean> {
  if (earlier.inode === undefined || earlier.inode === now.inode) return false;
  const [path] = await pathsOfInode(dirname(now.realPath ?? now.path), earlier.inode);
  if (path === undefined) return false;
  const digest = await withFile(path, (file) => digestEdges(file, earlier.storedBytes)).catch(() => '');
  return digest === earlier.digest;
}

/** Compares a file that is read only as a whole with its note in a state. */
export function compareWhole(earlier: InputNote, note: FileNote): InputComparison {
  const isSame = earlier.isFile && earlier.isCompressed && earlier.storedBytes === note.storedBytes;
  return isSame && isSamePath(earlier, note) && earlier.digest === note.digest ? 'same' : 'other';
}

/** Compares a file that was compressed by log rotation with the note of the file before that. */
async function compareDecompressed(earlier: FileNote, now: FileNote): Promise<InputComparison> {
  const reader = await openFile(now.path, { isBinary: false, offset: 0, openStored: () => openSame(now) });
  try {
    const edgeBytes = Math.min(earlier.storedBytes, EDGE_BYTES);
    const first = await readBytes(reader, edgeBytes);
    // The edges overlap if the file is short.
    const tail = await readLast(reader, first, earlier.storedBytes, edgeBytes);
    if (!tail || digestOf([first, tail]) !== earlier.digest) return 'other';
    return (await reader.read(new Uint8Array(1))) === 0 ? 'same' : 'grown';
  } finally {
    await reader.close();
  }
}

async function readBytes(reader: ByteReader, bytes: number): Promise<Uint8Array> {
  const target = new Uint8Array(bytes);
  let filled = 0;
  for (let read = 1; read > 0 && filled < bytes; filled += read) read = await reader.read(target.subarray(filled));
  return target.subarray(0, filled);
}

/** The last `edgeBytes` of the first `bytes` bytes, of which `first` has been read; undefined if there are fewer. */
async function readLast(
  reader: ByteReader,
  first: Uint8Array,
  bytes: number,
  edgeBytes: number,
): Promise<Uint8Array | undefined> {
  let tail = first;
  for (let at = first.length; at < bytes; at += edgeBytes) {
    const next = await readBytes(reader, Math.min(edgeBytes, bytes - at));
    if (next.length === 0) return undefined;
    tail = Buffer.concat([tail, next]).subarray(-edgeBytes);
  }
  return tail.length === edgeBytes ? tail : undefined;
}

/** Returns a handler of errors that takes `instead` for the content of a file that is damaged. */
export function ifDamaged<Instead>(instead: Instead): (error: unknown) => Instead {
  return (error) => {
    if (error instanceof InputReplaced) throw error;
    return instead;
  };
}

export async function compare(earlier: InputNote, now: FileNote): Promise<InputComparison> {
  if (earlier.path === undefined || !earlier.isFile || !mayBeSame(earlier, now)) return 'other';
  if (earlier.isCompressed !== now.isCompressed) {
    const isRotated = now.isCompressed && earlier.storedBytes > 0 && !isSamePath(earlier, now);
    return isRotated ? compareDecompressed(earlier, now).catch(ifDamaged('other' as const)) : 'other';
  }
  if (now.storedBytes < earlier.storedBytes) return 'other';
  const digest = await withNoted(now, (file) => digestEdges(file, earlier.storedBytes));
  if (digest !== earlier.digest || (await isMoved(earlier, now))) return 'other';
  return now.storedBytes === earlier.storedBytes ? 'same' : 'grown';
}

/** The bytes of a file after decompression, and the digest of its edges. */
export type Content = Pick<FileNote, 'storedBytes' | 'digest'>;

/** Returns the content of a file. A compressed file is read to its end. */
export async function contentOf(note: FileNote, isBinary: boolean): Promise<Content> {
  if (!note.isCompressed) return note;
  const reader = await openFile(note.path, { isBinary, offset: 0, openStored: () => openSame(note) });
  try {
    const first = await readBytes(reader, EDGE_BYTES);
    let [storedBytes, last]: [number, Uint8Array] = [first.length, first];
    for (let isEnd = false; !isEnd; ) {
      const next = await readBytes(reader, EDGE_BYTES);
      storedBytes += next.length;
      last = Buffer.concat([last, next]).subarray(-EDGE_BYTES);
      isEnd = next.length === 0;
    }
    return { storedBytes, digest: digestOf([first, last]) };
  } finally {
    await reader.close();
  }
}

/** The bytes of a file after decompression, if they are one of the beginnings of what was read of a log. */
export async function bytesOfBeginning(
  earlier: InputNote,
  now: FileNote,
  content: () => Promise<Content | undefined>,
): Promise<number | undefined> {
  if (earlier.path === undefined || earlier.isCompressed || !isSameLog(earlier, now)) return undefined;
  const { beginnings = [] } = earlier;
  if (beginnings.length === 0) return undefined;
  const edges = await content();
  const isOne = beginnings.some(([bytes, digits]) => bytes === edges?.storedBytes && edges.digest.startsWith(digits));
  return isOne ? edges?.storedBytes : undefined;
}
