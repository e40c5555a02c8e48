// The slow twin of passages: texts are cut into arrays of characters, and what was seen is a set of texts.

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

const BLANK = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/u;
const LETTER = String.raw`(?:[A-Za-z_ªµº]|[^\x00-\xbf×÷\u1680\u2000-\u200a\u2010-\u206f\u3000-\u309f\u3400-\u9fff\uf900-\ufaff\uff01-\uff0f\u{20000}-\u{3ffff}])`;
const DIGIT = '[0-9]';
const WORD = `(?:${LETTER}(?:[:.'·’](?=${LETTER}))?|${DIGIT}(?:[.,;'’](?=${DIGIT}))?)+`;

/** Runs of letters and digits with the signs inside them, and every other character that is not blank. */
export function wordsOf(text: string): string[] {
  const words = text.match(new RegExp(`${WORD}|.`, 'gsu')) ?? [];
  return words.filter((word) => !BLANK.test(word));
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
        if (share >= (by === 'ngram' ? overlap : 1)) spans.push([start, end, share]);
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
    let seen = 0;
    for (let i = 0; i < count; i++) if (this.#isSeen(JSON.stringify(words.slice(i, i + ngram)))) seen++;
    if (count >= 2) return seen / count;
    return this.#isSeen(`whole ${content}`) ? 1 : 0;
  }
}
