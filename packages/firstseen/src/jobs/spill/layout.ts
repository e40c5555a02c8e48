// How a run that spills divides its memory. The first reading fills one buffer for each partition. Settling, which follows, uses the
// same memory for parts of bitmaps, a block of entries and a table, and for buffers of counts. The second reading uses the parts of
// bitmaps, and a range of counts.

import type { InputNote } from '../../io/source.js';
import {
  CACHE_LINE_BYTES,
  SPILL_ENTRY_BYTES,
  SPILL_MAX_PARTITION_BITS,
  SPILL_RECENT_ENTRIES,
  U64_RECORD_BYTES,
} from '../../kernel/abi.js';
import type { InputFormatName } from '../../records/formats.js';

/** Less memory would make writes too small. */
export const MIN_SPILL_BYTES = 2 ** 20;

/** Smaller writes and reads would cost more than the copying. */
const MIN_BUFFER_BYTES = 64 * 2 ** 10;
const MAX_BUFFER_BYTES = 2 ** 20;
/** Entries of a partition whose table fits in a second-level cache or not far beyond. */
const PARTITION_ENTRIES = 2 ** 17;
/** Shorter records are rare. Fewer entries than estimated cost nothing but smaller buffers. */
const RECORD_BYTES = 32;
/** Text compresses to about an eighth at best. */
const COMPRESSION = 8;
const FILL_BYTES = 4;
const RECENT_BYTES = SPILL_RECENT_ENTRIES * SPILL_ENTRY_BYTES;
const BITS_PER_BYTE = 8;
/** The bytes of a count in memory. */
export const COUNT_BYTES = 8;
const ADDRESS_BYTES = 4;
/** A count on disk has 24 bits for its number in a range. */
const MAX_RANGE_NUMBERS = 2 ** 24;

/** The part of a bitmap that is in memory, and the number of keys that it covers. */
export interface BitmapLayout {
  windowOffset: number;
  windowNumbers: number;
}

export interface CountsLayout {
  /** The buffers of all ranges, while partitions are settled. */
  buffersOffset: number;
  buffersBytes: number;
  /** The counts of a range, and a block of them that is being read, in the second reading. */
  windowOffset: number;
  windowNumbers: number;
  blockOffset: number;
}

/** The data that settling makes in addition to the bitmap of the kept records. */
export interface SpillNeeds {
  /** A bitmap of the records that are chosen. */
  choice: boolean;
  /** The count of each key. */
  counts: boolean;
  /** The best rank of each key. */
  ranks: boolean;
}

export interface SpillLayout extends BitmapLayout {
  /** The buffers of the first reading, one for each of 2^partitionBits partitions. */
  partitionBits: number;
  buffersOffset: number;
  bufferBytes: number;
  /** The second bitmap. */
  choice: BitmapLayout;
  counts: CountsLayout;
  /** The block of entries that is being settled; it has the size of a buffer. */
  blockOffset: number;
  /** The table, and the largest number of bits of its slots. */
  tableOffset: number;
  maxTableBits: number;
  /** The end of the memory, and of the ranks that follow the table. */
  end: number;
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

/** Returns the bytes of a slot of the table: an entry, its count if there is one, and the address of its rank. */
export function slotBytesFor({ choice, counts, ranks }: SpillNeeds): number {
  return SPILL_ENTRY_BYTES + (choice || counts ? COUNT_BYTES : 0) + (ranks ? ADDRESS_BYTES : 0);
}

/** The buffers of the first reading. */
function layOutBuffers(bytes: number, keys: number): Pick<SpillLayout, 'partitionBits' | 'bufferBytes'> {
  const bufferSpace = bytes - RECENT_BYTES;
  const maxBits = Math.min(SPILL_MAX_PARTITION_BITS, Math.floor(Math.log2(bufferSpace / MIN_BUFFER_BYTES)));
  const wantedBits = Math.ceil(Math.log2(Math.max(2, keys / PARTITION_ENTRIES)));
  const partitionBits = Math.min(maxBits, wantedBits);
  const bufferBytes = Math.min(MAX_BUFFER_BYTES, wholeEntries(bufferSpace / 2 ** partitionBits - FILL_BYTES));
  return { partitionBits, bufferBytes };
}

/** A range of counts and its block take the place of the buffers, the block of entries and a part of the table. */
function layOutCounts(offset: number, bytes: number): CountsLayout {
  const windowNumbers = Math.min(MAX_RANGE_NUMBERS, wholeEntries(bytes / 4) / COUNT_BYTES);
  return {
    buffersOffset: offset,
    buffersBytes: wholeEntries(bytes / 8),
    windowOffset: offset,
    windowNumbers,
    blockOffset: offset + windowNumbers * COUNT_BYTES,
  };
}

/** @param memory the memory to divide, of at least MIN_SPILL_BYTES bytes */
export function layOutSpill(
  memory: { offset: number; bytes: number },
  keys: number,
  needs: SpillNeeds = { choice: false, counts: false, ranks: false },
): SpillLayout {
  const { offset, bytes } = memory;
  const { partitionBits, bufferBytes } = layOutBuffers(bytes, keys);
  const bitmapBytes = wholeEntries(bytes / (needs.choice ? 8 : 4));
  const windowNumbers = bitmapBytes * BITS_PER_BYTE;
  const choice = { windowOffset: offset + bitmapBytes, windowNumbers };
  const counts = layOutCounts(needs.choice ? choice.windowOffset + bitmapBytes : choice.windowOffset, bytes);
  const blockOffset = counts.buffersOffset + (needs.counts ? counts.buffersBytes : 0);
  const tableOffset = blockOffset + bufferBytes;
  const end = offset + bytes;
  // Half of the space is for ranks.
  const tableBytes = (end - tableOffset) / (needs.ranks ? 2 : 1);
  const maxTableBits = Math.floor(Math.log2(tableBytes / slotBytesFor(needs)));
  return {
    ...{ partitionBits, buffersOffset: offset, bufferBytes },
    ...{ windowOffset: offset, windowNumbers, choice, counts },
    ...{ blockOffset, tableOffset, maxTableBits, end },
  };
}
