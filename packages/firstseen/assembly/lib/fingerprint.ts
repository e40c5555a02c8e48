// Hashes a key to 64 bits: its bytes, or an integer. The two are hashed apart, so that the integer 0x4141414141414141 is another key than
// the text AAAAAAAA, which is the same eight bytes (docs/decisions/060-kinds-of-keys.md).

import { KEYED, NOT_AN_INTEGER } from './classes';
import {
  fingerprintAt,
  RECORD_CLASSES_OFFSET,
  RECORD_ENDS_OFFSET,
  RECORD_STARTS_OFFSET,
  secretWord,
  seed,
} from './memory';
import { prepareRabin, RABIN_INTEGER, rabin } from './rabin';
import { siphash, siphashWide } from './siphash';
import { xxh64 } from './xxh64';

export const FINGERPRINT_XXH64: u32 = 0;
export const FINGERPRINT_RABIN: u32 = 1;
export const FINGERPRINT_IDENTITY: u32 = 2;
export const FINGERPRINT_SIPHASH: u32 = 3;
/**
 * Not a fingerprint but the span of the key: the address of its first byte in the lower half, and one past its last byte
 * in the upper half.
 */
export const KEY_SPANS: u32 = 0xff;

/** The classes of the keys of a batch that the host writes. */
export const BYTES_KEY: u32 = 0;
export const INTEGER_KEY: u32 = 1;
export const TEXT_KEY: u32 = 2;

/** The length in front of each part of a composite key. */
export const COMPOSITE_LENGTH_BYTES: u32 = 8;

/** Separates the seed of integers from that of bytes: the first bytes of the fraction of e. */
const INTEGER_SEED: u64 = 0xb7e151628aed2a6a;
const INTEGER_BYTES: u32 = 8;

const ZERO_DIGIT: u32 = 0x30;
/** Decimal digits of 2^64 - 1. */
const DIGITS: u32 = 20;

/** The seed, read once, because the parameters store it as two doubles. */
let hashSeed: u64 = 0;
let integerSeed: u64 = 0;
/** The words of the secret. */
let secret0: u64 = 0;
let secret1: u64 = 0;

/** Must be called before any fingerprint is computed, and after the parameters and the secret are written. */
export function prepareFingerprints(kind: u32): void {
  hashSeed = seed();
  integerSeed = hashSeed ^ INTEGER_SEED;
  secret0 = secretWord(0);
  secret1 = secretWord(1);
  if (kind == FINGERPRINT_RABIN) prepareRabin();
}

/** Tells if the bytes are a decimal integer from 0 to 2^64 - 1: only digits, with any number of leading zeros. */
function isInteger(offset: u32, length: u32): bool {
  const end = offset + length;
  let at = offset;
  while (at < end && load<u8>(at) == ZERO_DIGIT) at++;
  const digits = end - at;
  if (length == 0 || digits > DIGITS) return false;
  for (let digit = at; digit < end; digit++) {
    if (<u32>load<u8>(digit) - ZERO_DIGIT > 9) return false;
  }
  // The first nineteen of twenty digits always fit in 64 bits, so they can be compared with those of 2^64 - 1.
  if (digits < DIGITS) return true;
  const tenth = integerValue(at, DIGITS - 1);
  const last = <u64>load<u8>(end - 1) - ZERO_DIGIT;
  return tenth < u64.MAX_VALUE / 10 || (tenth == u64.MAX_VALUE / 10 && last <= u64.MAX_VALUE % 10);
}

function integerValue(offset: u32, length: u32): u64 {
  let value: u64 = 0;
  for (let at = offset; at < offset + length; at++) value = value * 10 + (<u64>load<u8>(at) - ZERO_DIGIT);
  return value;
}

