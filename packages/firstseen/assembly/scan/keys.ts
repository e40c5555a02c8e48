// Converts the parts of a record's key to its fingerprint. A key with one part is hashed in place. Several parts are
// copied to the scratch region, each after its length, so that ("ab", "c") and ("a", "bc") differ.

import { TEXT_BOUNDARY } from '../lib/boundary';
import { KEY_EMPTY, KEY_MISSING, KEYED, OTHER_SHARD, TIME_UNREADABLE, TOO_LONG } from '../lib/classes';
import { COMPOSITE_LENGTH_BYTES, KEY_SPANS, storeFingerprint } from '../lib/fingerprint';
import { QUOTE } from './bytes';
import { equalEnd, equalize, equalStart } from './equal';
import { fingerprintTarget } from './records';
import {
  equalRules,
  FORMAT_NDJSON,
  findsEmptyKeys,
  fingerprintKind,
  format,
  hasRank,
  keyCount,
  keyIndex,
  NULL_EMPTY,
  nullMeaning,
  PART_BYTES,
  PARTS_OFFSET,
  partCount,
  salt,
  scratchBytes,
  scratchOffset,
  takesStrings,
  textCount,
} from './settings';
import { isElsewhere } from './shards';

/** One past the bytes of the scratch region that the current record uses. */
let scratchEnd: u32 = 0;

/** Must be called before the first key of a scan. */
export function beginKeys(): void {
  scratchEnd = scratchOffset;
}

/**
 * Once a key is fingerprinted, its scratch bytes are free for the next key. If the host asked for the spans of keys,
 * they are kept until the next scan.
 */
export function beginKey(): void {
  if (fingerprintKind != KEY_SPANS) scratchEnd = scratchOffset;
}

/** The address where decoded bytes may be written. They are kept only if `keepScratch` is called. */
export function scratch(): u32 {
  return scratchEnd;
}

export function keepScratch(end: u32): void {
  assert(end - scratchOffset <= scratchBytes);
  scratchEnd = end;
}

/** Sets part `index` of the key to the bytes [start, end). */
export function setPart(index: u32, start: u32, end: u32): void {
  store<u32>(PARTS_OFFSET + (index << 3), start);
  store<u32>(PARTS_OFFSET + (index << 3), end, 4);
}

/** Must be called before the parts of a record that come in any order. */
export function beginParts(): void {
  beginKey();
  for (let index: u32 = 0; index < partCount; index++) setPart(index, 0, 0);
}

/** Tells if a part was set since `beginParts`. */
export function isPartSet(index: u32): bool {
  return load<u32>(PARTS_OFFSET + (index << 3)) != 0;
}

/** The class of a record whose parts came in any order: KEYED if it lacks no more than its rank, which is then empty. */
export function classOfParts(): u32 {
  for (let index: u32 = 0; index < keyCount; index++) if (!isPartSet(index)) return KEY_MISSING;
  if (hasRank) return KEYED;
  for (let index = keyCount; index < partCount; index++) if (!isPartSet(index)) return TIME_UNREADABLE;
  return KEYED;
}

/** The class of a row that has only the first `found` of the wanted columns. */
export function missingClass(found: u32): u32 {
  for (let column = found; column < partCount; column++) if (keyIndex(column) < keyCount) return KEY_MISSING;
  return TIME_UNREADABLE;
}

/** Stores the fingerprint of a key that is contiguous; returns the record's class. */
export function storeKey(start: u32, end: u32): u32 {
  const target = fingerprintTarget();
  const found = storeFingerprint(fingerprintKind, start, end - start, target);
  if (found == KEYED && isElsewhere(fingerprintKind, start, end - start, target)) return OTHER_SHARD;
  if (salt != 0) store<u64>(target, load<u64>(target) ^ salt);
  return found;
}

/** Applies the rules of equal keys to [start, end): `equalStart` and `equalEnd` have the result. Returns false if it is too long. */
function makeEqual(start: u32, end: u32): bool {
  if (!equalize(start, end, scratchEnd, equalRules)) return false;
  // What is before the scratch bytes in use stays where it is.
  if (equalStart >= scratchEnd && equalStart < scratchOffset + scratchBytes) keepScratch(equalEnd);
  return true;
}

/** Stores the fingerprint of a text; returns the class of its record. */
export function storeText(start: u32, end: u32): u32 {
  if (equalRules == 0) return storeKey(start, end);
  return makeEqual(start, end) ? storeKey(equalStart, equalEnd) : TOO_LONG;
}

/** Stores the fingerprint of a whole record; returns its class. */
export function storeWhole(start: u32, end: u32): u32 {
  if (equalRules != 0) beginKey();
  return storeText(start, end);
}

