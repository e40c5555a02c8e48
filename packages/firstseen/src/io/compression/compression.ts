// The contract of a compression, and its two sides: chunks that are decompressed, and pieces that are compressed.

import type { CreateDecompressor } from './decompressor.js';

export type Chunks = AsyncIterable<Buffer>;

export interface DecompressRequest {
  /** The name of the input in errors. */
  path: string;
  create: CreateDecompressor;
  /** The same source once more, if it can be read again. */
  readAgain?: (() => Chunks) | undefined;
}

/** The first bytes of a compressed stream; a byte is compared under its mask. */
export interface Beginning {
  readonly bytes: readonly number[];
  readonly masks: readonly number[];
}

/** A compression: a row of compressions.ts. */
export interface Compression {
  readonly name: string;
  /** The ending of the names of its files, if it has one. */
  readonly ending?: string;
  /** Without one, a file is recognized by its ending alone, and a stream never. */
  readonly beginnings: readonly Beginning[];
  /** What chunks decompress to. Everything before a fault in the compressed data is passed on. */
  decompress(chunks: Chunks, request: DecompressRequest): Chunks;
  /**
   * What a whole stream decompresses to.
   * @throws Error of Node with the code ERR_BUFFER_TOO_LARGE when that is longer than `mostBytes`
   */
  decompressAtOnce(stored: Uint8Array, limit: { path: string; mostBytes: number }): Uint8Array;
  /**
   * Compresses a piece to bytes that can follow those of another one. Absent if no output is written in it.
   * @param gzipLevel of gzip; that of zlib by default
   */
  readonly compress?: ((piece: Uint8Array, gzipLevel?: number) => Promise<Uint8Array>) | undefined;
  /** Why no output is written in it, if only this version of Node cannot do it. */
  notWritten?(path: string): Error;
}
