// Streaming Quotient Filter (dutta-2013, algorithm 1): the quotient of an element names a row of k buckets, in which its
// signature is looked for; if it is not there it takes an empty bucket, or else a random one. No row holds a signature
// twice, so a row is a set of at most k, and only the order of signatures, not of buckets, counts.

import { listPlace, observeBatch, PLACE_BYTES, placeSpot, placeWord, Rule, testBatch } from '../lib/batch';
import { countOnes } from '../lib/bits';
import { LINE_BITS } from '../lib/lines';
import { cellsBytes, cellsOffset, parameter } from '../lib/memory';
import { draw, reduceLow } from '../lib/random';
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
/** The last word of the cells, from which what lies nearer to their end is read. */
let lastWord: u32 = 0;

/** k, buckets of a row. */
let bucketCount: u32 = 0;
let bucketBits: u64 = 0;
let rowBits: u64 = 0;
let rowCount: u64 = 0;
let isModulo: bool = false;
let isBitmap: bool = false;
/** The bits of a row that is a bitmap. */
let bitmapMask: u64 = 0;
let bucketMask: u64 = 0;
/** A number that is no signature; those below it are kept one higher, so that 0 is an empty bucket. */
let freeSignature: u32 = 0;

/** The word from which the bits from `bit` on can be read. */
function wordOf(bit: u64): u32 {
  return min(cells + <u32>(bit >> 3), lastWord);
}

/** How far up in that word the bit stands. */
function shiftIn(word: u32, bit: u64): u64 {
  return bit - ((<u64>(word - cells)) << 3);
}

function rowOf(quotient: u64): u64 {
  return isModulo ? quotient % rowCount : quotient;
}

/** The victim among k, for element number `index`. */
function victim(index: u64): u32 {
  return reduceLow(draw(index, 0), bucketCount);
}

/** A list is the word of the row's begin with its shift, the word of its end with the signature, and the row's first bit. */
abstract class SqfRule extends Rule {
  listBytes(): u32 {
    return 3 * PLACE_BYTES;
  }

  touchBytes(): u32 {
    return LINE_BITS % rowBits == 0 ? PLACE_BYTES : 2 * PLACE_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const taken = takenBits(fingerprint);
    const bit = rowOf(quotientOf(taken)) * rowBits;
    const first = wordOf(bit);
    listPlace(at, first, <u32>shiftIn(first, bit));
    listPlace(at + PLACE_BYTES, wordOf(bit + rowBits - 1), signatureOf(taken));
    store<u64>(at + 2 * PLACE_BYTES, bit);
  }
}

/** The signature of a list. */
function listedSignature(at: u32): u32 {
  return placeSpot(at + PLACE_BYTES);
}

/** Rows with a bit for each signature there can be, where these are no more than the bits of k buckets. */
class BitmapRule extends SqfRule {
  test(at: u32): u32 {
    return <u32>(load<u64>(placeWord(at)) >> <u64>(placeSpot(at) + listedSignature(at))) & 1;
  }

  observe(at: u32, index: u64): u32 {
    const word = placeWord(at);
    const shift = <u64>placeSpot(at);
    const row = (load<u64>(word) >> shift) & bitmapMask;
    const own = (<u64>1) << (<u64>listedSignature(at));
    if (row & own) return 1;
    let change = own;
    if (popcnt(row) >= bucketCount) change |= oneOf(row, victim(index));
    store<u64>(word, load<u64>(word) ^ (change << shift));
    return 0;
  }
}

/** The set bit of a row that has `rank` set bits below it. */
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

/** What a bucket holds of a listed signature. */
function keptSignature(at: u32): u32 {
  const signature = listedSignature(at);
  return signature + u32(signature < freeSignature);
}

/** Rows of buckets in ascending order of what they hold, the empty ones at the end. */
class BucketRule extends SqfRule {
  test(at: u32): u32 {
    const kept = keptSignature(at);
    const from = this.firstBit(at);
    const place = this.placeOf(kept, from);
    return u32(place < this.endBit(from) && bucket(place) == kept);
  }

  observe(at: u32, index: u64): u32 {
    const kept = keptSignature(at);
    const from = this.firstBit(at);
    const end = this.endBit(from);
    const place = this.placeOf(kept, from);
    if (place < end && bucket(place) == kept) return 1;
    const isFull = bucket(end - bucketBits) != 0;
    this.insert(kept, place, isFull ? from + victim(index) * bucketBits : end - bucketBits);
    return 0;
  }

  firstBit(at: u32): u64 {
    return load<u64>(at + 2 * PLACE_BYTES);
  }

  endBit(from: u64): u64 {
    return from + bucketCount * bucketBits;
  }

  /** The bucket of a row that holds `kept`, or else the one before which it belongs. */
  placeOf(kept: u32, from: u64): u64 {
    const end = this.endBit(from);
    let place = from;
    while (place < end) {
      const held = bucket(place);
      if (held == 0 || held >= kept) break;
      place += bucketBits;
    }
    return place;
  }

  /** Puts `kept` before `place`; what stands between there and the bucket `freed` moves by one. */
  insert(kept: u32, place: u64, freed: u64): void {
    if (freed < place) {
      for (let at = freed; at + bucketBits < place; at += bucketBits) setBucket(at, bucket(at + bucketBits));
      setBucket(place - bucketBits, kept);
      return;
    }
    let carried = kept;
    for (let at = place; at <= freed && carried != 0; at += bucketBits) {
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
  // One selected bit and no other one: of a remainder without ones this cannot be, and r ones are taken for none only where
  // r is a power of two and the selected bits are all ones, which one of several is not. Else buckets have a bit more.
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

/** Whether no row that is a bitmap has more bits set than buckets, and no bit is set that stands for no signature. */
function areBitmapsPossible(): bool {
  const bits = rowCount * rowBits;
  // A row that may have all bits of its signatures need not be looked at alone where rows fill words: that takes a twentieth of the time.
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

/** Whether all that is set are bits of signatures of the rows in the first words. */
function areOnesWithin(words: u32): bool {
  let others = ~(<u64>0);
  for (let shift: u64 = 0; shift < 64; shift += rowBits) others &= ~(bitmapMask << shift);
  for (let i: u32 = 0; i < words; i++) if (load<u64>(cells + (i << 3)) & others) return false;
  return countOnes(cells + (words << 3), (cellsBytes() >> 3) - words) == 0;
}

/** Whether the buckets of the row that starts at `from` ascend, the empty ones at its end. */
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

/** Whether a loaded state can be: only then is each signature found where it is looked for, and counted once. */
export function sqfCheck(): u32 {
  if (isBitmap) return u32(areBitmapsPossible());
  for (let bit: u64 = 0; bit < rowCount * rowBits; bit += rowBits) if (!isRowInOrder(bit)) return 0;
  return 1;
}

function countHeld(): u64 {
  if (isBitmap) return countOnes(cells, cellsBytes() >> 3);
  let held: u64 = 0;
  for (let bit: u64 = 0; bit < rowCount * rowBits; bit += bucketBits) held += u64(bucket(bit) != 0);
  return held;
}

/** Fraction of the buckets in use. */
export function sqfLoad(): f64 {
  return <f64>countHeld() / (<f64>rowCount * <f64>bucketCount);
}
