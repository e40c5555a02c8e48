// The inputs of a run as they stand before it: what they are, and whether they are those of an earlier run.

import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { FirstseenError } from '../../errors.js';
import { type FormatName, guessFormat } from '../../records/formats.js';
import { STANDARD_STREAM } from '../options.js';
import { compressionOf, IS_FOLDER, inputError } from './reader.js';

/** Bytes at the front of what is known of a file, and again at its end, by which it is known again. */
const EDGE_BYTES = 4096;

/** What is known of an input, so that another one of the same name is not taken for it. */
export interface InputNote {
  path: string;
  /** Standard input, pipes and devices have no place to go back to. */
  isFile: boolean;
  isCompressed: boolean;
  /** Bytes, as stored, that are known: all that were there when the run began, or what was taken of the input at hand. */
  storedBytes: number;
  /** SHA-256 of the first and the last of them, in hexadecimal. */
  digest: string;
}

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

async function withInput<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    const file = await open(path);
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw inputError(path, cause);
  }
}

function lookAtFile(path: string, isBinary: boolean): Promise<InputNote> {
  return withInput(path, async (file) => {
    const storedBytes = (await file.stat()).size;
    const isCompressed = compressionOf(path, await readEdge(file, 4, 0), isBinary) !== 'none';
    return { path, isFile: true, isCompressed, storedBytes, digest: await digestEdges(file, storedBytes) };
  });
}

/**
 * An input as it is now; `isBinary` when it holds binary numbers.
 * @throws FirstseenError E_INPUT when it is not there or is a directory.
 */
export async function lookAtInput(path: string, isBinary: boolean): Promise<InputNote> {
  const stream = { path, isFile: false, isCompressed: false, storedBytes: 0, digest: '' };
  if (path === STANDARD_STREAM) return stream;
  const found = await stat(path).catch((cause) => {
    throw inputError(path, cause);
  });
  if (found.isDirectory()) throw inputError(path, new Error(IS_FOLDER));
  return found.isFile() ? lookAtFile(path, isBinary) : stream;
}

/** The note of an input of which `offset` bytes were taken. What is taken of compressed data says nothing of its file. */
export async function noteTaken(note: InputNote, offset: number): Promise<InputNote> {
  if (!note.isFile || note.isCompressed) return note;
  // A file that was taken away meanwhile has no digest, so nothing is taken for it any more.
  const digest = await withInput(note.path, (file) => digestEdges(file, offset)).catch(() => '');
  return { ...note, storedBytes: offset, digest };
}

/** Whether an input is the one that an earlier run knew, which may have grown since. */
export async function isSameInput(known: InputNote, now: InputNote): Promise<boolean> {
  if (known.path !== now.path || known.isFile !== now.isFile || known.isCompressed !== now.isCompressed) return false;
  if (!known.isFile) return true;
  if (now.storedBytes < known.storedBytes) return false;
  return (await withInput(now.path, (file) => digestEdges(file, known.storedBytes))) === known.digest;
}

/** @throws FirstseenError E_USAGE when the names of the inputs suggest several formats. */
export function commonFormat(inputs: readonly string[]): FormatName {
  const guesses = new Set(inputs.map((path) => guessFormat(path)));
  const [format] = guesses;
  if (format && guesses.size === 1) return format;
  throw new FirstseenError(
    'E_USAGE',
    `the names of the inputs suggest the formats ${[...guesses].join(' and ')}; say which one with --format`,
  );
}
