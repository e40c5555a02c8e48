// A twin of the hash for the parts of a text: XXH64 under the seed, or SipHash under a secret.

import { keyedSeed, referenceSiphash } from './siphash.js';
import { referenceXxh64 } from './xxh64.js';

/** The secret with the seed's eight bytes combined with each half of it. */
function ownKey(secret: Uint8Array, seed: bigint): Uint8Array {
  return secret.map((byte, i) => byte ^ Number((seed >> BigInt(8 * (i % 8))) & 0xffn));
}

export function referenceSeededHash(bytes: Uint8Array, seed: bigint, secret: Uint8Array | undefined): bigint {
  return secret === undefined ? referenceXxh64(bytes, seed) : referenceSiphash(bytes, ownKey(secret, seed));
}

/** The value from which everything random follows. */
export function referenceRootSeed(seed: bigint, secret: Uint8Array | undefined): bigint {
  return secret === undefined ? seed : keyedSeed(seed, secret);
}
