// Reads compressed inputs.

import { read } from 'node:fs';
import { promisify } from 'node:util';
import { FirstseenError } from '../../base/errors.js';
import { decompressedBy, gunzipped } from './decompress.js';
import { type CreateDecompressor, createPoolDecompressor, createZstd } from './decompressor.js';
import { StreamReader } from './streamreader.js';
import { ZstdFrames } from './zstd.js';

const STORED_CHUNK_BYTES = 262144;

const readDescriptor = promisify(read);

/** @throws FirstseenError E_COMPRESSION when this version of Node cannot decompress it. */
function checkZstd(path: string): void {
  if (createZstd) return;
  throw new FirstseenError(
    'E_COMPRESSION',
    `${path} is compressed with zstd, which Node ${process.versions.node} cannot decompress`,
    { remedy: 'use Node 22.15 or later, or give the output of "zstd -dc" as standard input' },
  );
}

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
      const reading = this.#read(this.#descriptor, chunk, this.bytesRead);
      this.#reading = Promise.resolve(reading);
      const bytesRead = await reading;
      if (bytesRead === 0) return;
      this.bytesRead += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }
}

type Chunks = AsyncIterable<Buffer>;

export interface DecompressRequest {
  compression: 'gzip' | 'zstd';
  path: string;
  create: CreateDecompressor;
  /** The same source once more, if it can be read again. */
  readAgain?: () => Chunks;
}

async function* decompressedFrames(
  source: Chunks,
  { path, create, readAgain }: DecompressRequest,
): AsyncGenerator<Buffer, void, undefined> {
  const frames = new ZstdFrames(source);
  while (await frames.next()) {
    checkZstd(path);
    const decompressor = create({ compression: 'zstd', isRepeatable: readAgain !== undefined });
    yield* decompressedBy(decompressor, frames.frame());
  }
}

/** Decompresses a source. Everything before a fault in the compressed data is passed on. */
export function decompressed(source: Chunks, request: DecompressRequest): Chunks {
  return request.compression === 'zstd' ? decompressedFrames(source, request) : gunzipped(source, request);
}

/** A compressed file that is open. */
export interface CompressedFile {
  descriptor: number;
  /** Its name in errors. */
  path: string;
  compression: 'gzip' | 'zstd';
  /** The number of decompressed bytes to skip. */
  offset: number;
}

/** Reads from a position of an open file; the number of bytes that were read. */
export type ReadStored = (descriptor: number, target: Uint8Array, position: number) => number | Promise<number>;

/** How a compressed file is read and decompressed. */
export interface Decompression {
  create: CreateDecompressor;
  readStored: ReadStored;
}

/** In threads of Node's pool, while the caller goes on. */
const inPool: Decompression = {
  create: createPoolDecompressor,
  readStored: async (descriptor, target, position) =>
    (await readDescriptor(descriptor, target, 0, target.length, position)).bytesRead,
};

/** A reader of a compressed file, which does not close the file. */
export async function openCompressed(
  { descriptor, path, compression, offset }: CompressedFile,
  { create, readStored }: Decompression = inPool,
): Promise<StreamReader> {
  const stored = new StoredChunks(descriptor, readStored);
  const chunks = decompressed(stored.chunks(), { compression, path, create, readAgain: () => stored.chunks() });
  const close = () => stored.close();
  const reader = new StreamReader(chunks, { path, storedBytes: () => stored.bytesRead, close });
  await reader.skip(offset);
  return reader;
}
