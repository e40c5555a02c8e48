// Documents to test with: texts of words drawn by Zipf's law, their edits, and how similar two of them really are.

import type { Random } from './streams.js';

const VOCABULARY = 20_000;

/** A word of rank r has a chance that falls as 1 / r. */
function drawWord(random: Random): string {
  return `w${Math.floor(VOCABULARY ** (random.nextWord() / 2 ** 32))}`;
}

export function drawWords(count: number, random: Random): string[] {
  return Array.from({ length: count }, () => drawWord(random));
}

/** The words with each replaced, by the chance `rate`, by another. */
export function editWords(words: readonly string[], rate: number, random: Random): string[] {
  return words.map((word) => (random.nextWord() < rate * 2 ** 32 ? drawWord(random) : word));
}

/** The shingles of so many words, as a set. */
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

/** The exact Jaccard similarity of the sets of shingles of so many words. */
export function jaccard(left: readonly string[], right: readonly string[], length: number): number {
  return jaccardOf(shinglesOf(left, length), shinglesOf(right, length));
}
