// The fingerprint of Rabin, "Fingerprinting by random polynomials", Harvard TR-15-81, 1981. A byte string is read as a
// polynomial over GF(2), most significant bit first. Its fingerprint is the remainder modulo an irreducible polynomial
// P of degree 64. A 1 is prepended to the string's first bit, so that leading NUL bytes count.

import { RABIN_TABLES_OFFSET } from './memory';

/**
 * P without its leading term t^64. P is the irreducible polynomial t^64 + c with the smallest c that is not below
 * 0x243f6a8885a308d3, the first 64 bits of the fraction of pi.
 */
const POLYNOMIAL_TAIL: u64 = 0x243f6a8885a30907;

/**
 * t^65 mod P, which is added to an integer. The polynomial t^65 + n differs from that of every byte string, whose degree is a multiple
 * of 8.
 */
export const RABIN_INTEGER: u64 = POLYNOMIAL_TAIL << 1;

const TABLE_BYTES: u32 = 256 * 8;
const TABLES: u32 = 8;

let isPrepared: bool = false;

/** value * t^8 mod P. */
function timesByte(value: u64): u64 {
  let product = value;
  for (let bit = 0; bit < 8; bit++) {
    product = (product << 1) ^ (product >> 63 ? POLYNOMIAL_TAIL : 0);
  }
  return product;
}

/**
 * Entry b of table j is b * t^(64 + 8j) mod P: the contribution of byte j of a fingerprint when 64 more bits follow it.
 */
function tableEntry(table: u32, byte: u64): u64 {
  return load<u64>(RABIN_TABLES_OFFSET + table * TABLE_BYTES + ((<u32>(byte & 0xff)) << 3));
}

/** Builds the tables on the first call. Must be called before `rabin`. */
export function prepareRabin(): void {
  if (isPrepared) return;
  isPrepared = true;
  for (let byte: u32 = 0; byte < 256; byte++) {
    // Eight steps of one byte turn b into b * t^64; each further step gives the entry of the next table.
    let entry = <u64>byte;
    for (let step = 0; step < 8; step++) entry = timesByte(entry);
    for (let table: u32 = 0; table < TABLES; table++) {
      store<u64>(RABIN_TABLES_OFFSET + table * TABLE_BYTES + (byte << 3), entry);
      entry = timesByte(entry);
    }
  }
}

/** fingerprint * t^64 mod P, one byte at a time with eight tables (slicing by 8). */
function timesWord(fingerprint: u64): u64 {
  return (
    tableEntry(0, fingerprint) ^
    tableEntry(1, fingerprint >> 8) ^
    tableEntry(2, fingerprint >> 16) ^
    tableEntry(3, fingerprint >> 24) ^
    tableEntry(4, fingerprint >> 32) ^
    tableEntry(5, fingerprint >> 40) ^
    tableEntry(6, fingerprint >> 48) ^
    tableEntry(7, fingerprint >> 56)
  );
}

/** The fingerprint of `length` bytes at `offset`. */
export function rabin(offset: u32, length: u32): u64 {
  let fingerprint: u64 = 1;
  let at = offset;
  const end = offset + length;
  for (let wordsEnd = offset + (length & ~7); at < wordsEnd; at += 8) {
    fingerprint = timesWord(fingerprint) ^ bswap<u64>(load<u64>(at));
  }
  for (; at < end; at++) {
    fingerprint = (fingerprint << 8) ^ load<u8>(at) ^ tableEntry(0, fingerprint >> 56);
  }
  return fingerprint;
}
