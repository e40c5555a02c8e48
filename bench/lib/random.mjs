// Random numbers for the benchmarks: the same seed gives the same data everywhere.

/**
 * Uniform 32-bit numbers: sfc32 of PractRand (Chris Doty-Humphrey).
 * @param {number} seed
 * @returns {() => number} a whole number in [0, 2^32) at each call
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
 * Numbers of elements in the order of a stream: each is new with probability 1 - `duplicateShare`, otherwise any of those
 * before it, all alike.
 * @param {{count: number, duplicateShare: number, seed: number}} options
 */
export function* repeatingNumbers({ count, duplicateShare, seed }) {
  const next = generator(seed);
  let distinct = 0;
  for (let i = 0; i < count; i++) {
    const isNew = distinct === 0 || next() >= duplicateShare * 2 ** 32;
    yield isNew ? distinct++ : Math.floor((next() / 2 ** 32) * distinct);
  }
}
