// A file as an input. It is recognized by its path and by the bytes at its start and end.

import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { systemPath } from '../paths.js';
import {
  byteOffsetOf,
  firstBytes,
  type InputComparison,
  type InputNote,
  isByteOffset,
  type LookOptions,
  type Source,
  type SourceKind,
} from './contract.js';
import { compressionOf, folderError, inputError, openFile } from './reader.js';

/** Bytes at the start and at the end of a file that its digest covers. */
const EDGE_BYTES = 4096;

async function readEdge(file: FileHandle, bytes: number, position: number): Promise<Uint8Array> {
  const edge = new Uint8Array(bytes);
  const { bytesRead } = await file.read(edge, 0, bytes, position);
  return edge.subarray(0, bytesRead);
}

async function digestEdges(file: FileHandle, bytes: number): Promise<string> {
  const edgeBytes = Math.min(bytes, EDGE_BYTES);
  const hash = createHash('sha256');
  for (const position of [0, bytes - edgeBytes]) hash.update(await readEdge(file, edgeBytes, position));
  return hash.digest('hex');
}

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

function noteOf(path: string, isBinary: boolean): Promise<InputNote> {
  return withFile(path, async (file) => {
    const storedBytes = (await file.stat()).size;
    const isCompressed = compressionOf(path, await readEdge(file, 4, 0), isBinary) !== 'none';
    return { path, isFile: true, isCompressed, storedBytes, digest: await digestEdges(file, storedBytes) };
  });
}

async function compare(known: InputNote, now: InputNote): Promise<InputComparison> {
  if (known.path !== now.path || !known.isFile || known.isCompressed !== now.isCompressed) return 'other';
  if (now.storedBytes < known.storedBytes) return 'other';
  const digest = await withFile(now.path, (file) => digestEdges(file, known.storedBytes));
  if (digest !== known.digest) return 'other';
  return now.storedBytes === known.storedBytes ? 'same' : 'grown';
}

function sourceOf(note: InputNote, { isBinary }: LookOptions): Source {
  const { path } = note;
  const openAt = (offset: number) => openFile(path, { isBinary, offset });
  return {
    name: path,
    note,
    open: (position) => openAt(byteOffsetOf(position)),
    positionAt: (offset) => ({ offset }),
    async noteAt(offset) {
      // An offset in the decompressed data does not correspond to an offset in the file.
      if (note.isCompressed) return note;
      // A file that was removed meanwhile gets an empty digest, which matches no file.
      const digest = await withFile(path, (file) => digestEdges(file, offset)).catch(() => '');
      return { ...note, storedBytes: offset, digest };
    },
    compare: (known) => compare(known, note),
    bytesAround: async (offset) => firstBytes(await openFile(path, { isBinary: false, offset: offset - 1 })),
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
