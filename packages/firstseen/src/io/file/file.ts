// A file as an input. It is recognized by the bytes at its start and end, whatever its name is now.

import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BEGINNING_BYTES, compressionOf, compressions } from '../compression/compressions.js';
import { inodeOf, isSameLog, type LogFile, pathsOfInode, rotatedBefore, unrecognizedBeside } from '../log/rotation.js';
import {
  type ByteReader,
  byteOffsetOf,
  type FileNote,
  firstBytes,
  type InputComparison,
  type InputMark,
  type InputNote,
  type InputReader,
  InputReplaced,
  isByteOffset,
  type LookOptions,
  type RotatedFile,
  type Source,
  type SourceKind,
} from '../source.js';
import { digestEdges, digestOf, EDGE_BYTES, readEdge } from '../system/edges.js';
import { isSamePath, withoutLinks } from '../system/identity.js';
import { folderError, inputError } from '../system/inputerror.js';
import { systemPath } from '../system/paths.js';
import type { ReadEdges } from './readedges.js';
import { type OpenFile, openFile } from './reader.js';

/** Looks for a file that log rotation may be renaming at the same time. */
const MOST_LOOKS = 3;

/** Stored bytes of a compressed file from which it saves time to start a thread that decompresses it. */
const LEAST_BESIDE_BYTES = 2 ** 22;

/** How much of the time of a file may be lost when it is copied. */
const ROUNDING_MILLISECONDS = 10;

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
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
    const known = { realPath: withoutLinks(path), inode: inodeOf(stats) };
    return { path, ...known, isFile: true, isCompressed, storedBytes, digest, sinceMilliseconds };
  });
}

/**
 * Uses the file of a note, which log rotation may have renamed.
 * @throws InputReplaced when it is gone
 */
async function withNoted<T>(note: FileNote, use: (file: FileHandle) => Promise<T>): Promise<T> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
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

async function openUnlessGone(path: string): Promise<FileHandle | undefined> {
  return open(systemPath(path)).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw inputError(path, error);
  });
}

/** Whether a file may be a known one: it has its path or its inode, or the name that log rotation may have given it. */
function mayBeSame(known: FileNote, now: FileNote): boolean {
  if (isSamePath(known, now) || (known.inode !== undefined && known.inode === now.inode)) return true;
  // Every file begins like an empty one.
  return known.storedBytes > 0 && isSameLog(known, now);
}

