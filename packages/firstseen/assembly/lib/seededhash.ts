// The hash of what is no key of a record but made of a text: XXH64 under a seed, or under a secret SipHash-2-4. A secret seed of
// XXH64 would not do: inputs that collide under any seed can be worked out (docs/SECURITY.md).

import { isKeyed, secretWord } from './memory';
import { siphash } from './siphash';
import { xxh64 } from './xxh64';

/** The seed keeps one use apart from another; under a secret it has to follow from `streamKey`, and changes both words of the key. */
export function seededHash(offset: u32, length: u32, seed: u64): u64 {
  if (!isKeyed()) return xxh64(offset, length, seed);
  return siphash(offset, length, secretWord(0) ^ seed, secretWord(1) ^ seed);
}
