// A stream of groups of near-duplicates with exactly known similarities.

import { documentSource, jaccard, shinglesOf } from './documents.mjs';

export const SHINGLE_WORDS = 5;
const WORDS = 300;
/** Probabilities that a word of a copy is replaced: for similarities from nearly 1 down to 0.1. */
export const EDIT_RATES = [0, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15, 0.3];
/** Maximum distance of a copy from its original, in groups. */
const SPREAD_GROUPS = 500;

/**
 * Generates originals and, between them, the copies of earlier originals: one copy for each of the rates.
 * @returns {Generator<{group: number, isOriginal: boolean, words: string[]}>}
 */
export function* groupedDocuments(groups, seed) {
  const source = documentSource(seed);
  const due = new Map();
  for (let group = 0; group < groups + SPREAD_GROUPS; group++) {
    if (group < groups) {
      const words = source.words(WORDS);
      yield { group, isOriginal: true, words };
      for (const rate of EDIT_RATES) {
        const when = group + Math.floor(source.share() * SPREAD_GROUPS);
        if (!due.has(when)) due.set(when, []);
        due.get(when).push({ group, isOriginal: false, words: source.edited(words, rate) });
      }
    }
    yield* due.get(group) ?? [];
    due.delete(group);
  }
}

/**
 * Runs a rule over the stream and compares its decisions with the exact similarity to the documents it kept before.
 * @param {(document: {group: number, words: string[]}) => 'distinct' | 'duplicate'} observe
 * @returns {{similarity: number, isDropped: boolean}[]} for each document, its similarity to the nearest document kept
 */
export function outcomes(groups, seed, observe) {
  const kept = new Map();
  const found = [];
  for (const document of groupedDocuments(groups, seed)) {
    const shingles = shinglesOf(document.words, SHINGLE_WORDS);
    // No copy is further from its original.
    if (document.isOriginal) kept.delete(document.group - SPREAD_GROUPS - 1);
    // Documents of other groups have almost nothing in common.
    const own = kept.get(document.group) ?? [];
    const similarity = own.reduce((nearest, other) => Math.max(nearest, jaccard(shingles, other)), 0);
    const isDropped = observe(document) === 'duplicate';
    found.push({ similarity, isDropped });
    if (!isDropped) kept.set(document.group, [...own, shingles]);
  }
  return found;
}