/** Whether a known file is still there under another name, so that a file that begins like it is another one. */
async function isMoved(known: FileNote, now: FileNote): Promise<boolean> {
  if (known.inode === undefined || known.inode === now.inode) return false;
  const [path] = await pathsOfInode(dirname(now.realPath ?? now.path), known.inode);
  if (path === undefined) return false;
  const digest = await withFile(path, (file) => digestEdges(file, known.storedBytes)).catch(() => '');
  return digest === known.digest;
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

/** What to take for the content of a file that is damaged. */
function ifDamaged<Instead>(instead: Instead): (error: unknown) => Instead {
  return (error) => {
    if (error instanceof InputReplaced) throw error;
    return instead;
  };
}

async function compare(known: InputNote, now: FileNote): Promise<InputComparison> {
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
type Content = Pick<FileNote, 'storedBytes' | 'digest'>;

/** What is in a file. A compressed file is read to its end. */
async function contentOf(note: FileNote, isBinary: boolean): Promise<Content> {
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

/** Whether the content of a file, compressed or not, is the beginning of a log as the log is now. */
async function isBeginningOf(file: RotatedLogFile, log: FileNote, options: LookOptions): Promise<boolean> {
  const source = log.isCompressed ? undefined : await lookAtRotated(file, options);
  if (!source) return false;
  const { storedBytes, digest } = await contentOf(source.note as FileNote, options.isBinary);
  return (await withNoted(log, (open) => digestEdges(open, storedBytes))) === digest;
}

/** A file that log rotation has made of a log. The log itself may get the inode of a file that was removed. */
interface RotatedLogFile extends LogFile {
  /** The path of the log. */
  log: string;
}

/**
 * Inspects a rotated file, which log rotation may have renamed since it was found; undefined if it cannot be read.
 * @throws InputReplaced when it is gone
 */
async function lookAtRotated(
  { path, inode, storedBytes, log }: RotatedLogFile,
  options: LookOptions,
): Promise<Source | undefined> {
  let isThere = true;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const now = (await pathsNow({ path, inode })).find((found) => found !== log);
    isThere = now !== undefined;
    const source = isThere ? await fileSourceKind.look(now as string, options).catch(() => undefined) : undefined;
    const { note } = source ?? {};
    if (note?.inode !== inode) continue;
    if (note.storedBytes >= storedBytes) return source;
    // The file was removed, and a new one has its inode.
    isThere = false;
  }
  if (isThere) return undefined;
  throw new InputReplaced(path);
}

async function unrecognized(
  { path, realPath = path }: FileNote,
  { folders }: LookOptions,
  sinceMilliseconds: number,
): Promise<string[]> {
  const files = await unrecognizedBeside(realPath, folders);
  return files.filter((file) => file.modifiedMilliseconds > sinceMilliseconds).map((file) => file.path);
}

function rotatedFiles(
  { path, realPath = path }: FileNote,
  options: LookOptions,
  inodes?: ReadonlySet<string>,
): Promise<readonly RotatedFile[]> {
  const withLook = (file: LogFile) => ({
    ...file,
    look: () => lookAtRotated({ ...file, log: realPath }, options),
    isBeginningOf: (log: FileNote) => isBeginningOf({ ...file, log: realPath }, log, options),
  });
  return rotatedBefore(realPath, options.folders, inodes).then((files) => files.map(withLook));
}

/** The bytes of a file after decompression, if they are one of the beginnings of what was read of a log. */
async function bytesOfBeginning(
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

/**
 * The note of the first `offset` bytes that a reader has read. If they are not kept and the file was removed or emptied meanwhile,
 * it gets an empty digest, which matches no file.
 */
async function noteUpTo(note: FileNote, offset: number, edges: ReadEdges | undefined): Promise<FileNote> {
  const kept = edges?.digestAt(offset);
  if (kept !== undefined) return { ...note, storedBytes: offset, digest: kept };
  for (const path of await pathsNow(note)) {
    const digest = await withFile(path, async (file) => {
      const stats = await file.stat({ bigint: true });
      const isThere = inodeOf(stats) === note.inode && stats.size >= offset;
      const found = isThere ? await digestEdges(file, offset) : '';
      // Looked at after the digest was made, so that it is not that of new content.
      return (await edges?.areOf(file)) === false ? '' : found;
    }).catch(() => '');
    if (digest !== '') return { ...note, storedBytes: offset, digest };
  }
  return { ...note, storedBytes: offset, digest: '' };
}

/** Where a file is now: at its path, or where log rotation has put it since. */
async function pathsNow({
  path,
  realPath = path,
  inode,
}: Pick<FileNote, 'path' | 'realPath' | 'inode'>): Promise<string[]> {
  const stats = await stat(systemPath(path), { bigint: true }).catch(() => undefined);
  if (stats && inodeOf(stats) === inode) return [path];
  return inode === undefined ? [] : pathsOfInode(dirname(realPath), inode);
}

/** Whether an open file is that of a note. It may have grown. */
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
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
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

/** A file up to an offset. An offset in the decompressed data does not correspond to an offset in the file. */
async function markAt(
  note: FileNote,
  offset: number,
  edges: ReadEdges | undefined,
  hasBeginnings = false,
): Promise<InputMark> {
  return note.isCompressed ? { input: note, position: { offset } } : markUpTo(note, offset, edges, hasBeginnings);
}

function readerOf(note: FileNote, file: OpenFile): InputReader {
  return {
    read: (target) => file.read(target),
    storedBytes: () => file.storedBytes(),
    markAt: (offset, hasBeginnings) => markAt(note, offset, file.edges, hasBeginnings),
    close: () => file.close(),
  };
}

function sourceOf(note: FileNote, options: LookOptions): Source {
  const { path } = note;
  const { isBinary } = options;
  let content: Promise<Content | undefined> | undefined;
  const check = async (file: FileHandle) => {
    if (!(await isFileOf(note, file))) throw new InputReplaced(path);
  };
  const openAt = (offset: number, isBeside = false) =>
    openFile(path, { isBinary, offset, isBeside, openStored: () => openSame(note), check });
  return {
    name: path,
    note,
    mayGrow: !note.isCompressed,
    open: async (position, isBeside = false) =>
      readerOf(note, await openAt(byteOffsetOf(position), isBeside && note.storedBytes >= LEAST_BESIDE_BYTES)),
    markAtStart: () => markAt(note, 0, undefined),
    compare: (known) => compare(known, note),
    bytesOfBeginning: (known) => {
      const found = () => {
        content ??= contentOf(note, isBinary).catch(ifDamaged(undefined));
        return content;
      };
      return bytesOfBeginning(known, note, found);
    },
    bytesAround: async (offset) => firstBytes(await openAt(offset - 1)),
    isSameLog: (known) => known.path !== undefined && isSameLog(known, note),
    rotated: (inodes) => rotatedFiles(note, options, inodes),
    unrecognized: (sinceMilliseconds) => unrecognized(note, options, sinceMilliseconds),
  };
}

export const fileSourceKind: SourceKind = {
  name: 'file',
  async look(request, options) {
    if (typeof request !== 'string') return undefined;
    const found = await stat(systemPath(request)).catch((cause) => {
      throw inputError(request, cause);
    });
    if (found.isDirectory()) throw folderError(request);
    return found.isFile() ? sourceOf(await noteOf(request, options.isBinary), options) : undefined;
  },
  isNote: ({ isFile }) => isFile,
  isPosition: isByteOffset,
};
