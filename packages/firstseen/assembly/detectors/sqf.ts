// Streaming Quotient Filter (dutta-2013, algorithm 1): the quotient of an element selects a row of k buckets, in which
// its signature is searched. A signature that is not found takes an empty bucket, or else a random one. No row contains
// a signature twice, so a row is a set of at most k signatures, and only the order of signatures matters, not that of
// buckets.

import {
  LOCATION_BYTES,
  listLocation,
  locationDetail,
  locationWord,
  observeBatch,
  Rule,
  testBatch,
} from '../lib/batch';
import { countOnes } from '../lib/bits';
import { CACHE_LINE_BITS } from '../lib/cachelines';
import { cellsBytes, cellsOffset, parameter } from '../lib/memory';
import { draw, reduceLow } from '../lib/random';
import { sampled } from '../lib/sample';
import {
  configureSignatures,
  onesBits,
  quotientOf,
  SIGNATURE_FAMILY_PARAMETER,
  signatureBits,
  signatureOf,
  takenBits,
} from '../lib/signatures';

/** Slots of the parameters. */
export const SQF_BUCKETS_PARAMETER: u32 = SIGNATURE_FAMILY_PARAMETER;
export const SQF_BUCKET_BITS_PARAMETER: u32 = SIGNATURE_FAMILY_PARAMETER + 1;
export const SQF_ROWS_PARAMETER: u32 = SIGNATURE_FAMILY_PARAMETER + 2;
export const SQF_MODULO_PARAMETER: u32 = SIGNATURE_FAMILY_PARAMETER + 3;
export const SQF_BITMAP_PARAMETER: u32 = SIGNATURE_FAMILY_PARAMETER + 4;

let cells: u32 = 0;
/** The last word of the cells. Bits nearer to the end are read from this word. */
let lastWord: u32 = 0;

/** k: buckets of a row. */
let bucketCount: u32 = 0;
let bucketBits: u64 = 0;
let rowBits: u64 = 0;
let rowCount: u64 = 0;
let isModulo: bool = false;
let isBitmap: bool = false;
/** Mask of the bits of a row that is a bitmap. */
let bitmapMask: u64 = 0;
let bucketMask: u64 = 0;
/** A number that is not a signature. Signatures below it are stored as one more, so that 0 marks an empty bucket. */
let freeSignature: u32 = 0;

/** The address of the word from which the bits from `bit` on can be read. */
function wordOf(bit: u64): u32 {
  return min(cells + <u32>(bit >> 3), lastWord);
}

/** The index of the bit in that word. */
function shiftIn(word: u32, bit: u64): u64 {
  return bit - ((<u64>(word - cells)) << 3);
}

function rowOf(quotient: u64): u64 {
  return isModulo ? quotient % rowCount : quotient;
}

/** The victim among k signatures for element number `index`. */
function victim(index: u64): u32 {
  return reduceLow(draw(index, 0), bucketCount);
}

/**
 * A list is the word where the row begins, with the row's bit in it as its detail; the word where the row ends, with
 * the signature as its detail; and the index of the row's first bit.
 */
abstract class SqfRule extends Rule {
  listBytes(): u32 {
    return 3 * LOCATION_BYTES;
  }

  touchBytes(): u32 {
    return CACHE_LINE_BITS % rowBits == 0 ? LOCATION_BYTES : 2 * LOCATION_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const taken = takenBits(fingerprint);
    const bit = rowOf(quotientOf(taken)) * rowBits;
    const first = wordOf(bit);
    listLocation(at, first, <u32>shiftIn(first, bit));
    listLocation(at + LOCATION_BYTES, wordOf(bit + rowBits - 1), signatureOf(taken));
    store<u64>(at + 2 * LOCATION_BYTES, bit);
  }
}

/** The signature in a list. */
function listedSignature(at: u32): u32 {
  return locationDetail(at + LOCATION_BYTES);
}

