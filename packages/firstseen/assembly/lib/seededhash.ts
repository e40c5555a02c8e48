// The hash of text other than record keys: XXH64 with a seed, or with a secret SipHash-2-4. XXH64 with a secret seed is
// not enough: inputs that collide under every seed can be computed (docs/SECURITY.md).

import { isKeyed, secretWord } from './memory';
import { siphash } from './siphash';
import { xxh64 } from './xxh64';

/**
 * The seed separates one use from another. With a secret it must come from `streamKey`, and it changes both words of
 * the key.
 */
export function seededHash(offset: u32, length: u32, seed: u64): u64 {
  if (!isKeyed()) return xxh64(offset, length, seed);
  return siphash(offset, length, secretWord(0) ^ seed, secretWord(1) ^ seed);
}
