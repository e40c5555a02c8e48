// SipHash-2-4 as its paper describes it (Aumasson and Bernstein, INDOCRYPT 2012, section 2.1), in BigInt.

const WORD = (1n << 64n) - 1n;
/** "somepseudorandomlygeneratedbytes" in four big-endian words. */
const INITIAL = [0x736f6d6570736575n, 0x646f72616e646f6dn, 0x6c7967656e657261n, 0x7465646279746573n];

type State = [bigint, bigint, bigint, bigint];

function rotate(value: bigint, bits: bigint): bigint {
  return ((value << bits) | (value >> (64n - bits))) & WORD;
}

function rounds([v0, v1, v2, v3]: State, count: number): State {
  for (let round = 0; round < count; round++) {
    v0 = (v0 + v1) & WORD;
    v2 = (v2 + v3) & WORD;
    v1 = rotate(v1, 13n) ^ v0;
    v3 = rotate(v3, 16n) ^ v2;
    v0 = rotate(v0, 32n);
    v2 = (v2 + v1) & WORD;
    v0 = (v0 + v3) & WORD;
    v1 = rotate(v1, 17n) ^ v2;
    v3 = rotate(v3, 21n) ^ v0;
    v2 = rotate(v2, 32n);
  }
  return [v0, v1, v2, v3];
}

function compress([v0, v1, v2, v3]: State, word: bigint): State {
  const [w0, w1, w2, w3] = rounds([v0, v1, v2, v3 ^ word], 2);
  return [w0 ^ word, w1, w2, w3];
}

/** The bytes, padded with NULs to a multiple of eight, with their number modulo 256 as the last byte. */
function padded(bytes: Uint8Array): DataView {
  const filled = new Uint8Array(8 * Math.floor(bytes.length / 8 + 1));
  filled.set(bytes);
  filled[filled.length - 1] = bytes.length;
  return new DataView(filled.buffer);
}

/** @param isWide the first half of the output of 128 bits, as the authors' implementation defines it, instead of that of 64 bits */
export function referenceSiphash(bytes: Uint8Array, key: Uint8Array, { isWide = false } = {}): bigint {
  const keyView = new DataView(key.buffer, key.byteOffset);
  const keyWords = [keyView.getBigUint64(0, true), keyView.getBigUint64(8, true)];
  let state = INITIAL.map((initial, i) => initial ^ (keyWords[i % 2] as bigint)) as State;
  if (isWide) state[1] ^= 0xeen;
  const view = padded(bytes);
  for (let at = 0; at < view.byteLength; at += 8) state = compress(state, view.getBigUint64(at, true));
  state[2] ^= isWide ? 0xeen : 0xffn;
  return rounds(state, 4).reduce((sum, value) => sum ^ value);
}

/** The seed that a keyed detector uses instead of the given one. */
export function keyedSeed(seed: bigint, secret: Uint8Array): bigint {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, seed, true);
  return referenceSiphash(
    bytes,
    secret.map((byte) => byte ^ 0x5c),
  );
}
