// Streams of fingerprints for tests. Each is the same on every run.

import { mix64 } from '../reference/random.js';

/** xorshift128 (Marsaglia 2003), 32 bits per step. */
export class Random {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    // Any words that are not all zero are valid; mix64 keeps similar seeds from giving similar streams.
    const low = mix64(BigInt(seed) + 1n);
    const high = mix64(BigInt(seed) + 2n ** 32n);
    this.#state = new Uint32Array(new BigUint64Array([low, high]).buffer);
    for (let i = 0; i < 16; i++) this.nextWord();
  }

  /** 0 to 2^32 - 1. */
  nextWord(): number {
    const state = this.#state as unknown as [number, number, number, number];
    let t = state[3];
    const s = state[0];
    state[3] = state[2];
    state[2] = state[1];
    state[1] = s;
    t ^= t << 11;
    t ^= t >>> 8;
    state[0] = t ^ s ^ (s >>> 19);
    return state[0];
  }

  /** An integer in [0, n); n is at most 2^32. */
  below(n: number): number {
    return Math.floor((this.nextWord() / 2 ** 32) * n);
  }
}

/** Element number i as a fingerprint that uses all bits; distinct for distinct i, and never 0. */
export function fingerprintOf(i: number): bigint {
  return mix64(BigInt(i) + 1n);
}

/** The first two rounds of `mix64`: a shift, and the halves of a factor. */
const ROUNDS = [
  { shift: 30, low: 0x1ce4e5b9, high: 0xbf58476d },
  { shift: 27, low: 0x133111eb, high: 0x94d049bb },
] as const;

/** Writes the fingerprint of element number i as two halves. Bigints would take most of the time of many tests. */
function writeFingerprint(halves: Uint32Array, position: number, i: number): void {
  let low = (i + 1) >>> 0;
  let high = Math.floor((i + 1) / 2 ** 32) >>> 0;
  for (const round of ROUNDS) {
    low = (low ^ ((low >>> round.shift) | (high << (32 - round.shift)))) >>> 0;
    high = (high ^ (high >>> round.shift)) >>> 0;
    high = (highProduct(low, round.low) + Math.imul(low, round.high) + Math.imul(high, round.low)) >>> 0;
    low = Math.imul(low, round.low) >>> 0;
  }
  halves[2 * position] = low ^ ((low >>> 31) | (high << 1));
  halves[2 * position + 1] = high ^ (high >>> 31);
}

/** The upper 32 bits of the product of two numbers of 32 bits. */
function highProduct(one: number, other: number): number {
  const oneLow = one & 0xffff;
  const oneHigh = one >>> 16;
  const otherLow = other & 0xffff;
  const otherHigh = other >>> 16;
  const middle = oneHigh * otherLow + ((oneLow * otherLow) >>> 16);
  const last = oneLow * otherHigh + (middle & 0xffff);
  return oneHigh * otherHigh + (middle >>> 16) + (last >>> 16);
}

/** The fingerprints of elements of which each position has a number. */
function fingerprintsOf(length: number, numberAt: (position: number) => number): BigUint64Array<ArrayBuffer> {
  const elements = new BigUint64Array(length);
  const halves = new Uint32Array(elements.buffer);
  for (let position = 0; position < length; position++) writeFingerprint(halves, position, numberAt(position));
  return elements;
}

function stream(length: number, element: (position: number) => bigint): BigUint64Array<ArrayBuffer> {
  return BigUint64Array.from({ length }, (_, position) => element(position));
}

/** Independent uniform draws from `universe` elements. */
export function uniform(length: number, universe: number, seed = 1): BigUint64Array<ArrayBuffer> {
  const random = new Random(seed);
  return fingerprintsOf(length, () => random.below(universe));
}

export function allDistinct(length: number, first = 0): BigUint64Array<ArrayBuffer> {
  return fingerprintsOf(length, (position) => first + position);
}

/** Random elements of 64 bits. Two of a million are equal with a chance of 3 in 10^8, and millions are drawn in a moment. */
export function randomElements(length: number, seed: number): BigUint64Array<ArrayBuffer> {
  const random = new Random(seed);
  const elements = new BigUint64Array(length);
  // Writes halves: a typed array of 32-bit numbers allocates no bigints.
  const halves = new Uint32Array(elements.buffer);
  for (let i = 0; i < halves.length; i++) halves[i] = random.nextWord();
  return elements;
}

