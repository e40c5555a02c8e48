// Decompresses in pieces, so that everything before a fault is passed on. Read as a stream, a decompressor of Node drops what it
// has decompressed but not yet delivered when it finds a fault.

import { createGunzip } from 'node:zlib';
import type { Chunks, DecompressRequest } from './compression.js';
import { createPoolDecompressor, type Decompressor } from './decompressor.js';

/** Small enough that a piece that decompresses to a thousand times its size still fits in memory. */
const PIECE_BYTES = 32768;
/** The maximum number of bytes that are kept of a stream that cannot be read again, to decompress it again. */
const MAX_KEPT_BYTES = 4 * 2 ** 20;

async function* piecesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
  }
}

/** Decompresses chunks. At a fault, everything before it that the decompressor delivered comes first. */
export async function* decompressedBy(
  decompressor: Decompressor,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const piece of piecesOf(chunks)) {
      const output = await decompressor.write(piece);
      if (output.length > 0) yield output;
      if (decompressor.fault) throw decompressor.fault;
    }
    const lastOutput = await decompressor.end();
    if (lastOutput.length > 0) yield lastOutput;
    if (decompressor.fault) throw decompressor.fault;
  } finally {
    decompressor.close();
  }
}

/** The position at which a decompressor found damaged data. */
interface FaultPosition {
  /** Compressed bytes that were decompressed without a fault. */
  storedBytes: number;
  /** Bytes they decompressed to, which were passed on. */
  passedBytes: number;
}

/** The compressed chunks, one byte each from `storedBytes` on. */
async function* byteByByte(chunks: AsyncIterable<Buffer>, storedBytes: number): AsyncGenerator<Buffer> {
  let left = storedBytes;
  for await (const chunk of chunks) {
    const whole = Math.min(left, chunk.length);
    left -= whole;
    if (whole > 0) yield chunk.subarray(0, whole);
    for (let at = whole; at < chunk.length; at++) yield chunk.subarray(at, at + 1);
  }
}

/**
 * Yields the bytes that were decompressed before the fault but not delivered. zlib does not say how much it wrote in a
 * call that finds a fault, so the data are decompressed again, in the end one byte at a time. Returns the position of
 * the byte at fault.
 */
async function* restBefore(
  { storedBytes, passedBytes }: FaultPosition,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, number, undefined> {
  const gunzip = createPoolDecompressor({ transform: createGunzip, isRepeatable: false });
  let bytesToSkip = passedBytes;
  try {
    for await (const chunk of decompressedBy(gunzip, byteByByte(chunks, storedBytes))) {
      const skippedBytes = Math.min(bytesToSkip, chunk.length);
      bytesToSkip -= skippedBytes;
      if (skippedBytes < chunk.length) yield chunk.subarray(skippedBytes);
    }
  } catch {
    // The caller throws the fault that it found first.
  }
  return gunzip.storedBytes;
}

/** Keeps the chunks of a stream until they are too many. */
class KeptChunks {
  #kept: Buffer[] | undefined = [];
  #bytes = 0;

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_KEPT_BYTES) this.#kept = undefined;
    // A stream may use the memory of a chunk again.
    this.#kept?.push(Buffer.from(chunk));
  }

  async *again(): AsyncGenerator<Buffer, void, undefined> {
    yield* this.#kept ?? [];
  }

  get isComplete(): boolean {
    return this.#kept !== undefined;
  }
}

function isDamage(fault: unknown): fault is Error {
  return fault instanceof Error && 'code' in fault && fault.code === 'Z_DATA_ERROR';
}

/** The error for what follows the end of a compressed stream and is not padding; `endByte` is where the stream ends. */
export function dataFollows(compression: string, endByte: number): Error {
  return new Error(
    `data follows the end of the ${compression} stream at byte ${endByte}; to do without it, read only what is before (head -c ${endByte})`,
  );
}

/** The message of zlib about a member whose first two bytes are not those of gzip. */
const NO_HEADER = 'incorrect header check';

/** A fault of zlib in words that say what is wrong with the stream. `atByte` is the position of the byte at fault, if it is known. */
function explained(fault: Error, atByte: number | undefined): Error {
  if (fault.message !== NO_HEADER) return fault;
  if (atByte === undefined) return new Error('data follows the end of the gzip stream');
  // The second byte shows that the header is none.
  return atByte < 2 ? new Error('it is not gzip data') : dataFollows('gzip', atByte - 1);
}

/**
 * The members of a gzip stream, decompressed. Zeros at the end are padding, as gzip(1) takes them. Node's decompressor stops at
 * them silently, even if more members follow, as when a member is appended to a file that lost its end.
 */
export async function* gunzipped(
  chunks: Chunks,
  { create, readAgain }: Pick<DecompressRequest, 'create' | 'readAgain'>,
): AsyncGenerator<Buffer, void, undefined> {
  const gunzip = create({ transform: createGunzip, isRepeatable: readAgain !== undefined });
  const keptChunks = readAgain ? undefined : new KeptChunks();
  let storedBytes = 0;
  let bytesToLastContent = 0;
  let passedBytes = 0;
  const countedChunks = async function* (): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      keptChunks?.add(chunk);
      const last = chunk.findLastIndex((byte) => byte !== 0);
      if (last >= 0) bytesToLastContent = storedBytes + last + 1;
      storedBytes += chunk.length;
      yield chunk;
    }
  };
  try {
    for await (const chunk of decompressedBy(gunzip, countedChunks())) {
      passedBytes += chunk.length;
      yield chunk;
    }
  } catch (fault) {
    if (!isDamage(fault)) throw fault;
    const chunksAgain = readAgain ?? (keptChunks?.isComplete ? () => keptChunks.again() : undefined);
    const position = { storedBytes: gunzip.storedBytes, passedBytes };
    throw explained(fault, chunksAgain && (yield* restBefore(position, chunksAgain())));
  }
  if (bytesToLastContent > gunzip.storedBytes) throw dataFollows('gzip', gunzip.storedBytes);
}
