// The inputs of a run as they stand before it: what they are, and whether they are those of an earlier run.

import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { FirstseenError } from '../errors.js';
import { type FormatName, guessFormat } from '../records/formats.js';
import { STANDARD_STREAM } from './options.js';
import type { InputNote } from './statefile.js';

/** Bytes at the front of a file by which it is known again. */
const PREFIX_BYTES = 4096;

export interface InputFile extends InputNote {
  /** Size as it is stored; 0 for what is no file. */
  storedBytes: number;
}

async function digestPrefix(path: string, bytes: number): Promise<{ prefixBytes: number; prefixDigest: string }> {
  const file = await open(path);
  try {
    const prefix = new Uint8Array(bytes);
    const { bytesRead } = await file.read(prefix, 0, bytes, 0);
    const digest = createHash('sha256').update(prefix.subarray(0, bytesRead)).digest('hex');
    return { prefixBytes: bytesRead, prefixDigest: digest };
  } finally {
    await file.close();
  }
}

/** @throws FirstseenError E_INPUT when an input is not there or is a directory. */
export async function lookAtInput(path: string): Promise<InputFile> {
  const stream = { path, isFile: false, storedBytes: 0, prefixBytes: 0, prefixDigest: '' };
  if (path === STANDARD_STREAM) return stream;
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error('it is a directory; name the files in it');
    if (!found.isFile()) return stream;
    return { path, isFile: true, storedBytes: found.size, ...(await digestPrefix(path, PREFIX_BYTES)) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FirstseenError('E_INPUT', `cannot read ${path}: ${reason}`, { cause });
  }
}

/** Whether an input is the one that an earlier run knew: the same name, and the same beginning. */
export async function isSameInput(known: InputNote, now: InputFile): Promise<boolean> {
  if (known.path !== now.path || known.isFile !== now.isFile) return false;
  if (!known.isFile) return true;
  const { prefixDigest } = await digestPrefix(now.path, known.prefixBytes);
  return prefixDigest === known.prefixDigest;
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
