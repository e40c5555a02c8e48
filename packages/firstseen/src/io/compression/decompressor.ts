// A decompressor takes one piece of compressed data at a time, and gives all that the piece decompresses to. This one works in a
// thread of Node's pool while its caller goes on.

import type * as zlib from 'node:zlib';

/**
 * The bytes that one call of zlib gives at most, if its input can be read again. Most pieces take one call, which makes
 * a whole run a third faster. What the last call before a fault gave is decompressed again, so other streams keep the
 * small default of zlib.
 */
const OUTPUT_BYTES = 2 ** 20;

export interface Decompressor {
  readonly fault: Error | undefined;
  /** True if the compressed data have ended. */
  readonly isEnded: boolean;
  /** Bytes of compressed data that were decompressed without a fault. */
  readonly storedBytes: number;
  /** Decompresses a piece. What it gives is valid until the next call. A fault is kept in `fault`. */
  write(piece: Buffer): Buffer | Promise<Buffer>;
  /** Ends the compressed data. */
  end(): Buffer | Promise<Buffer>;
  close(): void;
}

/** Makes a decompressor of Node. */
export type CreateTransform = (options: object) => zlib.Gunzip;

export interface DecompressorRequest {
  transform: CreateTransform;
  /** True if its input can be read again. */
  isRepeatable: boolean;
}

export type CreateDecompressor = (request: DecompressorRequest) => Decompressor;

export const NO_BYTES = Buffer.alloc(0);

export function createTransform({ transform, isRepeatable }: DecompressorRequest): zlib.Gunzip {
  return transform(isRepeatable ? { chunkSize: OUTPUT_BYTES } : {});
}

class PoolDecompressor implements Decompressor {
  fault: Error | undefined;
  isEnded = false;
  readonly #transform: zlib.Gunzip;
  #found: Buffer[] = [];
  #settle: () => void = () => undefined;

  constructor(transform: zlib.Gunzip) {
    this.#transform = transform;
    transform.on('data', (chunk: Buffer) => this.#found.push(chunk));
    transform.once('end', () => {
      this.isEnded = true;
      this.#settle();
    });
    // After a fault, Node does not call back for the piece.
    transform.on('error', (fault) => {
      this.fault = fault;
      this.#settle();
    });
  }

  get storedBytes(): number {
    return this.#transform.bytesWritten;
  }

  async write(piece: Buffer): Promise<Buffer> {
    if (!this.isEnded && !this.fault) {
      await this.#settled(() => this.#transform.write(piece, () => this.#settle()));
    }
    return this.#take();
  }

  async end(): Promise<Buffer> {
    if (!this.isEnded && !this.fault) await this.#settled(() => this.#transform.end());
    return this.#take();
  }

  close(): void {
    this.#transform.destroy();
  }

  #settled(begin: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      begin();
    });
  }

  #take(): Buffer {
    const found = this.#found;
    this.#found = [];
    return found.length === 1 ? (found[0] as Buffer) : Buffer.concat(found);
  }
}

/** A decompressor in a thread of Node's pool. */
export const createPoolDecompressor: CreateDecompressor = (request) => new PoolDecompressor(createTransform(request));
