// A second implementation of the words of Unicode: a list of characters, whose properties are looked up in lists of ranges.

import { classes, classOf, foldOf } from '../../../../../tools/unicode/properties.mjs';

export interface ReferenceShingle {
  unit: 'words' | 'characters' | 'tokens' | 'auto';
  length: number;
  /** The letters that are equal in both cases. */
  folds: 'none' | 'ascii' | 'simple';
  /** Whether a document may be several texts with a boundary between them; false by default. */
  hasBoundaries?: boolean;
}

export interface ReferenceWord {
  /** Its bytes, as a string with one character per byte. */
  text: string;
  /** Whether it is a letter of a script without blanks. */
  isLone: boolean;
}

interface Character {
  /** Undefined for a byte that belongs to no character. */
  code: number | undefined;
  text: string;
}

const known = new Map<number, number>();

function knownClassOf(code: number): number {
  const own = known.get(code) ?? classOf(code);
  known.set(code, own);
  return own;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const bytesOf = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

/** The character of exactly these bytes, if there is one. */
function characterOf(bytes: Uint8Array): string | undefined {
  try {
    const [character, ...others] = utf8.decode(bytes);
    return others.length === 0 ? character : undefined;
  } catch {
    return undefined;
  }
}

function charactersOf(document: Uint8Array): Character[] {
  const found: Character[] = [];
  for (let at = 0; at < document.length; ) {
    const length = [1, 2, 3, 4].find((count) => characterOf(document.slice(at, at + count)) !== undefined);
    const text = String.fromCharCode(...document.slice(at, at + (length ?? 1)));
    const character = length === undefined ? undefined : characterOf(document.slice(at, at + length));
    found.push({ code: character?.codePointAt(0), text });
    at += length ?? 1;
  }
  return found;
}

function folded({ code, text }: Character, folds: ReferenceShingle['folds']): string {
  if (code === undefined || folds === 'none') return text;
  if (code < 0x80) return text.toLowerCase();
  return folds === 'ascii' ? text : bytesOf(String.fromCodePoint(foldOf(code)));
}

function kindOf({ code }: Character, isOfTokens: boolean): number {
  if (code === undefined) return classes.letter;
  if (code >= 0x80) {
    const own = knownClassOf(code);
    if (!isOfTokens || own === classes.ignored) return own;
    return own === classes.space ? own : classes.letter;
  }
  const parts = isOfTokens ? /[^\t-\r ,[\]]/ : /[A-Za-z0-9]/;
  return parts.test(String.fromCharCode(code)) ? classes.letter : classes.other;
}

function spacedWordsOf(document: Uint8Array, { unit, folds }: ReferenceShingle): ReferenceWord[] {
  const words: ReferenceWord[] = [];
  let current: ReferenceWord | undefined;
  const begin = (text: string, isLone: boolean) => {
    current = { text, isLone };
    words.push(current);
  };
  for (const character of charactersOf(document)) {
    const kind = kindOf(character, unit === 'tokens');
    const text = folded(character, folds);
    if (kind === classes.ignored) continue;
    if (kind === classes.blankless) begin(text, true);
    else if (kind === classes.letter && (current === undefined || current.isLone)) begin(text, false);
    else if (kind === classes.letter && current) current.text += text;
    else if (kind === classes.mark && current) current.text += text;
    else if (kind !== classes.mark) current = undefined;
  }
  return words;
}

/** Characters: runs of blanks are one, and none are at either end. Bytes that continue a character belong to it. */
function singleCharactersOf(document: Uint8Array, { folds }: ReferenceShingle): ReferenceWord[] {
  const isBlank = ({ code }: Character) =>
    code !== undefined &&
    (code < 0x80 ? /[\t-\r ]/.test(String.fromCharCode(code)) : knownClassOf(code) === classes.space);
  const isSeen = ({ code }: Character) => code === undefined || code < 0x80 || knownClassOf(code) !== classes.ignored;
  const seen = charactersOf(document).filter(isSeen);
  const texts = seen.map((character) => (isBlank(character) ? ' ' : folded(character, folds)));
  const joined = texts.join('').replace(/ +/g, ' ').replace(/^ | $/g, '');
  return (joined.match(/.[\x80-\xbf]*/gs) ?? []).map((text) => ({ text, isLone: false }));
}

/** The words, characters or tokens of a document, with one character per byte. */
export function wordsOf(document: Uint8Array, shingle: ReferenceShingle): ReferenceWord[] {
  return shingle.unit === 'characters' ? singleCharactersOf(document, shingle) : spacedWordsOf(document, shingle);
}
