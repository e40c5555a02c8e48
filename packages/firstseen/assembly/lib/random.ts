// One generator for everything random in a kernel. It is counter-based: draw number `lane` of element number `index` is
// a pure function of the seed. Answers therefore cannot depend on how a stream is cut into batches, a batch can fetch
// the cache lines of its victims before it decides anything, and the whole state of the generator is the count of elements,
// which snapshots contain anyway.

import { isKeyed, secretWord, seed, WORKSPACE_OFFSET } from './memory';
import { siphash } from './siphash';

/** 2^64 divided by the golden ratio, odd: the increment of SplitMix64 (Steele, Lea and Flood 2014). */
export const GOLDEN: u64 = 0x9e3779b97f4a7c15;

/** Draws available to one element. */
const LANES: u64 = 1024;

const ADDRESS_STREAM: u64 = 0x243f6a8885a308d3;
const EVICTION_STREAM: u64 = 0x13198a2e03707344;

/** Separates the key that hashes the seed from the key that hashes elements, like the outer key of HMAC (RFC 2104). */
const SEED_KEY_MASK: u64 = 0x5c5c5c5c5c5c5c5c;

let addressKey: u64 = 0;
let evictionKey: u64 = 0;

/** The finaliser of SplitMix64: a bijection of 64 bits in which every input bit reaches every output bit. */
export function mix64(value: u64): u64 {
  let x = value;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/**
 * The root of all randomness: the seed itself, or with a secret, a keyed hash of the seed, which only the secret's
 * holder can compute.
 */
function rootSeed(): u64 {
  if (!isKeyed()) return seed();
  store<u64>(WORKSPACE_OFFSET, seed());
  return siphash(WORKSPACE_OFFSET, 8, secretWord(0) ^ SEED_KEY_MASK, secretWord(1) ^ SEED_KEY_MASK);
}

/** The key of one stream of random numbers. Streams with different constants behave as independent. */
export function streamKey(stream: u64): u64 {
  return mix64(rootSeed() ^ stream);
}

export function seedRandom(): void {
  addressKey = streamKey(ADDRESS_STREAM);
  evictionKey = streamKey(EVICTION_STREAM);
}

/** Hash number `i` of a fingerprint; the hashes of one fingerprint behave as independent. */
export function addressHash(fingerprint: u64, i: u32): u64 {
  return mix64((fingerprint ^ addressKey) + (<u64>i + 1) * GOLDEN);
}

/** Draw number `lane` of element number `index`. */
export function draw(index: u64, lane: u32): u64 {
  return mix64(evictionKey + (index * LANES + lane) * GOLDEN);
}

/** A number in [0, n) from the top 35 bits of a hash; n is at most 2^29, so that the product fits in 64 bits. */
export function reduce(hash: u64, n: u32): u32 {
  return <u32>(((hash >> 29) * <u64>n) >> 35);
}

/** A number in [0, n) from the low 16 bits of a hash, which `reduce` does not use; n is at most 2^16. */
export function reduceLow(hash: u64, n: u32): u32 {
  return ((<u32>hash & 0xffff) * n) >> 16;
}

/** The upper 64 bits of the product of two 64-bit numbers. Replaces `reduce` for n over 2^29. */
export function multiplyHigh(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const middle = aHigh * bLow + ((aLow * bLow) >> 32);
  const cross = aLow * bHigh + (middle & 0xffffffff);
  return aHigh * bHigh + (middle >> 32) + (cross >> 32);
}

/** True with probability numerator / denominator. */
export function chance(hash: u64, numerator: f64, denominator: f64): bool {
  // 53 bits fit a double exactly, so the comparison does not round.
  return <f64>(hash >> 11) * (1.0 / 9007199254740992.0) * denominator < numerator;
}
