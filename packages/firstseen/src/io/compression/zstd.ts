// Finds where a zstd frame ends (RFC 8878, section 3.1). Node's decompressor silently stops at the end of the first frame, and
// some versions accept a truncated frame as complete. So the decompressor gets one frame at a time.

import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { FirstseenError } from '../../base/errors.js';
import type { Chunks, Compress, DecompressRequest } from './compression.js';
import { dataFollows, decompressedBy } from './decompress.js';
import type { CreateTransform } from './decompressor.js';

const MAGIC_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;
const SKIPPABLE_LENGTH_BYTES = 4;
const RUN_LENGTH_BLOCK = 1;
const FRAME_MAGIC = 0xfd2fb528;
/** The last four bits of the magic number of a skippable frame are arbitrary. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const dictionaryBytes = [0, 1, 2, 4] as const;
const contentSizeBytes = [0, 2, 4, 8] as const;

/** Bytes of a frame header after its descriptor. */
function headerBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const contentSize = contentSizeBytes[(descriptor >> 6) as 0 | 1 | 2 | 3];
  const dictionary = dictionaryBytes[(descriptor & 3) as 0 | 1 | 2 | 3];
  // A single segment has no window byte, but a content size of at least one byte.
  return isSingleSegment ? dictionary + Math.max(1, contentSize) : 1 + dictionary + contentSize;
}

/** The frames of a zstd stream, each as its own chunks. A frame must be read to its end before the next one. */
export class ZstdFrames {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  /** The magic number of the current frame. */
  #magic: Buffer = Buffer.alloc(0);
  #takenBytes = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Moves on to the next frame with data; false at the end, also after zeros as padding. Throws if the next bytes are not a frame. */
  async next(): Promise<boolean> {
    while (await this.#hasMore()) {
      const endByte = this.#takenBytes;
      if (await this.#skipZeros()) {
        if (await this.#hasMore()) throw dataFollows('zstd', endByte);
        return false;
      }
      this.#magic = await this.#take(MAGIC_BYTES);
      const magic = this.#magic.readUInt32LE(0);
      if (magic === FRAME_MAGIC) return true;
      if ((magic & 0xfffffff0) >>> 0 !== SKIPPABLE_MAGIC) throw dataFollows('zstd', endByte);
      await this.#skip((await this.#take(SKIPPABLE_LENGTH_BYTES)).readUInt32LE(0));
    }
    return false;
  }

  async #hasMore(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#rest = value;
    }
    return true;
  }

  /** The bytes of the current frame. Throws if it is truncated. */
  async *frame(): AsyncGenerator<Buffer, void, undefined> {
    const descriptor = await this.#take(1);
    const flags = descriptor[0] as number;
    yield Buffer.concat([this.#magic, descriptor, await this.#take(headerBytes(flags))]);
    for (let isLast = false; !isLast; ) {
      const header = await this.#take(BLOCK_HEADER_BYTES);
      const fields = header.readUIntLE(0, BLOCK_HEADER_BYTES);
      isLast = (fields & 1) === 1;
      const bytes = ((fields >> 1) & 3) === RUN_LENGTH_BLOCK ? 1 : fields >> 3;
      yield Buffer.concat([header, await this.#take(bytes)]);
    }
    if ((flags & 4) !== 0) yield await this.#take(CHECKSUM_BYTES);
  }

  /** Tells if there were zeros. No frame begins with one. */
  async #skipZeros(): Promise<boolean> {
    let hasZeros = false;
    while ((await this.#hasMore()) && this.#rest[0] === 0) {
      const content = this.#rest.findIndex((byte) => byte !== 0);
      this.#rest = this.#rest.subarray(content === -1 ? this.#rest.length : content);
      hasZeros = true;
    }
    return hasZeros;
  }

  async #take(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let bytesToTake = bytes; bytesToTake > 0; ) {
      if (!(await this.#hasMore())) throw new Error('the zstd data is cut short');
      const part = this.#rest.subarray(0, bytesToTake);
      parts.push(part);
      this.#takenBytes += part.length;
      this.#rest = this.#rest.subarray(part.length);
      bytesToTake -= part.length;
    }
    return Buffer.concat(parts);
  }

  async #skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0; ) {
      if (!(await this.#hasMore())) throw new Error('the zstd data is cut short');
      const skipped = Math.min(left, this.#rest.length);
      this.#rest = this.#rest.subarray(skipped);
      this.#takenBytes += skipped;
      left -= skipped;
    }
  }
}

type DecompressAtOnce = (stored: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

type CompressWithCallback = (content: Uint8Array, done: (error: Error | null, stored: Buffer) => void) => void;

interface ZstdFunctions {
  zstdDecompressSync?: DecompressAtOnce;
  zstdCompress?: CompressWithCallback;
  createZstdDecompress?: CreateTransform;
}

/**
 * The functions of Node for zstd, which it has from 22.15 and 23.8 on; the types of Node 20 do not know them. They are read when they are
 * needed, so that a run without compressed files does not load zlib.
 */
export function zstdFunctions(): ZstdFunctions {
  return zlib as ZstdFunctions;
}

/**
 * Decompresses the bytes of a whole stream.
 * @throws FirstseenError E_COMPRESSION when this version of Node cannot decompress it. The packages are loaded too late
 * for that.
 */
export function zstdAtOnce(stored: Uint8Array, { path, maxBytes }: { path: string; maxBytes: number }): Uint8Array {
  const { zstdDecompressSync } = zstdFunctions();
  if (!zstdDecompressSync) {
    const problem = `${path} is a document compressed with zstd, which Node ${process.versions.node} cannot decompress`;
    throw new FirstseenError('E_COMPRESSION', problem, {
      remedy: 'use Node 22.15 or later, or decompress the document',
    });
  }
  return zstdDecompressSync(stored, { maxOutputLength: maxBytes });
}

/** The frames of a zstd stream, decompressed. */
export async function* decompressedFrames(
  source: Chunks,
  { path, create, readAgain }: DecompressRequest,
): AsyncGenerator<Buffer, void, undefined> {
  const frames = new ZstdFrames(source);
  const { createZstdDecompress: transform } = zstdFunctions();
  const createForFrame = transform
    ? () => create({ transform, isRepeatable: readAgain !== undefined })
    : await (await import('./zstdpackages.js')).frameDecompressors(path);
  while (await frames.next()) yield* decompressedBy(createForFrame(), frames.frame());
}

/**
 * Returns the function that compresses each piece to a frame.
 * @throws FirstseenError E_PACKAGE when this version of Node needs a package for it.
 */
export async function frameCompressor(path: string): Promise<Compress> {
  const { zstdCompress } = zstdFunctions();
  return zstdCompress
    ? promisify<Uint8Array, Buffer>(zstdCompress)
    : (await import('./zstdpackages.js')).packageCompressor(path);
}
