// Seeded XXH64 as the xxHash specification defines it (github.com/Cyan4973/xxHash, doc/xxhash_spec.md, section "XXH64
// algorithm description"). One call takes the whole key, so a key can never be hashed in pieces. Only headers of snapshots
// are.

const PRIME_1: u64 = 0x9e3779b185ebca87;
const PRIME_2: u64 = 0xc2b2ae3d27d4eb4f;
const PRIME_3: u64 = 0x165667b19e3779f9;
const PRIME_4: u64 = 0x85ebca77c2b2ae63;
const PRIME_5: u64 = 0x27d4eb2f165667c5;

function round(accumulator: u64, lane: u64): u64 {
  return rotl<u64>(accumulator + lane * PRIME_2, 31) * PRIME_1;
}

function merge(accumulator: u64, lane: u64): u64 {
  return (accumulator ^ round(0, lane)) * PRIME_1 + PRIME_4;
}

function avalanche(value: u64): u64 {
  let hash = value;
  hash = (hash ^ (hash >> 33)) * PRIME_2;
  hash = (hash ^ (hash >> 29)) * PRIME_3;
  return hash ^ (hash >> 32);
}

function mixed(a: u64, b: u64, c: u64, d: u64): u64 {
  const sum = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18);
  return merge(merge(merge(merge(sum, a), b), c), d);
}

/** The hash of the 32-byte stripes before `end`, with four lanes in parallel. */
function stripes(offset: u32, end: u32, seed: u64): u64 {
  let a = seed + PRIME_1 + PRIME_2;
  let b = seed + PRIME_2;
  let c = seed;
  let d = seed - PRIME_1;
  for (let at = offset; at < end; at += 32) {
    a = round(a, load<u64>(at));
    b = round(b, load<u64>(at, 8));
    c = round(c, load<u64>(at, 16));
    d = round(d, load<u64>(at, 24));
  }
  return mixed(a, b, c, d);
}

/** The hash with the bytes after the last stripe. */
function finished(striped: u64, offset: u32, length: u32): u64 {
  let hash = striped;
  let at = offset;
  let left = length;
  for (; left >= 8; at += 8, left -= 8) {
    hash = rotl<u64>(hash ^ round(0, load<u64>(at)), 27) * PRIME_1 + PRIME_4;
  }
  if (left >= 4) {
    hash = rotl<u64>(hash ^ (<u64>load<u32>(at) * PRIME_1), 23) * PRIME_2 + PRIME_3;
    at += 4;
    left -= 4;
  }
  for (; left > 0; at++, left--) {
    hash = rotl<u64>(hash ^ (<u64>load<u8>(at) * PRIME_5), 11) * PRIME_1;
  }
  return avalanche(hash);
}

/** XXH64 of `length` bytes at `offset`. */
export function xxh64(offset: u32, length: u32, seed: u64): u64 {
  const stripedBytes = length & ~31;
  const striped = length >= 32 ? stripes(offset, offset + stripedBytes, seed) : seed + PRIME_5;
  return finished(striped + length, offset + stripedBytes, length & 31);
}

/** Begins the hash, with seed 0, of bytes that come in pieces. Its four lanes are at `lanes`. */
export function beginPieces(lanes: u32): void {
  store<u64>(lanes, PRIME_1 + PRIME_2);
  store<u64>(lanes, PRIME_2, 8);
  store<u64>(lanes, 0, 16);
  store<u64>(lanes, 0 - PRIME_1, 24);
}

/** Adds whole stripes. */
export function addPiece(lanes: u32, offset: u32, length: u32): void {
  for (let at = offset; at < offset + length; at += 32) {
    for (let lane: u32 = 0; lane < 32; lane += 8) {
      store<u64>(lanes + lane, round(load<u64>(lanes + lane), load<u64>(at + lane)));
    }
  }
}

/** The hash of `total` bytes, 32 or more. Those after all whole stripes are at `offset`. */
export function endPieces(lanes: u32, offset: u32, total: u32): u64 {
  const striped = mixed(load<u64>(lanes), load<u64>(lanes, 8), load<u64>(lanes, 16), load<u64>(lanes, 24));
  return finished(striped + total, offset, total & 31);
}
