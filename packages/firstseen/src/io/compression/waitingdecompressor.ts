// A decompressor that works in the thread of its caller, for a thread that does nothing else. Node hands over each piece to a thread
// of its pool, which takes a quarter more processor time, and twice the time while other threads use the processors.

import {
  type CreateDecompressor,
  createPoolDecompressor,
  createTransform,
  type Decompressor,
  NO_BYTES,
} from './decompressor.js';

/** The part of a decompressor of Node that works in the thread of its caller. Node keeps it for programs that use it. */
interface ZlibTransform {
  _handle: { close(): void } | null;
  /** Returns the bytes that a piece decompresses to, valid until the next call. Closes the handle. */
  _processChunk(piece: Uint8Array, flush: number): Buffer;
  /** Bytes that the last call took. */
  bytesWritten: number;
  removeAllListeners(event: 'error'): void;
  on(event: 'error', listener: () => void): void;
}

/** The values of zlib: go on, and end. */
const Z_NO_FLUSH = 0;
const Z_FINISH = 4;

function isZlibTransform(transform: object): transform is ZlibTransform {
  return '_processChunk' in transform && '_handle' in transform;
}

class WaitingDecompressor implements Decompressor {
  fault: Error | undefined;
  isEnded = false;
  storedBytes = 0;
  readonly #transform: ZlibTransform;
  readonly #handle: { close(): void };
  readonly #closeHandle: () => void;

  constructor(transform: ZlibTransform, handle: { close(): void }) {
    this.#transform = transform;
    this.#handle = handle;
    this.#closeHandle = handle.close.bind(handle);
    handle.close = () => undefined;
  }

  write(piece: Buffer): Buffer {
    const found = this.#process(piece, Z_NO_FLUSH);
    if (found === NO_BYTES) return found;
    // What follows the end is left.
    const takenBytes = this.#transform.bytesWritten;
    this.storedBytes += takenBytes;
    this.isEnded = takenBytes < piece.length;
    return found;
  }

  end(): Buffer {
    return this.#process(NO_BYTES, Z_FINISH);
  }

  close(): void {
    this.#closeHandle();
  }

  /** `NO_BYTES` after the end or a fault. */
  #process(piece: Buffer, flush: number): Buffer {
    if (this.isEnded || this.fault) return NO_BYTES;
    this.#transform._handle = this.#handle;
    try {
      return this.#transform._processChunk(piece, flush);
    } catch (fault) {
      this.fault = fault as Error;
      return NO_BYTES;
    } finally {
      // Each call adds a listener. After a fault, Node reports it a second time.
      this.#transform.removeAllListeners('error');
      this.#transform.on('error', () => undefined);
    }
  }
}

/** A decompressor in the thread of the caller, or in Node's pool if Node has no other. */
export const createWaitingDecompressor: CreateDecompressor = (request) => {
  const transform = createTransform(request);
  if (!isZlibTransform(transform) || transform._handle === null) return createPoolDecompressor(request);
  return new WaitingDecompressor(transform, transform._handle);
};
