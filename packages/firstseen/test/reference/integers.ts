// The fingerprint of an integer, which differs from that of its eight bytes (docs/decisions/060-kinds-of-keys.md), in BigInt.

import { rabinPolynomial, remainder } from './rabin.js';
import { referenceSiphash } from './siphash.js';
import { referenceXxh64 } from './xxh64.js';

/** The first bytes of the fraction of e. */
const INTEGER_SEED = 0xb7e151628aed2a6an;

export function littleEndian(integer: bigint): Uint8Array {
  return new Uint8Array(BigUint64Array.of(integer).buffer);
}

export const referenceIntegers = {
  xxh64: (integer: bigint, seed: bigint) => referenceXxh64(littleEndian(integer), seed ^ INTEGER_SEED),
  /** The remainder of t^65 + n. */
  rabin: (integer: bigint) => remainder((1n << 65n) | integer, rabinPolynomial),
  siphash: (integer: bigint, secret: Uint8Array) => referenceSiphash(littleEndian(integer), secret, { isWide: true }),
};