/** Rows with one bit for each possible signature, used if that takes no more bits than k buckets. */
class BitmapRule extends SqfRule {
  test(at: u32): u32 {
    return <u32>(load<u64>(locationWord(at)) >> <u64>(locationDetail(at) + listedSignature(at))) & 1;
  }

  observe(at: u32, index: u64): u32 {
    const word = locationWord(at);
    const shift = <u64>locationDetail(at);
    const row = (load<u64>(word) >> shift) & bitmapMask;
    const own = (<u64>1) << (<u64>listedSignature(at));
    if (row & own) return 1;
    let change = own;
    if (popcnt(row) >= bucketCount) change |= oneOf(row, victim(index));
    store<u64>(word, load<u64>(word) ^ (change << shift));
    return 0;
  }
}

/** The set bit of a row with `rank` set bits below it. */
function oneOf(row: u64, rank: u32): u64 {
  let left = row;
  for (let i: u32 = 0; i < rank; i++) left &= left - 1;
  return left & -left;
}

function bucket(bit: u64): u32 {
  const word = wordOf(bit);
  return <u32>((load<u64>(word) >> shiftIn(word, bit)) & bucketMask);
}

function setBucket(bit: u64, value: u32): void {
  const word = wordOf(bit);
  const shift = shiftIn(word, bit);
  store<u64>(word, (load<u64>(word) & ~(bucketMask << shift)) | ((<u64>value) << shift));
}

/** The value that a bucket stores for a listed signature. */
function keptSignature(at: u32): u32 {
  const signature = listedSignature(at);
  return signature + u32(signature < freeSignature);
}

/** Rows of buckets in ascending order of their values, with the empty buckets at the end. */
class BucketRule extends SqfRule {
  test(at: u32): u32 {
    const kept = keptSignature(at);
    const from = this.firstBit(at);
    const bit = this.findBucket(kept, from);
    return u32(bit < this.endBit(from) && bucket(bit) == kept);
  }

  observe(at: u32, index: u64): u32 {
    const kept = keptSignature(at);
    const from = this.firstBit(at);
    const end = this.endBit(from);
    const bit = this.findBucket(kept, from);
    if (bit < end && bucket(bit) == kept) return 1;
    const isFull = bucket(end - bucketBits) != 0;
    this.insert(kept, bit, isFull ? from + victim(index) * bucketBits : end - bucketBits);
    return 0;
  }

  firstBit(at: u32): u64 {
    return load<u64>(at + 2 * LOCATION_BYTES);
  }

  endBit(from: u64): u64 {
    return from + bucketCount * bucketBits;
  }

  /** The bucket of a row that holds `kept`, or else the one before which it belongs, by its first bit. */
  findBucket(kept: u32, from: u64): u64 {
    const end = this.endBit(from);
    let bit = from;
    while (bit < end) {
      const held = bucket(bit);
      if (held == 0 || held >= kept) break;
      bit += bucketBits;
    }
    return bit;
  }

  /** Inserts `kept` before the bucket `target`; the buckets between there and the bucket `freed` move by one. */
  insert(kept: u32, target: u64, freed: u64): void {
    if (freed < target) {
      for (let at = freed; at + bucketBits < target; at += bucketBits) setBucket(at, bucket(at + bucketBits));
      setBucket(target - bucketBits, kept);
      return;
    }
    let carried = kept;
    for (let at = target; at <= freed && carried != 0; at += bucketBits) {
      const held = bucket(at);
      setBucket(at, carried);
      carried = held;
    }
  }
}

export function sqfConfigure(): void {
  configureSignatures();
  cells = cellsOffset();
  lastWord = cells + cellsBytes() - 8;
  bucketCount = <u32>parameter(SQF_BUCKETS_PARAMETER);
  bucketBits = <u64>parameter(SQF_BUCKET_BITS_PARAMETER);
  rowCount = <u64>parameter(SQF_ROWS_PARAMETER);
  isModulo = parameter(SQF_MODULO_PARAMETER) == 1;
  isBitmap = parameter(SQF_BITMAP_PARAMETER) == 1;
  rowBits = bucketCount * bucketBits;
  bucketMask = ((<u64>1) << bucketBits) - 1;
  bitmapMask = isBitmap ? ((<u64>1) << (<u64>(1 << signatureBits))) - 1 : 0;
  // The number 1 << onesBits stands for a selected bit that is 1, and a count of ones that is 0. No remainder has both: the count
  // is stored as 0 for r ones too, if r is a power of two, but then all selected bits are 1. With a single selected bit that is not
  // enough, and buckets have one more bit than signatures.
  freeSignature = bucketBits > signatureBits ? 1 << signatureBits : 1 << onesBits;
}

