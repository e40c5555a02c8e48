// A second implementation of shingles: strings with one character per byte, and regular expressions.

import { GOLDEN, mix64 } from '../random.js';
import { referenceSeededHash } from '../seededhash.js';

export interface ReferenceShingle {
  unit: 'words' | 'characters' | 'tokens';
  length: number;
  folds: boolean;
}

const STREAM = 0xa4093822299f31d0n;

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The words, characters or tokens of a document, with one character per byte. */
export function partsOf(document: Uint8Array, { unit, folds }: Omit<ReferenceShingle, 'length'>): string[] {
  const bytes = String.fromCharCode(...document);
  const text = folds ? bytes.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : bytes;
  if (unit === 'words') return text.match(/[A-Za-z0-9\x80-\xff]+/g) ?? [];
  if (unit === 'tokens') return text.match(/[^\t-\r ,[\]]+/g) ?? [];
  const joined = text.replace(/[\t-\r ]+/g, ' ').replace(/^ | $/g, '');
  return joined.match(/.[\x80-\xbf]*/gs) ?? [];
}

function packed(hashes: readonly bigint[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(hashes).buffer);
}

/** The hashes of a document's shingles, in order. `seed` is the root of all randomness. */
export function referenceShingles(
  document: Uint8Array,
  shingle: ReferenceShingle,
  seed: bigint,
  secret?: Uint8Array,
): bigint[] {
  const key = mix64(seed ^ STREAM);
  const wordSeed = mix64(key + GOLDEN);
  const shingleSeed = mix64(key + 2n * GOLDEN);
  const parts = partsOf(document, shingle);
  const isText = shingle.unit === 'characters';
  const words = isText ? [] : parts.map((part) => referenceSeededHash(latin1(part), wordSeed, secret));
  const count = Math.max(1, parts.length - shingle.length + 1);
  return Array.from({ length: count }, (_, i) => {
    const end = i + shingle.length;
    const bytes = isText ? latin1(parts.slice(i, end).join('')) : packed(words.slice(i, end));
    return referenceSeededHash(bytes, shingleSeed, secret);
  });
}
