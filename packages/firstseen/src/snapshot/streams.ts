// Saves detectors to streams and loads them from streams, without a second copy of their cells in memory.

import { type BytesSource, isBytes, isBytesSource } from '../base/bytes.js';
import { checkAttached, checkOptions, checkUnlocked } from '../base/check.js';
import { tell } from '../base/diagnostics.js';
import { FirstseenError, invalidOption } from '../base/errors.js';
import type { Detector } from '../detectors/detector.js';
import { ChecksumOfPieces, checksumKernel, PIECE_BYTES } from './checksum.js';
import { brokenSnapshot, encodeTrailer } from './frame.js';
import { type LoadOptions, loadOptionNames, readAsked } from './load.js';
import {
  checkSavable,
  checkUnchanged,
  copyNote,
  emptyNote,
  partsOf,
  registersOf,
  type Savable,
  type SnapshotSource,
  snapshotSource,
} from './snapshots.js';

declare global {
  /** Merges with the type of the platform, for programs that have neither the types of Node nor those of a browser. */
  // biome-ignore lint/suspicious/noExplicitAny: the parameter is that of the platform's declaration
  interface ReadableStream<R = any> {}
  /** As `ReadableStream`. */
  // biome-ignore lint/suspicious/noExplicitAny: the parameter is that of the platform's declaration
  interface WritableStream<W = any> {}
}

/** A stream of the bytes of a snapshot, in pieces of any length. */
export type SnapshotStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * The snapshot of a detector in chunks of at most 1 MiB, for streams, without a copy of the cells. The detector must not be used from
 * the call on until the last chunk is taken; `save` is for a detector that is in use.
 * @param note as for `save`; it is copied during the call
 * @throws FirstseenError E_PARAMETER when the note is too long; E_USAGE, by the next chunk, when the detector was used.
 */
export function snapshotChunks(
  saved: Savable,
  note: Uint8Array = emptyNote,
): AsyncGenerator<Uint8Array, void, undefined> {
  checkSavable(saved);
  const { parts } = partsOf(saved, copyNote(note));
  return chunksOfParts(saved, parts, registersOf(saved).slice());
}

/** @param registers those of what is saved when it had the parts */
async function* chunksOfParts(
  saved: Savable,
  parts: readonly Uint8Array[],
  registers: BigUint64Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  const kernel = await checksumKernel(saved.kernelModule);
  let snapshotBytes = 0;
  for (const part of parts) {
    const checksum = new ChecksumOfPieces(kernel);
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      checkUnchanged(saved, registers);
      // A copy, because the receiver may keep it.
      const chunk = part.slice(at, at + PIECE_BYTES);
      checksum.add(chunk);
      yield chunk;
    }
    const trailer = encodeTrailer(checksum.end());
    snapshotBytes += part.length + trailer.length;
    yield trailer;
  }
  tell('save', () => ({ detector: saved, snapshotBytes }));
}

/** @throws FirstseenError E_PARAMETER unless the value is a Web stream to write to. */
function checkWritable(value: unknown): void {
  const { getWriter } = (value ?? {}) as Partial<WritableStream>;
  if (typeof getWriter !== 'function') {
    throw invalidOption({ option: 'stream', given: value, expected: 'a WritableStream' });
  }
  checkUnlocked('stream', value);
}

/**
 * Writes the snapshot of a detector to a Web stream and closes it, without a copy of the cells. The detector must not be used from the
 * call on until the promise resolves; `save` is for a detector that is in use.
 * @param note as for `save`
 * @throws FirstseenError E_PARAMETER when the note is too long, before anything is written; E_USAGE when the detector was used, and the
 * stream is aborted; the error of the stream.
 */
export async function saveTo(saved: Savable, stream: WritableStream<Uint8Array>, note?: Uint8Array): Promise<void> {
  checkSavable(saved);
  checkWritable(stream);
  const chunks = snapshotChunks(saved, note);
  const writer = stream.getWriter();
  try {
    for await (const chunk of chunks) await writer.write(chunk);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    throw error;
  } finally {
    writer.releaseLock();
  }
}

