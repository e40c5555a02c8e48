// A second implementation of shingles: arrays of words, each a string with one character per byte.

import { GOLDEN, mix64 } from '../random.js';
import { referenceSeededHash } from '../seededhash.js';
import { type ReferenceShingle, type ReferenceWord, wordsOf } from './words.js';

export type { ReferenceShingle } from './words.js';

const STREAM = 0xa4093822299f31d0n;

/** With `auto`, the weights of a word and of a letter of a script without blanks. */
const [WORD_WEIGHT, LETTER_WEIGHT] = [6, 5];

export function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function charactersOf(document: Uint8Array, shingle: ReferenceShingle): ReferenceWord[] {
  return wordsOf(document, { ...shingle, unit: 'characters' });
}

/** Whether a document has nothing but blanks and characters that are not seen. */
export function isBlank(document: Uint8Array, shingle: ReferenceShingle): boolean {
  return charactersOf(document, shingle).length === 0;
}

/** As `wordsOf`; all signs of a document without words are one. */
function partsOrSigns(document: Uint8Array, shingle: ReferenceShingle): ReferenceWord[] {
  const parts = wordsOf(document, shingle);
  if (parts.length > 0 || isBlank(document, shingle)) return parts;
  const signs = charactersOf(document, shingle).map(({ text }) => text);
  return [{ text: signs.join(''), isLone: false }];
}

function packed(hashes: readonly bigint[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(hashes).buffer);
}

/** The end of the shingle that begins with a part; undefined if the document ends before. */
function endOf(parts: readonly ReferenceWord[], start: number, { unit, length }: ReferenceShingle): number | undefined {
  const weightOf = ({ isLone }: ReferenceWord) => (isLone ? LETTER_WEIGHT : WORD_WEIGHT);
  const least = unit === 'auto' ? length * WORD_WEIGHT : length;
  let weight = 0;
  for (let end = start; end < parts.length; end++) {
    weight += unit === 'auto' ? weightOf(parts[end] as ReferenceWord) : 1;
    if (weight >= least) return end + 1;
  }
  return undefined;
}

/** The texts of a document between the boundaries, without blank ones unless all are blank. */
function textsOf(document: Uint8Array, shingle: ReferenceShingle): Uint8Array[] {
  if (!shingle.hasBoundaries) return [document];
  const texts = String.fromCharCode(...document).split('\u001f');
  const filled = texts.map(latin1).filter((text) => !isBlank(text, shingle));
  return filled.length === 0 ? [new Uint8Array()] : filled;
}

/** The hashes of a document's shingles, in order. `seed` is the root of all randomness. */
export function referenceShingles(
  document: Uint8Array,
  shingle: ReferenceShingle,
  seed: bigint,
  secret?: Uint8Array,
): bigint[] {
  return textsOf(document, shingle).flatMap((text) => shinglesOfText(text, shingle, seed, secret));
}

function shinglesOfText(document: Uint8Array, shingle: ReferenceShingle, seed: bigint, secret?: Uint8Array): bigint[] {
  const key = mix64(seed ^ STREAM);
  const wordSeed = mix64(key + GOLDEN);
  const shingleSeed = mix64(key + 2n * GOLDEN);
  const parts = partsOrSigns(document, shingle);
  const isText = shingle.unit === 'characters';
  const words = isText ? [] : parts.map(({ text }) => referenceSeededHash(latin1(text), wordSeed, secret));
  const hashOf = (start: number, end: number) => {
    const joined = () =>
      latin1(
        parts
          .map(({ text }) => text)
          .slice(start, end)
          .join(''),
      );
    return referenceSeededHash(isText ? joined() : packed(words.slice(start, end)), shingleSeed, secret);
  };
  const hashes = parts.flatMap((_, start) => {
    const end = endOf(parts, start, shingle);
    return end === undefined ? [] : [hashOf(start, end)];
  });
  return hashes.length > 0 ? hashes : [hashOf(0, parts.length)];
}
