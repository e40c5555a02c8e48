// The words of a text as the kernel reads it by default (docs/NEAR.md), as hashes of 52 bits in two numbers, with their weights.

import { classes, classOf, foldOf } from '../../tools/unicode/properties.mjs';

/** What a shingle weighs at least, a word, and a letter of a script without blanks. */
export const SHINGLE_WEIGHT = 30;
const WORD_WEIGHT = 6;
const LETTER_WEIGHT = 5;

const UNKNOWN = 255;
const CHARACTERS = 0x110000;
/** A byte that is no UTF-8 is a letter: it becomes one that no corpus has. */
const STRAY_BYTES = 0xf0000;

const known = new Uint8Array(CHARACTERS).fill(UNKNOWN);
const folded = new Uint32Array(CHARACTERS);

function learn(character) {
  folded[character] = character < 0x80 ? String.fromCharCode(character).toLowerCase().charCodeAt(0) : foldOf(character);
  if (character >= STRAY_BYTES && character < STRAY_BYTES + 256) return classes.letter;
  if (character >= 0x80) return classOf(character);
  return /[A-Za-z0-9]/.test(String.fromCharCode(character)) ? classes.letter : classes.other;
}

function knownClassOf(character) {
  if (known[character] === UNKNOWN) known[character] = learn(character);
  return known[character];
}

const SEQUENCES = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g;

/** The text of bytes, which are given with one character for each. */
function decoded(bytes) {
  const text = Buffer.from(bytes, 'latin1').toString();
  if (!text.includes('\ufffd')) return text;
  return bytes.replace(SEQUENCES, (sequence) =>
    sequence.length === 1
      ? String.fromCodePoint(STRAY_BYTES + sequence.charCodeAt(0))
      : Buffer.from(sequence, 'latin1').toString(),
  );
}

/** Each word as two numbers of 32 bits and its weight. `bytes` has one character for each byte of the text. */
export function wordsOf(bytes) {
  const words = [];
  let current;
  const add = (character) => {
    current[0] = Math.imul(current[0] ^ folded[character], 0x01000193);
    current[1] = Math.imul(current[1] ^ folded[character], 0x5bd1e995) + (current[1] >>> 15);
  };
  const begin = (weight) => {
    current = [0x811c9dc5, 0x9747b28c, weight];
    words.push(current);
  };
  for (const letter of decoded(bytes)) {
    const character = letter.codePointAt(0);
    const own = knownClassOf(character);
    if (own === classes.ignored) continue;
    if (own === classes.blankless) begin(LETTER_WEIGHT);
    else if (own === classes.letter && current?.[2] !== WORD_WEIGHT) begin(WORD_WEIGHT);
    if (own === classes.other || own === classes.space) current = undefined;
    else if (current !== undefined) add(character);
  }
  return words;
}
