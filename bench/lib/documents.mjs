// Documents for measurements: texts of words drawn by Zipf's law, and copies of them with words replaced at a given
// rate.

import { generator } from '../../tools/support/random.mjs';

const VOCABULARY = 50_000;
const LETTERS = 'etaoinshrdlucmfwypvbgkjqxz';

/** The word of a rank. More frequent words are shorter. */
function wordOf(rank) {
  let word = '';
  for (let left = rank + LETTERS.length; left > 0; left = Math.floor(left / LETTERS.length)) {
    word += LETTERS[left % LETTERS.length];
  }
  return word;
}

const vocabulary = Array.from({ length: VOCABULARY }, (_, rank) => `${wordOf(rank)}${rank % 3 === 0 ? 'ing' : ''}`);

/** A source of documents. The same seed gives the same documents. */
export function documentSource(seed) {
  const next = generator(seed);
  const share = () => next() / 2 ** 32;
  // The probability of a rank is inversely proportional to it.
  const word = () => vocabulary[Math.floor(VOCABULARY ** share()) - 1];
  return {
    share,
    words: (count) => Array.from({ length: count }, word),
    /** Each word replaced by another with probability `rate`. */
    edited: (words, rate) => words.map((own) => (share() < rate ? word() : own)),
  };
}

/** The set of shingles of `length` words. */
export function shinglesOf(words, length) {
  const found = new Set();
  for (let i = 0; i + length <= Math.max(words.length, length); i++) found.add(words.slice(i, i + length).join(' '));
  return found;
}

/** The exact Jaccard similarity of two sets. */
export function jaccard(left, right) {
  let shared = 0;
  for (const shingle of left) if (right.has(shingle)) shared++;
  return shared / (left.size + right.size - shared);
}