/** @throws FirstseenError E_PARAMETER unless the value is a stream to read from. */
function checkReadable(value: unknown): void {
  const isReadable = (stream: object) =>
    Symbol.asyncIterator in stream || Symbol.iterator in stream || 'getReader' in stream;
  if (isBytesSource(value)) {
    throw invalidOption({
      ...{ option: 'stream', given: value, givenText: 'bytes in memory' },
      ...{
        expected: 'a ReadableStream, or an iterable of bytes',
        remedy: 'use load, which takes the bytes of a snapshot',
      },
    });
  }
  if (!(typeof value === 'object' && value !== null && isReadable(value))) {
    throw invalidOption({ option: 'stream', given: value, expected: 'a ReadableStream, or an iterable of bytes' });
  }
  checkUnlocked('stream', value);
}

/** Not every browser can iterate a stream. */
async function* chunksOf(stream: SnapshotStream): AsyncGenerator<Uint8Array, void, undefined> {
  if (Symbol.asyncIterator in stream || Symbol.iterator in stream) return yield* stream;
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}

/** A stream as a source. */
class StreamSource implements SnapshotSource {
  readonly bytes = undefined;
  readonly #chunks: AsyncGenerator<Uint8Array, void, undefined>;
  #rest: Uint8Array = new Uint8Array(0);
  #position = 0;

  constructor(stream: SnapshotStream) {
    this.#chunks = chunksOf(stream);
  }

  readonly readAt = async (target: Uint8Array): Promise<void> => {
    for (let filled = 0; filled < target.length; ) {
      if (this.#rest.length === 0 && !(await this.#next()))
        throw brokenSnapshot(`it ends after ${this.#position} bytes`);
      const taken = this.#rest.subarray(0, target.length - filled);
      target.set(taken, filled);
      filled += taken.length;
      this.#rest = this.#rest.subarray(taken.length);
      this.#position += taken.length;
    }
  };

  /** @throws FirstseenError E_SNAPSHOT when the stream goes on. */
  async checkEnd(): Promise<void> {
    while (this.#rest.length === 0) if (!(await this.#next())) return;
    throw brokenSnapshot(`it should have ${this.#position} bytes, but has more`);
  }

  async close(): Promise<void> {
    await this.#chunks.return();
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    if (!isBytes(value)) {
      throw new FirstseenError('E_SNAPSHOT', `a chunk of a snapshot has the type ${typeof value}`, {
        given: value,
        expected: 'a Uint8Array',
        remedy: 'pass a stream of bytes',
      });
    }
    checkAttached(value, 'a chunk of a snapshot', 'E_SNAPSHOT');
    this.#rest = value;
    return true;
  }
}

/** Reads what a stream has with `read`, to its end. The stream is closed, also after an error. */
async function readStream<Result>(
  stream: SnapshotStream,
  read: (source: SnapshotSource) => Promise<Result>,
): Promise<Result> {
  checkReadable(stream);
  const source = new StreamSource(stream);
  try {
    const result = await read(source);
    await source.checkEnd();
    return result;
  } finally {
    await source.close();
  }
}

/** The same for a snapshot in memory or a stream. */
export async function readSnapshot<Result>(
  snapshot: BytesSource | SnapshotStream,
  read: (source: SnapshotSource) => Promise<Result>,
): Promise<Result> {
  return isBytesSource(snapshot) ? read(snapshotSource(snapshot)) : readStream(snapshot, read);
}

/**
 * The detector of a snapshot that a stream has: a Web stream, a Node stream, or an iterable of bytes.
 * @throws FirstseenError as `load`; the error of the stream.
 */
export async function loadFrom(stream: SnapshotStream, options: LoadOptions = {}): Promise<Detector> {
  checkOptions(options, loadOptionNames);
  return readStream(stream, (source) => readAsked(source, options));
}
