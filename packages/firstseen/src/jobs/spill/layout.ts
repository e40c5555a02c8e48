// How a run that spills divides its memory. The first reading fills one buffer for each partition. Settling, which follows, uses the
// same memory for a part of the bitmap, a block of entries and a table. The second reading uses the part of the bitmap.

import type { InputNote } from '../../io/source.js';
import {
  CACHE_LINE_BYTES,
  SPILL_ENTRY_BYTES,
  SPILL_MOST_PARTITION_BITS,
  SPILL_RECENT_ENTRIES,
  U64_RECORD_BYTES,
} from '../../kernel/abi.js';
import type { InputFormatName } from '../../records/formats.js';

/** Less memory would make writes too small. */
export const LEAST_SPILL_BYTES = 2 ** 20;

/** Smaller writes and reads would cost more than the copying. */
const LEAST_BUFFER_BYTES = 64 * 2 ** 10;
const MOST_BUFFER_BYTES = 2 ** 20;
/** Entries of a partition whose table fits in a second-level cache or not far beyond. */
const PARTITION_ENTRIES = 2 ** 17;
/** Shorter records are rare. Fewer entries than estimated cost nothing but smaller buffers. */
const RECORD_BYTES = 32;
/** Text compresses to about an eighth at best. */
const COMPRESSION = 8;
const FILL_BYTES = 4;
const RECENT_BYTES = SPILL_RECENT_ENTRIES * SPILL_ENTRY_BYTES;
const BITS_PER_BYTE = 8;

export interface SpillLayout {
  /** The buffers of the first reading, one for each of 2^partitionBits partitions. */
  partitionBits: number;
  buffersOffset: number;
  bufferBytes: number;
  /** The part of the bitmap that is in memory, and the number of keys that it covers. */
  windowOffset: number;
  windowNumbers: number;
  /** The block of entries that is being settled; it has the size of a buffer. */
  blockOffset: number;
  /** The table, and the largest number of bits of its slots. */
  tableOffset: number;
  mostTableBits: number;
}

/** The number of keys to expect at most, from the sizes of the inputs; infinite for inputs of unknown size. */
export function expectedKeys(inputs: readonly InputNote[], format: InputFormatName | undefined): number {
  const recordBytes = format === 'u64' ? U64_RECORD_BYTES : RECORD_BYTES;
  let bytes = 0;
  for (const { isFile, isCompressed, storedBytes } of inputs) {
    bytes += isFile ? storedBytes * (isCompressed ? COMPRESSION : 1) : Number.POSITIVE_INFINITY;
  }
  return bytes / recordBytes;
}

function wholeEntries(bytes: number): number {
  return Math.floor(bytes / CACHE_LINE_BYTES) * CACHE_LINE_BYTES;
}

/** @param memory the memory to divide, of at least LEAST_SPILL_BYTES bytes */
export function layOutSpill(memory: { offset: number; bytes: number }, keys: number): SpillLayout {
  const { offset, bytes } = memory;
  const bufferSpace = bytes - RECENT_BYTES;
  const mostBits = Math.min(SPILL_MOST_PARTITION_BITS, Math.floor(Math.log2(bufferSpace / LEAST_BUFFER_BYTES)));
  const wantedBits = Math.ceil(Math.log2(Math.max(2, keys / PARTITION_ENTRIES)));
  const partitionBits = Math.min(mostBits, wantedBits);
  const bufferBytes = Math.min(MOST_BUFFER_BYTES, wholeEntries(bufferSpace / 2 ** partitionBits - FILL_BYTES));
  const windowBytes = wholeEntries(bytes / 4);
  const blockOffset = offset + windowBytes;
  const tableOffset = blockOffset + bufferBytes;
  const mostTableBits = Math.floor(Math.log2((offset + bytes - tableOffset) / SPILL_ENTRY_BYTES));
  return {
    partitionBits,
    buffersOffset: offset,
    bufferBytes,
    windowOffset: offset,
    windowNumbers: windowBytes * BITS_PER_BYTE,
    blockOffset,
    tableOffset,
    mostTableBits,
  };
}
