// Compares a file with the note of what an earlier run read.

import { dirname } from 'node:path';
import { isSameLog, pathsOfInode } from '../log/rotation.js';
import { type ByteReader, type FileNote, type InputComparison, type InputNote, InputReplaced } from '../source.js';
import { digestEdges, digestOf, EDGE_BYTES } from '../system/edges.js';
import { isSamePath } from '../system/identity.js';
import { openSame, withFile, withNoted } from './filenote.js';
import { openFile } from './reader.js';

/** Tells if a file may be a known one: it has its path or its inode, or the name that log rotation may have given it. */
function mayBeSame(known: FileNote, now: FileNote): boolean {
  if (isSamePath(known, now) || (known.inode !== undefined && known.inode === now.inode)) return true;
  // Every file begins like an empty one.
  return known.storedBytes > 0 && isSameLog(known, now);
}

/** Tells if a known file is still there under another name, so that a file that begins like it is another one. */
async function isMoved(known: FileNote, now: FileNote): Promise<boolean> {
  if (known.inode === undefined || known.inode === now.inode) return false;
  const [path] = await pathsOfInode(dirname(now.realPath ?? now.path), known.inode);
  if (path === undefined) return false;
  const digest = await withFile(path, (file) => digestEdges(file, known.storedBytes)).catch(() => '');
  return digest === known.digest;
}

/** Compares a file that is read only as a whole with its note in a state. */
export function compareWhole(known: InputNote, note: FileNote): InputComparison {
  const isSame = known.isFile && known.isCompressed && known.storedBytes === note.storedBytes;
  return isSame && isSamePath(known, note) && known.digest === note.digest ? 'same' : 'other';
}

/** Compares a file that was compressed by log rotation with the note of the file before that. */
async function compareDecompressed(known: FileNote, now: FileNote): Promise<InputComparison> {
  const reader = await openFile(now.path, { isBinary: false, offset: 0, openStored: () => openSame(now) });
  try {
    const edgeBytes = Math.min(known.storedBytes, EDGE_BYTES);
    const first = await readBytes(reader, edgeBytes);
    // The edges overlap if the file is short.
    const tail = await readLast(reader, first, known.storedBytes, edgeBytes);
    if (!tail || digestOf([first, tail]) !== known.digest) return 'other';
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

export async function compare(known: InputNote, now: FileNote): Promise<InputComparison> {
  if (known.path === undefined || !known.isFile || !mayBeSame(known, now)) return 'other';
  if (known.isCompressed !== now.isCompressed) {
    const isRotated = now.isCompressed && known.storedBytes > 0 && !isSamePath(known, now);
    return isRotated ? compareDecompressed(known, now).catch(ifDamaged('other' as const)) : 'other';
  }
  if (now.storedBytes < known.storedBytes) return 'other';
  const digest = await withNoted(now, (file) => digestEdges(file, known.storedBytes));
  if (digest !== known.digest || (await isMoved(known, now))) return 'other';
  return now.storedBytes === known.storedBytes ? 'same' : 'grown';
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
  known: InputNote,
  now: FileNote,
  content: () => Promise<Content | undefined>,
): Promise<number | undefined> {
  if (known.path === undefined || known.isCompressed || !isSameLog(known, now)) return undefined;
  const { beginnings = [] } = known;
  if (beginnings.length === 0) return undefined;
  const found = await content();
  const isOne = beginnings.some(([bytes, digits]) => bytes === found?.storedBytes && found.digest.startsWith(digits));
  return isOne ? found?.storedBytes : undefined;
}
