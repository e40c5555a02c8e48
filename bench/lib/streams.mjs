// Streams of numbered elements with exact truth, to compare error rates.

import { universeOf } from 'firstseen/internal';
import { generator } from '../../tools/support/random.mjs';

/**
 * @typedef {object} NumberedStream
 * @property {Uint32Array} numbers the elements
 * @property {Uint8Array} isDuplicate 1 where the element occurred before
 * @property {number} distinct
 * @property {number} duplicates
 */

function withTruth(numbers) {
  const seen = new Uint8Array(numbers.reduce((most, number) => Math.max(most, number), 0) + 1);
  const isDuplicate = new Uint8Array(numbers.length);
  let duplicates = 0;
  numbers.forEach((number, i) => {
    isDuplicate[i] = seen[number];
    duplicates += seen[number];
    seen[number] = 1;
  });
  return { numbers, isDuplicate, distinct: numbers.length - duplicates, duplicates };
}

/** A uniform number in [0, 1) of 53 bits. */
function fraction(next) {
  return ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
}

/**
 * Each element is new with probability 1/2, otherwise it repeats a uniform one of the last `window` positions.
 * @returns {NumberedStream}
 */
export function recencyStream({ count, window, seed }) {
  const next = generator(seed);
  const numbers = new Uint32Array(count);
  let distinct = 0;
  for (let i = 0; i < count; i++) {
    const isNew = i === 0 || next() >= 2 ** 31;
    numbers[i] = isNew ? distinct++ : numbers[i - 1 - Math.floor(fraction(next) * Math.min(i, window))];
  }
  return withTruth(numbers);
}

/**
 * Uniform draws with approximately the given distinct share.
 * @returns {NumberedStream}
 */
export function uniformStream({ count, distinctShare, seed }) {
  const next = generator(seed);
  const universe = Math.round(universeOf(count, distinctShare * count));
  return withTruth(Uint32Array.from({ length: count }, () => Math.floor(fraction(next) * universe)));
}

/**
 * Draws of number i with a probability proportional to 1 / (i + 1)^exponent.
 * @returns {NumberedStream}
 */
export function zipfStream({ count, universe, exponent, seed }) {
  const next = generator(seed);
  const sums = new Float64Array(universe);
  let total = 0;
  for (let i = 0; i < universe; i++) {
    total += (i + 1) ** -exponent;
    sums[i] = total;
  }
  const draw = () => {
    const drawn = fraction(next) * total;
    let low = 0;
    let high = universe - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle] <= drawn) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return withTruth(Uint32Array.from({ length: count }, draw));
}

/**
 * Half of the elements repeat one of a few hot ones, the others come once.
 * @returns {NumberedStream}
 */
export function hotStream({ count, hot, seed }) {
  const next = generator(seed);
  return withTruth(
    Uint32Array.from({ length: count }, (_, i) => (next() >= 2 ** 31 ? hot + i : Math.floor(fraction(next) * hot))),
  );
}

/**
 * A number of sessions are open at a time. An element is of one of them, and one in 20 closes its session, which a new one follows.
 * @returns {NumberedStream}
 */
export function sessionStream({ count, open, seed }) {
  const next = generator(seed);
  const sessions = Uint32Array.from({ length: open }, (_, i) => i);
  let started = open;
  const draw = () => {
    const slot = Math.floor(fraction(next) * open);
    const session = sessions[slot];
    if (fraction(next) < 1 / 20) sessions[slot] = started++;
    return session;
  };
  return withTruth(Uint32Array.from({ length: count }, draw));
}

/**
 * Words, numbered in the order of their first occurrences.
 * @returns {NumberedStream}
 */
export function wordStream(words) {
  const numbers = new Map();
  return withTruth(
    Uint32Array.from(words, (word) => {
      if (!numbers.has(word)) numbers.set(word, numbers.size);
      return numbers.get(word);
    }),
  );
}

/** The finaliser of MurmurHash3 (Appleby): a bijection of 32 bits. */
function mix32(value) {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** 64-bit fingerprints of numbers; distinct numbers have distinct fingerprints. */
export function fingerprintsOf(numbers) {
  const halves = new Uint32Array(2 * numbers.length);
  numbers.forEach((number, i) => {
    halves[2 * i] = mix32(number);
    halves[2 * i + 1] = mix32(number ^ 0x9e3779b9);
  });
  return new BigUint64Array(halves.buffer);
}
