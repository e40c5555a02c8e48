// A second implementation of the hash of text: XXH64 with the seed, or with a secret SipHash.

import { keyedSeed, referenceSiphash } from './siphash.js';
import { referenceXxh64 } from './xxh64.js';

/** The secret, with each of its halves XORed with the seed's eight bytes. */
function ownKey(secret: Uint8Array, seed: bigint): Uint8Array {
  return secret.map((byte, i) => byte ^ Number((seed >> BigInt(8 * (i % 8))) & 0xffn));
}

export function referenceSeededHash(bytes: Uint8Array, seed: bigint, secret: Uint8Array | undefined): bigint {
  return secret === undefined ? referenceXxh64(bytes, seed) : referenceSiphash(bytes, ownKey(secret, seed));
}

/** The root of all randomness. */
export function referenceRootSeed(seed: bigint, secret: Uint8Array | undefined): bigint {
  return secret === undefined ? seed : keyedSeed(seed, secret);
}
