// A second implementation of the kernel's generator and address rules, in BigInt: slow and simple.

/** The increment of SplitMix64 (Steele, Lea and Flood 2014). */
export const GOLDEN = 0x9e3779b97f4a7c15n;
/** First digits of the fraction of pi. They separate the two uses of one seed. */
const ADDRESS_STREAM = 0x243f6a8885a308d3n;
const EVICTION_STREAM = 0x13198a2e03707344n;
/** Draws reserved for each element. */
const LANES = 1024n;

export const CACHE_LINE_BYTES = 64;

/** The finaliser of SplitMix64. */
export function mix64(value: bigint): bigint {
  let x = BigInt.asUintN(64, value);
  x = BigInt.asUintN(64, (x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n);
  x = BigInt.asUintN(64, (x ^ (x >> 27n)) * 0x94d049bb133111ebn);
  return x ^ (x >> 31n);
}

/** All randomness of a detector with a given seed. Stateless. */
export class Generator {
  readonly #addressKey: bigint;
  readonly #evictionKey: bigint;

  constructor(seed: bigint) {
    this.#addressKey = mix64(seed ^ ADDRESS_STREAM);
    this.#evictionKey = mix64(seed ^ EVICTION_STREAM);
  }

  /** Hash number i of a fingerprint. */
  hash(fingerprint: bigint, i: number): bigint {
    return mix64((fingerprint ^ this.#addressKey) + BigInt(i + 1) * GOLDEN);
  }

  /** Draw number `lane` of element number `index`. */
  draw(index: number, lane: number): bigint {
    return mix64(this.#evictionKey + (BigInt(index) * LANES + BigInt(lane)) * GOLDEN);
  }

  // The blocked layout: one hash or draw is cut into four pieces of 16 bits. Each gives a position in a cache line of 64
  // bytes.

  /** The cache line of an element, of `cacheLines` cache lines. */
  cacheLine(fingerprint: bigint, cacheLines: number): number {
    return fromTopBits(this.hash(fingerprint, 0), cacheLines);
  }

  /**
   * The 16 bits that determine position number i of an element: four positions per number, each number derived from
   * hash 0.
   */
  cacheLineHash(fingerprint: bigint, i: number): bigint {
    const anchor = this.hash(fingerprint, 0);
    const group = Math.floor(i / 4);
    if (group > 0) return piece(mix64(anchor + BigInt(group) * GOLDEN), i);
    return piece(BigInt.asUintN(64, (anchor ^ (anchor >> 32n)) * GOLDEN), i);
  }

  /** The 16 bits that determine victim number i of an element. */
  cacheLineDraw(index: number, i: number): bigint {
    return piece(this.draw(index, Math.floor(i / 4)), i);
  }
}

function piece(value: bigint, i: number): bigint {
  return (value >> BigInt(16 * (i % 4))) & 0xffffn;
}

/** A number in [0, n), scaled from the top 35 bits. */
export function fromTopBits(hash: bigint, n: number): number {
  return Number(((hash >> 29n) * BigInt(n)) >> 35n);
}

/** A number in [0, n), scaled from the low 16 bits. */
export function fromLowBits(hash: bigint, n: number): number {
  return Number(((hash & 0xffffn) * BigInt(n)) >> 16n);
}

/** A number in [0, n), scaled from all 64 bits. */
export function fromAllBits(hash: bigint, n: number): number {
  return Number((hash * BigInt(n)) >> 64n);
}

/** True with probability numerator / denominator, by the top 53 bits. */
export function chance(hash: bigint, numerator: number, denominator: number): boolean {
  return (Number(hash >> 11n) / 2 ** 53) * denominator < numerator;
}
