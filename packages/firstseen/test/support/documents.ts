// Documents for tests: texts of words drawn by Zipf's law, edited versions, and the exact similarity of two of them.

import type { Random } from './streams.js';

const VOCABULARY = 20_000;

/** A word of rank r has a probability proportional to 1 / r. */
function drawWord(random: Random): string {
  return `w${Math.floor(VOCABULARY ** (random.nextWord() / 2 ** 32))}`;
}

export function drawWords(count: number, random: Random): string[] {
  return Array.from({ length: count }, () => drawWord(random));
}

/** The words, each replaced by another with probability `rate`. */
export function editWords(words: readonly string[], rate: number, random: Random): string[] {
  return words.map((word) => (random.nextWord() < rate * 2 ** 32 ? drawWord(random) : word));
}

/** The set of shingles of `length` words. */
export function shinglesOf(words: readonly string[], length: number): ReadonlySet<string> {
  const count = Math.max(1, words.length - length + 1);
  return new Set(Array.from({ length: count }, (_, i) => words.slice(i, i + length).join(' ')));
}

/** The exact Jaccard similarity of two sets. */
export function jaccardOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const shingle of a) if (b.has(shingle)) shared++;
  return shared / (a.size + b.size - shared);
}

/** The exact Jaccard similarity of the sets of shingles of two documents. */
export function jaccard(left: readonly string[], right: readonly string[], length: number): number {
  return jaccardOf(shinglesOf(left, length), shinglesOf(right, length));
}
