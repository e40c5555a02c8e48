// A file as an input. It is recognized by the bytes at its start and end, whatever its name is now.

import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FirstseenError } from '../../errors.js';
import { digestEdges, digestOf, EDGE_BYTES, readEdge } from '../edges.js';
import { isSamePath, withoutLinks } from '../identity.js';
import { systemPath } from '../paths.js';
import {
  byteOffsetOf,
  firstBytes,
  type InputComparison,
  type InputNote,
  type InputReader,
  isByteOffset,
  type LookOptions,
  type Source,
  type SourceKind,
} from './contract.js';
import { compressionOf, folderError, inputError, openFile } from './reader.js';

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

/** The device and inode of a file, as text: inodes may need 64 bits. */
export function inodeOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** The note of the file at a path. */
export function noteOf(path: string, isBinary: boolean): Promise<InputNote> {
  return withFile(path, async (file) => {
    const stats = await file.stat({ bigint: true });
    const storedBytes = Number(stats.size);
    const isCompressed = compressionOf(path, await readEdge(file, 4, 0), isBinary) !== 'none';
    const digest = await digestEdges(file, storedBytes);
    const known = { realPath: withoutLinks(path), inode: inodeOf(stats) };
    return { path, ...known, isFile: true, isCompressed, storedBytes, digest };
  });
}

/** The name of a log without what rotation appends to it: `app.log` for `app.log.1`, `app.log-20260131.gz` and `app.log.2.gz`. */
function unrotatedName(path: string): string {
  return basename(path).replace(/([.-]\d[\d.-]*)?(\.(gz|zst))?$/, '');
}

/** Whether a file may be a known one under the name that log rotation gave it. */
function mayBeRotated(known: InputNote, { realPath, inode }: InputNote): boolean {
  if (known.storedBytes === 0 || known.realPath === undefined || realPath === undefined) return false;
  if (known.inode === inode) return true;
  return dirname(known.realPath) === dirname(realPath) && unrotatedName(known.realPath) === unrotatedName(realPath);
}

/** Compares a file that was compressed by log rotation with the note of the file before that. */
async function compareDecompressed(known: InputNote, path: string): Promise<InputComparison> {
  const reader = await openFile(path, { isBinary: false, offset: 0 });
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

async function readBytes(reader: InputReader, bytes: number): Promise<Uint8Array> {
  const target = new Uint8Array(bytes);
  let filled = 0;
  for (let read = 1; read > 0 && filled < bytes; filled += read) read = await reader.read(target.subarray(filled));
  return target.subarray(0, filled);
}

/** The last `edgeBytes` of the first `bytes` bytes, of which `first` has been read; undefined if there are fewer. */
async function readLast(
  reader: InputReader,
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

async function compare(known: InputNote, now: InputNote): Promise<InputComparison> {
  if (!known.isFile || (!isSamePath(known, now) && !mayBeRotated(known, now))) return 'other';
  if (known.isCompressed !== now.isCompressed) {
    const isRotated = now.isCompressed && mayBeRotated(known, now);
    return isRotated ? compareDecompressed(known, now.path).catch(() => 'other' as const) : 'other';
  }
  if (now.storedBytes < known.storedBytes) return 'other';
  const digest = await withFile(now.path, (file) => digestEdges(file, known.storedBytes));
  if (digest !== known.digest) return 'other';
  return now.storedBytes === known.storedBytes ? 'same' : 'grown';
}

/** The files in the folder of an input that may be the known one after log rotation, those with its inode first. */
async function rotatedNames(known: InputNote): Promise<string[]> {
  const { realPath = known.path, inode } = known;
  const folder = dirname(realPath);
  const names = (await readdir(systemPath(folder)).catch(() => [])).filter(
    (name) => name !== basename(realPath) && unrotatedName(name) === unrotatedName(realPath),
  );
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const stats = await stat(systemPath(path), { bigint: true }).catch(() => undefined);
      return { path, isMoved: stats !== undefined && inodeOf(stats) === inode };
    }),
  );
  return found.sort((a, b) => Number(b.isMoved) - Number(a.isMoved)).map(({ path }) => path);
}

async function findMoved(known: InputNote, options: LookOptions): Promise<Source | undefined> {
  for (const path of await rotatedNames(known)) {
    const source = await fileSourceKind.look(path, options).catch(() => undefined);
    if (source && (await source.compare(known)) !== 'other') return source;
  }
  return undefined;
}

/** The note of the first `offset` bytes. A file that was removed meanwhile gets an empty digest, which matches no file. */
async function noteUpTo(note: InputNote, offset: number): Promise<InputNote> {
  for (const path of [note.path, ...(await movedPaths(note))]) {
    const digest = await withFile(path, async (file) => {
      const stats = await file.stat({ bigint: true });
      const isThere = inodeOf(stats) === note.inode && stats.size >= offset;
      return isThere ? digestEdges(file, offset) : '';
    }).catch(() => '');
    if (digest !== '') return { ...note, storedBytes: offset, digest };
  }
  return { ...note, storedBytes: offset, digest: '' };
}

/** Where a file may be now if another one has taken its name. */
async function movedPaths({ path, realPath = path, inode }: InputNote): Promise<string[]> {
  const stats = await stat(systemPath(path), { bigint: true }).catch(() => undefined);
  if (stats && inodeOf(stats) === inode) return [];
  return rotatedNames({ path, realPath, inode } as InputNote);
}

async function isFileOf(note: InputNote, file: FileHandle): Promise<boolean> {
  const stats = await file.stat({ bigint: true });
  if (inodeOf(stats) !== note.inode || Number(stats.size) < note.storedBytes) return false;
  return (await digestEdges(file, note.storedBytes)) === note.digest;
}

/**
 * Opens the file that the run looked at before. It may have grown.
 * @throws FirstseenError E_INPUT when log rotation or a writer has put something else in its place
 */
export async function openSame(note: InputNote): Promise<FileHandle> {
  const file = await open(systemPath(note.path));
  let isSame = false;
  try {
    isSame = await isFileOf(note, file);
  } finally {
    if (!isSame) await file.close();
  }
  if (isSame) return file;
  const problem = `${note.path} was replaced, emptied or changed between a first look and its opening`;
  throw new FirstseenError('E_INPUT', problem, { remedy: 'run the same command again' });
}

function sourceOf(note: InputNote, options: LookOptions): Source {
  const { path } = note;
  const { isBinary } = options;
  const openAt = (offset: number) => openFile(path, { isBinary, offset, openStored: () => openSame(note) });
  return {
    name: path,
    note,
    mayGrow: !note.isCompressed,
    open: (position) => openAt(byteOffsetOf(position)),
    positionAt: (offset) => ({ offset }),
    // An offset in the decompressed data does not correspond to an offset in the file.
    noteAt: async (offset) => (note.isCompressed ? note : noteUpTo(note, offset)),
    compare: (known) => compare(known, note),
    bytesAround: async (offset) => firstBytes(await openAt(offset - 1)),
    findMoved: (known) => findMoved(known, options),
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