export function allEqual(length: number): BigUint64Array<ArrayBuffer> {
  return stream(length, () => fingerprintOf(7));
}

/** Small integers, unhashed, so that every fingerprint has the same high bits. */
export function denseIntegers(length: number, universe: number, seed = 1): BigUint64Array<ArrayBuffer> {
  const random = new Random(seed);
  return stream(length, () => BigInt(random.below(universe)));
}

/** The lowest and the highest fingerprints, repeated among others. */
export function extremes(length: number, seed = 1): BigUint64Array<ArrayBuffer> {
  const random = new Random(seed);
  const ends = [0n, 1n, 2n ** 63n, 2n ** 64n - 2n, 2n ** 64n - 1n];
  return stream(length, (position) =>
    random.below(3) === 0 ? (ends[random.below(ends.length)] as bigint) : fingerprintOf(position),
  );
}

/** Elements of which half are new, and half repeat one of the last `window` positions. */
export function recency(length: number, window: number, seed = 1): BigUint64Array<ArrayBuffer> {
  const random = new Random(seed);
  const elements = allDistinct(length);
  for (let position = 1; position < length; position++) {
    if (random.below(2) === 0) continue;
    elements[position] = elements[position - 1 - random.below(Math.min(window, position))] as bigint;
  }
  return elements;
}

/** Elements of which half are of `hot` common ones, and the others come once. */
export function hotAmongOthers(length: number, hot: number, seed = 7): BigUint64Array<ArrayBuffer> {
  const random = new Random(seed);
  return fingerprintsOf(length, (position) => (random.below(2) === 0 ? random.below(hot) : hot + position));
}

/** Independent draws from `universe` elements; the element of rank r has a probability proportional to r^-exponent. */
export function zipf(length: number, universe: number, exponent: number, seed = 1): BigUint64Array<ArrayBuffer> {
  const random = new Random(seed);
  const below = new Float64Array(universe);
  let total = 0;
  for (let rank = 0; rank < universe; rank++) {
    total += (rank + 1) ** -exponent;
    below[rank] = total;
  }
  return stream(length, () => {
    const drawn = (random.below(2 ** 32) / 2 ** 32) * total;
    let low = 0;
    for (let high = universe - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if ((below[middle] as number) < drawn) low = middle + 1;
      else high = middle;
    }
    return fingerprintOf(low);
  });
}

/** 1 for each element that occurred before, else 0. */
export function exactVerdicts(elements: BigUint64Array): Uint8Array {
  const seen = new Set<bigint>();
  return Uint8Array.from(elements, (element) => {
    const wasSeen = seen.has(element);
    seen.add(element);
    return wasSeen ? 1 : 0;
  });
}

/**
 * The universe for which `length` uniform draws have the given share of distinct elements: U (1 - (1 - 1/U)^N) = dN.
 */
export function universeOf(length: number, distinctShare: number): number {
  const distinct = (universe: number) => -universe * Math.expm1(length * Math.log1p(-1 / universe));
  let low = distinctShare * length;
  let high = low;
  while (distinct(high) < distinctShare * length) high *= 2;
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    if (distinct(middle) < distinctShare * length) low = middle;
    else high = middle;
  }
  return Math.round(high);
}

/** Millions of uniform draws, generated in parts, with the truth. Elements are integers from 0 on. */
export class UniformStream {
  readonly #random: Random;
  readonly #universe: number;
  /** One bit for each element of the universe: whether it has occurred. */
  readonly #seen: Uint8Array;

  constructor(universe: number, seed: number) {
    this.#random = new Random(seed);
    this.#universe = universe;
    this.#seen = new Uint8Array(Math.ceil(universe / 8));
  }

  /** The next elements, and 1 for each that occurred before, else 0. */
  next(count: number): { elements: BigUint64Array<ArrayBuffer>; truth: Uint8Array } {
    const elements = new BigUint64Array(count);
    const truth = new Uint8Array(count);
    // Writes the low half of each element; the high half stays 0. A typed array of 32-bit numbers allocates no bigints.
    const halves = new Uint32Array(elements.buffer);
    const seen = this.#seen;
    for (let i = 0; i < count; i++) {
      const element = this.#random.below(this.#universe);
      const byte = seen[element >>> 3] as number;
      halves[2 * i] = element;
      truth[i] = (byte >>> (element & 7)) & 1;
      seen[element >>> 3] = byte | (1 << (element & 7));
    }
    return { elements, truth };
  }
}