export function sqfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return isBitmap
    ? observeBatch<BitmapRule>(fingerprints, verdicts, count)
    : observeBatch<BucketRule>(fingerprints, verdicts, count);
}

export function sqfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  if (isBitmap) testBatch<BitmapRule>(fingerprints, verdicts, count);
  else testBatch<BucketRule>(fingerprints, verdicts, count);
}

/** Tells if no bitmap row has more bits set than it has buckets, and no bit is set that represents no signature. */
function areBitmapsValid(): bool {
  const bits = rowCount * rowBits;
  // If a row may have all bits of its signatures set and rows fill whole words, words can be tested instead of rows,
  // which takes a twentieth of the time.
  if (popcnt(bitmapMask) <= bucketCount && 64 % rowBits == 0 && bits % 64 == 0) return areOnesWithin(<u32>(bits >> 6));
  let held: u64 = 0;
  for (let bit: u64 = 0; bit < bits; bit += rowBits) {
    const word = wordOf(bit);
    const ones = popcnt((load<u64>(word) >> shiftIn(word, bit)) & bitmapMask);
    if (ones > bucketCount) return false;
    held += ones;
  }
  return held == countHeld();
}

/** Tells if the set bits are all signature bits of the rows in the first words. */
function areOnesWithin(words: u32): bool {
  let others = ~(<u64>0);
  for (let shift: u64 = 0; shift < 64; shift += rowBits) others &= ~(bitmapMask << shift);
  for (let i: u32 = 0; i < words; i++) if (load<u64>(cells + (i << 3)) & others) return false;
  return countOnes(cells + (words << 3), (cellsBytes() >> 3) - words) == 0;
}

/** Tells if the buckets of the row that starts at `from` are in ascending order, with the empty ones at the end. */
function isRowInOrder(from: u64): bool {
  let last: u32 = 0;
  let isEnded = false;
  for (let bit = from; bit < from + rowBits; bit += bucketBits) {
    const held = bucket(bit);
    if (held == 0) isEnded = true;
    else if (isEnded || held <= last) return false;
    last = held;
  }
  return true;
}

/** Tells if a loaded snapshot is valid. Only then is each signature found by a search and counted once. */
export function sqfCheck(): u32 {
  if (isBitmap) return u32(areBitmapsValid());
  for (let bit: u64 = 0; bit < rowCount * rowBits; bit += rowBits) if (!isRowInOrder(bit)) return 0;
  return 1;
}

function countHeld(): u64 {
  return isBitmap ? countOnes(cells, cellsBytes() >> 3) : countBuckets(rowCount);
}

/** Buckets of the first rows in use. */
function countBuckets(rows: u64): u64 {
  let held: u64 = 0;
  for (let bit: u64 = 0; bit < rows * rowBits; bit += bucketBits) held += u64(bucket(bit) != 0);
  return held;
}

/** Fraction of the buckets in use. */
export function sqfLoad(): f64 {
  return <f64>countHeld() / (<f64>rowCount * <f64>bucketCount);
}

/** The same of a sample. */
export function sqfFullness(): f64 {
  if (isBitmap) {
    const words = cellsBytes() >> 3;
    const some = <u32>sampled(words, 64);
    const rows = (<f64>rowCount * <f64>some) / <f64>words;
    return <f64>countOnes(cells, some) / (rows * <f64>bucketCount);
  }
  const rows = sampled(rowCount, rowBits);
  return <f64>countBuckets(rows) / <f64>(rows * bucketCount);
}