/** Applies the rules of equal keys to all parts; returns false if one is too long. */
function makePartsEqual(): bool {
  for (let index: u32 = 0; index < keyCount; index++) {
    const part = PARTS_OFFSET + (index << 3);
    if (!makeEqual(load<u32>(part), load<u32>(part, 4))) return false;
    setPart(index, equalStart, equalEnd);
  }
  return true;
}

/** The bytes of null. */
const NULL_WORD: u32 = 0x6c6c756e;

/** Tells if [start, end) is a JSON null. */
export function isNullText(start: u32, end: u32): bool {
  return end - start == 4 && load<u32>(start) == NULL_WORD;
}

/** Tells if part `index` is a JSON null. */
export function isNullPart(index: u32): bool {
  const part = PARTS_OFFSET + (index << 3);
  return isNullText(load<u32>(part), load<u32>(part, 4));
}

/** Tells if part `index` is empty. A JSON string has its quotes. */
function isEmptyPart(index: u32): bool {
  const start = load<u32>(PARTS_OFFSET + (index << 3));
  const length = load<u32>(PARTS_OFFSET + (index << 3), 4) - start;
  if (format != FORMAT_NDJSON) return length == 0;
  if (length == 2) return load<u8>(start) == QUOTE;
  return nullMeaning == NULL_EMPTY && isNullPart(index);
}

/** A key is empty if all its parts are empty: any other part still distinguishes records. */
function isEmptyKey(): bool {
  for (let index: u32 = 0; index < keyCount; index++) if (!isEmptyPart(index)) return false;
  return true;
}

/** Copies the text in [start, end) after the others, with a boundary before it unless it is the first. */
function appendText(start: u32, end: u32, isFirst: bool): void {
  const target = scratchEnd;
  if (!isFirst) store<u8>(target, TEXT_BOUNDARY);
  const text = target + u32(!isFirst);
  memory.copy(text, start, end - start);
  keepScratch(text + (end - start));
}

/** Writes the quote of a string of JSON. */
function appendQuote(): void {
  if (format != FORMAT_NDJSON) return;
  store<u8>(scratchEnd, QUOTE);
  keepScratch(scratchEnd + 1);
}

/**
 * Makes the first part of all texts: one string, if they are strings of JSON. A null is left out, unless all are, and another value
 * becomes the part if it must not be a text. The other parts of the key follow. Returns the number of parts.
 */
function joinTexts(): u32 {
  const joined = scratchEnd;
  let isFirst = true;
  let other: u32 = textCount;
  appendQuote();
  for (let index: u32 = 0; index < textCount; index++) {
    const start = load<u32>(PARTS_OFFSET + (index << 3));
    const end = load<u32>(PARTS_OFFSET + (index << 3), 4);
    const isJson = format == FORMAT_NDJSON;
    if (isJson && isNullText(start, end)) continue;
    const quote = u32(isJson && load<u8>(start) == QUOTE);
    if (isJson && takesStrings && !quote) other = index;
    appendText(start + quote, end - quote, isFirst);
    isFirst = false;
  }
  appendQuote();
  // Without a first text, all texts are null.
  if (other < textCount) setPart(0, load<u32>(PARTS_OFFSET + (other << 3)), load<u32>(PARTS_OFFSET + (other << 3), 4));
  else if (!isFirst) setPart(0, joined, scratchEnd);
  const others = keyCount - textCount;
  memory.copy(PARTS_OFFSET + PART_BYTES, PARTS_OFFSET + (textCount << 3), others << 3);
  return 1 + others;
}

/** Stores the fingerprint of the parts that were set; returns the record's class. */
export function storeParts(): u32 {
  if (equalRules != 0 && !makePartsEqual()) return TOO_LONG;
  if (findsEmptyKeys && isEmptyKey()) return KEY_EMPTY;
  if (keyCount == 1) return storeKey(load<u32>(PARTS_OFFSET), load<u32>(PARTS_OFFSET, 4));
  const count = textCount > 1 ? joinTexts() : keyCount;
  if (count == 1) return storeKey(load<u32>(PARTS_OFFSET), load<u32>(PARTS_OFFSET, 4));
  const composite = scratchEnd;
  for (let index: u32 = 0; index < count; index++) {
    const start = load<u32>(PARTS_OFFSET + (index << 3));
    const length = load<u32>(PARTS_OFFSET + (index << 3), 4) - start;
    store<u64>(scratchEnd, length);
    memory.copy(scratchEnd + COMPOSITE_LENGTH_BYTES, start, length);
    keepScratch(scratchEnd + COMPOSITE_LENGTH_BYTES + length);
  }
  return storeKey(composite, scratchEnd);
}
