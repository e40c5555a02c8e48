// Reads chunks that are produced one after the other.

import type { FirstseenError } from '../../base/errors.js';
import { type ByteReader, DamagedInput } from '../source.js';
import { inputError } from '../system/inputerror.js';
import { NO_BYTES } from './decompressor.js';

/** The error for a stream that cannot be read on: its content is damaged, unless the system or this program says what the matter is. */
function faultOf(path: string, cause: unknown): FirstseenError {
  const error = inputError(path, cause);
  const { syscall, code } = cause as NodeJS.ErrnoException;
  // A stream that this program closes, because the run ends, ends before its content. Packages of zstd have numbers as codes.
  const isClosed = String(code).startsWith('ERR_STREAM_');
  const isDamage = error !== cause && syscall === undefined && !isClosed;
  return isDamage ? new DamagedInput(error.data.problem, error.data.details) : error;
}

export interface StreamParts {
  path: string;
  storedBytes: () => number;
  close: () => Promise<void>;
}

/** Chunks. The next one is produced while the last one is used. */
export class StreamReader implements ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #close: () => Promise<void>;
  readonly #path: string;
  readonly #storedBytes: () => number;
  /** The rest of the last chunk. */
  #rest: Uint8Array = NO_BYTES;
  #producing: Promise<void> | undefined;
  /** True if nothing more can be produced. If that is because of a fault, `#fault` is set. */
  #isEnded = false;
  #fault: FirstseenError | undefined;

  constructor(chunks: AsyncIterable<Buffer>, { path, storedBytes, close }: StreamParts) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#close = close;
    this.#path = path;
    this.#storedBytes = storedBytes;
  }

  async read(target: Uint8Array): Promise<number> {
    const taken = await this.#take(target.length);
    if (taken.length === 0 && this.#fault) throw this.#fault;
    // What was taken is valid until the next chunk is produced.
    target.set(taken);
    if (this.#rest.length === 0) void this.#produce();
    return taken.length;
  }

  /** Skips the first `bytes` bytes. */
  async skip(bytes: number): Promise<void> {
    for (let left = bytes, skipped = 1; skipped > 0; left -= skipped) {
      skipped = (await this.#take(left)).length;
    }
  }

  storedBytes(): number {
    return this.#storedBytes();
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Takes at most `bytes` bytes of what is left of a chunk; none at the end or at a fault. */
  async #take(bytes: number): Promise<Uint8Array> {
    while (this.#rest.length === 0 && !this.#isEnded) await this.#produce();
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** Produces the next chunk, in place of the last one. */
  #produce(): Promise<void> {
    this.#producing ??= this.#next().finally(() => {
      this.#producing = undefined;
    });
    return this.#producing;
  }

  async #next(): Promise<void> {
    try {
      const { done, value } = await this.#chunks.next();
      if (done) this.#isEnded = true;
      else this.#rest = value;
    } catch (cause) {
      this.#isEnded = true;
      this.#fault = faultOf(this.#path, cause);
    }
  }
}
