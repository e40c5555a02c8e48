// The random functions of all rivals. Elements are numbered, so equal hashes are chance, and not equal elements.

const WORD = 2 ** 32;
const HASHES = 64;

/** The finaliser of MurmurHash3 (Appleby): a bijection of 32 bits. */
function mix32(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** Hash functions of a seed. Each has two keys, so that none is another one of a shifted number. */
export class Hashes {
  readonly #keys: Uint32Array;
  /** The last element of which hash number i was computed, and that hash. Most rivals look an element up, and then add it. */
  readonly #elements = new Float64Array(HASHES).fill(-1);
  readonly #words = new Uint32Array(HASHES);

  constructor(seed: number) {
    this.#keys = Uint32Array.from({ length: 2 * HASHES }, (_, i) => mix32(mix32(seed + 1) + 0x9e3779b9 * (i + 1)));
  }

  /** Hash number i of an element, from 0 to 2^32 - 1. */
  word(element: number, i: number): number {
    if (this.#elements[i] !== element) {
      this.#elements[i] = element;
      this.#words[i] = mix32(mix32(element + (this.#keys[2 * i] as number)) ^ (this.#keys[2 * i + 1] as number));
    }
    return this.#words[i] as number;
  }

  /** Hash number i, scaled to a number from 0 to limit - 1. */
  below(element: number, i: number, limit: number): number {
    return Math.floor((this.word(element, i) / WORD) * limit);
  }

  /** A fingerprint from 0 to limit - 1, from two hashes: the limit may be larger than 2^32. */
  fingerprint(element: number, limit: number): number {
    const high = this.word(element, HASHES - 2) * 2 ** 20;
    return Math.floor(((high + (this.word(element, HASHES - 1) >>> 12)) / 2 ** 52) * limit);
  }
}