/** The fingerprint of a byte string; for `identity` the bytes have to be a decimal integer. */
export function fingerprintBytes(kind: u32, offset: u32, length: u32): u64 {
  if (kind == FINGERPRINT_XXH64) return xxh64(offset, length, hashSeed);
  if (kind == FINGERPRINT_SIPHASH) return siphash(offset, length, secret0, secret1);
  if (kind == FINGERPRINT_RABIN) return rabin(offset, length);
  return integerValue(offset, length);
}

/** The fingerprint of the 64-bit integer at `offset`. */
function fingerprintOfInteger(kind: u32, offset: u32): u64 {
  if (kind == FINGERPRINT_XXH64) return xxh64(offset, INTEGER_BYTES, integerSeed);
  if (kind == FINGERPRINT_SIPHASH) return siphashWide(offset, INTEGER_BYTES, secret0, secret1);
  const value = load<u64>(offset);
  return kind == FINGERPRINT_RABIN ? value ^ RABIN_INTEGER : value;
}

function storeSpan(offset: u32, length: u32, target: u32): u32 {
  store<u32>(target, offset);
  store<u32>(target, offset + length, 4);
  return KEYED;
}

/** Stores the fingerprint of a key at `target`; returns the class of its record. */
export function storeFingerprint(kind: u32, offset: u32, length: u32, target: u32): u32 {
  if (kind == KEY_SPANS) return storeSpan(offset, length, target);
  if (kind == FINGERPRINT_IDENTITY && !isInteger(offset, length)) return NOT_AN_INTEGER;
  store<u64>(target, fingerprintBytes(kind, offset, length));
  return KEYED;
}

/** Stores the fingerprint of the 64-bit integer at `offset`. */
export function storeIntegerFingerprint(kind: u32, offset: u32, target: u32): void {
  if (kind == KEY_SPANS) storeSpan(offset, INTEGER_BYTES, target);
  else store<u64>(target, fingerprintOfInteger(kind, offset));
}

/** For the host: the fingerprint of one key, as the scanner takes it; returns KEYED or NOT_AN_INTEGER. */
export function fingerprintKey(kind: u32, offset: u32, length: u32, target: u32): u32 {
  prepareFingerprints(kind);
  return storeFingerprint(kind, offset, length, target);
}

/** For the host: the fingerprint of one 64-bit little-endian integer, as the scanner takes a record of format u64. */
export function fingerprintInteger(kind: u32, offset: u32, target: u32): void {
  prepareFingerprints(kind);
  storeIntegerFingerprint(kind, offset, target);
}

/**
 * For the host: the fingerprints of a batch of keys, whose lengths and classes are in the arrays of records. Texts follow one
 * another from `texts` on, other keys from `others` on. Returns the number of keys before the first one that should be an integer
 * and is not, or `count`.
 */
export function fingerprintKeys(kind: u32, others: u32, texts: u32, count: u32): u32 {
  prepareFingerprints(kind);
  for (let i: u32 = 0; i < count; i++) {
    const length = load<u32>(RECORD_ENDS_OFFSET + (i << 2));
    const keyClass: u32 = load<u8>(RECORD_CLASSES_OFFSET + i);
    const target = fingerprintAt(i);
    if (keyClass == INTEGER_KEY) {
      storeIntegerFingerprint(kind, others, target);
      others += length;
      continue;
    }
    const isText = keyClass == TEXT_KEY;
    if (storeFingerprint(kind, isText ? texts : others, length, target) != KEYED) return i;
    if (isText) texts += length;
    else others += length;
  }
  return count;
}

/**
 * For the host: the fingerprints of a batch of keys, whose starts and ends are in the arrays of records. Returns as
 * `fingerprintKeys` does.
 */
export function fingerprintSpans(kind: u32, count: u32): u32 {
  prepareFingerprints(kind);
  for (let i: u32 = 0; i < count; i++) {
    const start = load<u32>(RECORD_STARTS_OFFSET + (i << 2));
    const end = load<u32>(RECORD_ENDS_OFFSET + (i << 2));
    if (storeFingerprint(kind, start, end - start, fingerprintAt(i)) != KEYED) return i;
  }
  return count;
}
