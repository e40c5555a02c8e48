// Reads files that are compressed.

import { read } from 'node:fs';
import { promisify } from 'node:util';
import type { CompressedFile } from '../source.js';
import { processorsHere } from '../system/limits.js';
import { compressionNamed } from './compressions.js';
import { type CreateDecompressor, createPoolDecompressor } from './decompressor.js';
import { StreamReader } from './streamreader.js';
import { createWaitingDecompressor } from './waitingdecompressor.js';

const STORED_CHUNK_BYTES = 262144;

const readDescriptor = promisify(read);

/** The chunks of an open file from its start, as often as they are needed, even if another file takes its name. */
class StoredChunks {
  readonly #descriptor: number;
  readonly #read: ReadStored;
  bytesRead = 0;
  #reading: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(descriptor: number, readStored: ReadStored) {
    this.#descriptor = descriptor;
    this.#read = readStored;
  }

  /** Resolves when nothing is read any more, so that the file can be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reading.catch(() => undefined);
  }

  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    this.bytesRead = 0;
    while (!this.#isClosed) {
      const chunk = Buffer.allocUnsafe(STORED_CHUNK_BYTES);
      const pendingRead = this.#read(this.#descriptor, chunk, this.bytesRead);
      this.#reading = Promise.resolve(pendingRead);
      const bytesRead = await pendingRead;
      if (bytesRead === 0) return;
      this.bytesRead += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }
}

/** Reads from a position of an open file; the number of bytes that were read. */
export type ReadStored = (descriptor: number, target: Uint8Array, position: number) => number | Promise<number>;

/** The functions and settings by which a compressed file is read and decompressed. */
export interface Decompression {
  create: CreateDecompressor;
  readStored: ReadStored;
}

/**
 * Returns a decompression in threads of Node's pool. With one processor nothing could go on meanwhile, so it decompresses
 * in the thread of the caller.
 */
export function decompressionFor(processors: number): Decompression {
  return {
    create: processors === 1 ? createWaitingDecompressor : createPoolDecompressor,
    readStored: async (descriptor, target, position) =>
      (await readDescriptor(descriptor, target, 0, target.length, position)).bytesRead,
  };
}

/** A reader of a compressed file, which does not close the file. */
export async function openCompressed(
  { descriptor, path, compression, offset }: CompressedFile,
  { create, readStored }: Decompression = decompressionFor(processorsHere()),
): Promise<StreamReader> {
  const storedChunks = new StoredChunks(descriptor, readStored);
  const request = { path, create, readAgain: () => storedChunks.chunks() };
  const chunks = compressionNamed(compression).decompress(storedChunks.chunks(), request);
  const close = () => storedChunks.close();
  const reader = new StreamReader(chunks, { path, storedBytes: () => storedChunks.bytesRead, close });
  await reader.skip(offset);
  return reader;
}
