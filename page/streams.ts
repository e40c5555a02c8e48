// The streams that the page draws. An element is a number; its fingerprint is a permutation of it, so different numbers differ for certain.

import type { StreamName } from './messages.js';

/** Writes the fingerprints of the next elements, two words each, the low one first. */
export type Draw = (words: Uint32Array, count: number) => void;

/** One record of a burst of this many, on average, is its last. */
export const BURST_RECORDS = 4;
const TWO_32 = 2 ** 32;
const GOLDEN = 0x9e3779b9;

/** The finalizer of MurmurHash3: a permutation of the words. */
function mixed(word: number): number {
  let hash = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Random words: the generator sfc32 of PractRand. */
export function randomWords(seed: number): () => number {
  let [a, b, c, counter] = [seed >>> 0, Math.floor(seed / TWO_32) >>> 0, GOLDEN, 1];
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}

function placeAt(words: Uint32Array, index: number, element: number): void {
  const low = mixed(element ^ GOLDEN);
  words[2 * index] = low;
  words[2 * index + 1] = mixed((low + GOLDEN) | 0);
}

/** Each of the keys is equally likely, whatever came before. */
function uniform(keys: number, random: () => number): Draw {
  const share = keys / TWO_32;
  return (words, count) => {
    for (let i = 0; i < count; i++) placeAt(words, i, Math.floor(random() * share));
  };
}

/** The key of rank n has probability log(1 + 1/n) / log(1 + keys): nearly 1/n of that of the first, which is Zipf's law. */
function skewed(keys: number, random: () => number): Draw {
  const octaves = Math.log(keys + 1) / TWO_32;
  return (words, count) => {
    for (let i = 0; i < count; i++) placeAt(words, i, Math.floor(Math.exp(random() * octaves)));
  };
}

/** Active keys are equally likely. A record is the last of its key with chance 1 / BURST_RECORDS, and a new key takes its place. */
function bursts(keys: number, random: () => number): Draw {
  const active = Uint32Array.from({ length: keys }, (_, i) => i);
  let next = keys;
  return (words, count) => {
    for (let i = 0; i < count; i++) {
      const place = Math.floor((random() / TWO_32) * keys);
      placeAt(words, i, active[place] as number);
      if (random() < TWO_32 / BURST_RECORDS) active[place] = next++;
    }
  };
}

const kinds = { uniform, skewed, bursts };

/** The stream of a name, which is the same for the same seed. */
export function drawStream(name: Exclude<StreamName, 'file'>, keys: number, seed: number): Draw {
  return kinds[name](keys, randomWords(seed));
}
