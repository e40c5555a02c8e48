// Reads snapshots from memory and from streams, without a second copy of their cells.

import { type BytesSource, isBytesSource } from '../base/bytes.js';
import { attachedBytes, checkUnlocked } from '../base/check.js';
import { FirstseenError } from '../base/errors.js';
import { brokenSnapshot } from './frame.js';
import type { SnapshotSource } from './parts.js';
import { snapshotSource } from './snapshots.js';

declare global {
  /** Merges with the type of the platform, for programs that have neither the types of Node nor those of a browser. */
  // biome-ignore lint/suspicious/noExplicitAny: the parameter is that of the platform's declaration
  interface ReadableStream<R = any> {}
}

/** A stream of the bytes of a snapshot, in pieces of any length, each an array, a buffer or a view of one. */
export type SnapshotStream = ReadableStream<BytesSource> | AsyncIterable<BytesSource> | Iterable<BytesSource>;

/** A snapshot: its bytes in memory, or a stream of them. */
export type SnapshotInput = BytesSource | SnapshotStream;

/** Tells if a value is a Web stream, a Node stream or an iterable, and not bytes in memory. */
function isStream(value: unknown): value is SnapshotStream {
  if (typeof value !== 'object' || value === null || isBytesSource(value)) return false;
  return Symbol.asyncIterator in value || Symbol.iterator in value || 'getReader' in value;
}

/** Gives the chunks of a stream, also in browsers that cannot iterate a stream. */
async function* chunksOf(stream: SnapshotStream): AsyncGenerator<BytesSource, void, undefined> {
  if (Symbol.asyncIterator in stream || Symbol.iterator in stream) return yield* stream;
  const reader = (stream as ReadableStream<BytesSource>).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}

/** A stream as a source. */
export class StreamSource implements SnapshotSource {
  readonly bytes = undefined;
  readonly #chunks: AsyncGenerator<BytesSource, void, undefined>;
  #rest: Uint8Array = new Uint8Array(0);
  #position = 0;

  constructor(stream: SnapshotStream) {
    this.#chunks = chunksOf(stream);
  }

  readonly readAt = async (target: Uint8Array): Promise<void> => {
    for (let filledBytes = 0; filledBytes < target.length; ) {
      if (this.#rest.length === 0 && !(await this.#next()))
        throw brokenSnapshot(`it ends after ${this.#position} bytes`);
      const part = this.#rest.subarray(0, target.length - filledBytes);
      target.set(part, filledBytes);
      filledBytes += part.length;
      this.#rest = this.#rest.subarray(part.length);
      this.#position += part.length;
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
    if (!isBytesSource(value)) {
      throw new FirstseenError('E_SNAPSHOT', `a chunk of a snapshot has the type ${typeof value}`, {
        given: value,
        expected: 'an array of bytes, a buffer or a view of one',
        remedy: 'pass a stream of bytes',
      });
    }
    this.#rest = attachedBytes(value, 'a chunk of a snapshot', 'E_SNAPSHOT');
    return true;
  }
}

/**
 * Reads a snapshot with `read`, to its end. A stream is closed, also after an error.
 * @throws FirstseenError E_SNAPSHOT when it is neither bytes nor a stream, or has more bytes than a snapshot; E_PARAMETER for a Web
 * stream that has a reader; the error of the stream.
 */
export async function readSnapshot<Result>(
  snapshot: SnapshotInput,
  read: (source: SnapshotSource) => Promise<Result>,
): Promise<Result> {
  if (!isStream(snapshot)) return read(snapshotSource(snapshot));
  checkUnlocked('snapshot', snapshot);
  const source = new StreamSource(snapshot);
  try {
    const result = await read(source);
    await source.checkEnd();
    return result;
  } finally {
    await source.close();
  }
}
