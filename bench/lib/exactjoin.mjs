// The exact Jaccard similarity of a document to the nearest of those that were kept before, by prefix filtering
// (Bayardo, Ma and Srikant 2007, "Scaling up all pairs similarity search"). Shingles are those of the kernel by default.

import { SHINGLE_WEIGHT, wordsOf } from './words.mjs';

/** A hash of 52 bits in a double: two of 26 bits. */
const HALF = 2 ** 26;

function mixed(hash) {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 6;
}

/** The hash of the words from `start` up to `end`. */
function shingleHash(words, start, end) {
  let [one, other] = [0, 0];
  for (let at = start; at < end; at++) {
    one = Math.imul(one, 0x01000193) + words[at][0];
    other = Math.imul(other ^ words[at][1], 0x5bd1e995) + (other >>> 13);
  }
  return mixed(one) * HALF + mixed(other);
}

/** The hashes of the different shingles of a text, in order. */
function shingleHashes(text) {
  const words = wordsOf(text);
  const found = [];
  let [end, weight] = [0, 0];
  for (let start = 0; start < words.length; start++) {
    while (weight < SHINGLE_WEIGHT && end < words.length) weight += words[end++][2];
    if (weight < SHINGLE_WEIGHT) break;
    found.push(shingleHash(words, start, end));
    weight -= words[start][2];
  }
  if (found.length === 0) found.push(shingleHash(words, 0, words.length));
  const hashes = Float64Array.from(found).sort();
  return hashes.filter((hash, i) => i === 0 || hash !== hashes[i - 1]);
}

/** How many documents have each hash, as two arrays in the order of the hashes. */
function frequencies(sets) {
  const all = new Float64Array(sets.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const set of sets) {
    all.set(set, filled);
    filled += set.length;
  }
  all.sort();
  const shared = [];
  for (let start = 0; start < all.length; ) {
    let end = start + 1;
    while (all[end] === all[start]) end++;
    if (end - start > 1) shared.push([all[start], end - start]);
    start = end;
  }
  return shared;
}

/** Each text as the number of its shingles, and the ranks of those that other texts have too, the rarest first. */
export function rankedSets(texts) {
  const sets = texts.map(shingleHashes);
  const shared = frequencies(sets).sort(([, one], [, other]) => one - other);
  const rankOf = new Map(shared.map(([hash], rank) => [hash, rank]));
  const documents = sets.map((set) => {
    const ranks = [];
    for (const hash of set) {
      const rank = rankOf.get(hash);
      if (rank !== undefined) ranks.push(rank);
    }
    return { size: set.length, ranks: Uint32Array.from(ranks).sort() };
  });
  return { documents, rankCount: shared.length };
}

function similarityOf(left, right) {
  let [i, j, common] = [0, 0, 0];
  const { ranks: one } = left;
  const { ranks: other } = right;
  while (i < one.length && j < other.length) {
    if (one[i] === other[j]) {
      common++;
      i++;
      j++;
    } else if (one[i] < other[j]) i++;
    else j++;
  }
  return common / (left.size + right.size - common);
}

/** The documents that were kept. */
export class KeptDocuments {
  #least;
  #postings = new Map();
  #compared = new Map();
  #count = 0;

  /** Similarities below `least` are not found. */
  constructor(least) {
    this.#least = least;
  }

  /** The similarity to the nearest, 0 if it is below `least`. */
  nearest(document) {
    const { size } = document;
    let nearest = 0;
    this.#count++;
    for (const rank of this.#prefix(document)) {
      for (const other of this.#postings.get(rank) ?? []) {
        if (this.#compared.get(other) === this.#count) continue;
        this.#compared.set(other, this.#count);
        if (Math.min(size, other.size) < this.#least * Math.max(size, other.size)) continue;
        nearest = Math.max(nearest, similarityOf(document, other));
      }
    }
    return nearest >= this.#least ? nearest : 0;
  }

  add(document) {
    for (const rank of this.#prefix(document)) {
      const documents = this.#postings.get(rank);
      if (documents) documents.push(document);
      else this.#postings.set(rank, [document]);
    }
  }

  /**
   * Two documents of at least this similarity have a shingle in common among those that come first in each. Shingles that no
   * other document has would come before all others.
   */
  #prefix({ size, ranks }) {
    const length = size - Math.ceil(this.#least * size - 1e-9) + 1;
    return ranks.subarray(0, Math.max(0, length - (size - ranks.length)));
  }
}
