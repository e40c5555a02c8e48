// The slow twin of passages: texts are cut into arrays of characters, and what was seen is a set of texts.

import { classes, classOf } from '../../../../tools/unicode/properties.mjs';

export interface PassageTwinOptions {
  by: 'paragraph' | 'line' | 'ngram' | 'document';
  separator?: string;
  ngram?: number;
  overlap?: number;
  minLength?: number;
  minWords?: number;
  skipEmpty?: boolean;
}

/** A span in characters, and the share of it that was seen. */
export type TwinSpan = [start: number, end: number, share: number];

const SPACED = String.raw`\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const BLANK = new RegExp(`^[${SPACED}]*$`, 'u');

const known = new Map<string, string>();

/** What a character is to words, as a letter: blank, letter, digit, a sign inside words, attached to the one before, or single. */
function kindOf(character: string): string {
  const code = character.codePointAt(0) as number;
  if (/^[A-Za-z_]$/.test(character)) return 'L';
  if (/^[0-9]$/.test(character)) return 'D';
  if (BLANK.test(character)) return 'B';
  if (/^[.'’]$/.test(character)) return 'E';
  if (/^[:·]$/.test(character)) return 'M';
  if (/^[,;]$/.test(character)) return 'N';
  if (code < 0x80) return 'S';
  const found = classOf(code);
  if (found === classes.letter) return 'L';
  return found === classes.mark || found === classes.ignored ? 'A' : 'S';
}

function knownKindOf(character: string): string {
  const kind = known.get(character) ?? kindOf(character);
  known.set(character, kind);
  return kind;
}

const WORD = /(?:LA*(?:[ME]A*(?=L))?|DA*(?:[NE]A*(?=D))?)+|[^B]A*/g;

/** Runs of letters and digits with the signs inside them, and every other character that is not blank; all with the marks after them. */
export function wordsOf(text: string): string[] {
  const characters = [...text];
  const kinds = characters.map(knownKindOf).join('');
  return [...kinds.matchAll(WORD)].map(({ index, 0: { length } }) => characters.slice(index, index + length).join(''));
}

function* paragraphsOf(text: string, separator: string): Generator<{ content: string; whole: string }> {
  const contents = text.split(separator);
  for (const [i, content] of contents.entries()) {
    yield { content, whole: i < contents.length - 1 ? content + separator : content };
  }
}

export class PassageTwin {
  readonly #seen = new Set<string>();
  readonly #options: PassageTwinOptions;

  constructor(options: PassageTwinOptions) {
    this.#options = options;
  }

  /** The spans of a text that were seen before; its passages are added. */
  find(text: string): TwinSpan[] {
    const { by, separator = '\n', overlap = 0.8 } = this.#options;
    const spans: TwinSpan[] = [];
    if (text === '') return spans;
    const passages = by === 'document' ? [{ content: text, whole: text }] : paragraphsOf(text, separator);
    let start = 0;
    for (const { content, whole } of passages) {
      const end = start + [...whole].length;
      if (!this.#isLeftOut(content)) {
        const share = this.#share(content);
        if (end > start && share >= (by === 'ngram' ? overlap : 1)) spans.push([start, end, share]);
      }
      start = end;
    }
    return spans;
  }

  #isLeftOut(content: string): boolean {
    const { minLength = 0, minWords = 0, skipEmpty = false } = this.#options;
    return [...content].length < minLength || wordsOf(content).length < minWords || (skipEmpty && BLANK.test(content));
  }

  #isSeen(key: string): boolean {
    const isSeen = this.#seen.has(key);
    this.#seen.add(key);
    return isSeen;
  }

  #share(content: string): number {
    const { by, ngram = 13 } = this.#options;
    if (by !== 'ngram') return this.#isSeen(`whole ${content}`) ? 1 : 0;
    const words = wordsOf(content);
    const count = Math.max(0, words.length - ngram + 1);
    const ngrams = Array.from({ length: count }, (_, i) => JSON.stringify(words.slice(i, i + ngram)));
    const seen = ngrams.filter((one) => this.#seen.has(one)).length;
    for (const one of ngrams) this.#seen.add(one);
    return count < 2 ? Number(this.#isSeen(`whole ${content}`)) : seen / count;
  }
}
