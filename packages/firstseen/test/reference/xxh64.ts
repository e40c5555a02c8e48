// XXH64 as the xxHash specification describes it, in BigInt.

const WORD = (1n << 64n) - 1n;
const PRIME_1 = 0x9e3779b185ebca87n;
const PRIME_2 = 0xc2b2ae3d27d4eb4fn;
const PRIME_3 = 0x165667b19e3779f9n;
const PRIME_4 = 0x85ebca77c2b2ae63n;
const PRIME_5 = 0x27d4eb2f165667c5n;

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & WORD;
}

function round(accumulator: bigint, lane: bigint): bigint {
  return (rotate((accumulator + lane * PRIME_2) & WORD, 31n) * PRIME_1) & WORD;
}

function merge(accumulator: bigint, lane: bigint): bigint {
  return ((accumulator ^ round(0n, lane)) * PRIME_1 + PRIME_4) & WORD;
}

export function referenceXxh64(bytes: Uint8Array, seed: bigint): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let hash = (seed + PRIME_5) & WORD;
  if (bytes.length >= 32) {
    const lanes = [seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1].map((lane) => lane & WORD);
    for (; at + 32 <= bytes.length; at += 32) {
      for (let i = 0; i < 4; i++) lanes[i] = round(lanes[i] ?? 0n, view.getBigUint64(at + 8 * i, true));
    }
    const [a = 0n, b = 0n, c = 0n, d = 0n] = lanes;
    hash = (rotate(a, 1n) + rotate(b, 7n) + rotate(c, 12n) + rotate(d, 18n)) & WORD;
    for (const lane of lanes) hash = merge(hash, lane);
  }
  hash = (hash + BigInt(bytes.length)) & WORD;
  for (; at + 8 <= bytes.length; at += 8) {
    hash = (rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * PRIME_1 + PRIME_4) & WORD;
  }
  if (at + 4 <= bytes.length) {
    hash ^= (BigInt(view.getUint32(at, true)) * PRIME_1) & WORD;
    hash = (rotate(hash, 23n) * PRIME_2 + PRIME_3) & WORD;
    at += 4;
  }
  for (; at < bytes.length; at++) {
    hash ^= (BigInt(bytes[at] ?? 0) * PRIME_5) & WORD;
    hash = (rotate(hash, 11n) * PRIME_1) & WORD;
  }
  hash = ((hash ^ (hash >> 33n)) * PRIME_2) & WORD;
  hash = ((hash ^ (hash >> 29n)) * PRIME_3) & WORD;
  return hash ^ (hash >> 32n);
}
