// Random numbers for benchmarks and tests: the same seed gives the same data everywhere.

/**
 * Uniform 32-bit numbers: sfc32 of PractRand (Chris Doty-Humphrey).
 * @param {number} seed
 * @returns {() => number} an integer in [0, 2^32) at each call
 */
export function generator(seed) {
  let a = seed | 0;
  let b = 0x9e3779b9 | 0;
  let c = 0x243f6a88 | 0;
  let counter = 1;
  const next = () => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result >>> 0;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
}

/**
 * The numbers of a stream's elements: each is new with probability 1 - `duplicateShare`, otherwise a repeat. Of the
 * repeats, a share of `near.share` repeat one of the last `near.elements` positions, the rest any earlier element uniformly.
 * @param {{count: number, duplicateShare: number, seed: number, near?: {share: number, elements: number}}} options
 */
export function* repeatingNumbers({ count, duplicateShare, seed, near }) {
  const next = generator(seed);
  const below = (limit) => Math.floor((next() / 2 ** 32) * limit);
  const recent = new Uint32Array(near?.elements ?? 0);
  let distinct = 0;
  for (let i = 0; i < count; i++) {
    let number = distinct;
    if (distinct === 0 || next() >= duplicateShare * 2 ** 32) distinct++;
    else if (near && next() < near.share * 2 ** 32) number = recent[below(Math.min(i, recent.length))];
    else number = below(distinct);
    if (near) recent[i % recent.length] = number;
    yield number;
  }
}
