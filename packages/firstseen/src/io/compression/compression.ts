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
  /** The first bytes of its files. Without any, a file is recognized by its ending alone, and a stream never. */
  readonly beginnings: readonly Beginning[];
  /** Decompresses chunks. Everything before a fault in the compressed data is passed on. */
  decompress(chunks: Chunks, request: DecompressRequest): Chunks;
  /**
   * Decompresses a whole stream.
   * @throws Error of Node with the code ERR_BUFFER_TOO_LARGE when the result is longer than `maxBytes`
   */
  decompressAtOnce(stored: Uint8Array, limit: { path: string; maxBytes: number }): Uint8Array;
  /**
   * Makes what compresses the pieces of an output. Absent if no output is written in it.
   * @throws FirstseenError E_PACKAGE when a package is missing that this version of Node needs for it.
   */
  readonly compressor?: (output: CompressedOutput) => Promise<Compress>;
}

/** An output that is to be compressed. */
export interface CompressedOutput {
  /** Its name in errors. */
  path: string;
  /** The level of gzip; that of zlib by default. */
  gzipLevel?: number | undefined;
}

/** Compresses a piece to bytes that can follow those of another one. */
export type Compress = (piece: Uint8Array) => Promise<Uint8Array>;
