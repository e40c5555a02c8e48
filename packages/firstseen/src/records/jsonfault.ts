// Finds the first fault of a text that is not JSON (RFC 8259), and what was expected there. It is used only after a parser has refused
// the text, because the messages of parsers differ between engines.

export interface JsonFault {
  /** The offset of the first character that cannot be there; the length of the text if it ends too early. */
  readonly offset: number;
  readonly expected: string;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
/** The content of a string up to what ends it or cannot be in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has no control characters in strings.
const STRING_CONTENT = /(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*/y;

/** Scans a text, and throws a JsonFault at the first fault. Depth is kept in a list, because records may be nested deeply. */
class Scan {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  record(): void {
    const closers: ('}' | ']')[] = [];
    this.#space();
    do {
      this.#begin(closers);
      this.#end(closers);
    } while (closers.length > 0);
    if (this.#at < this.#text.length) this.#fail('the end of the record');
  }

  /** Reads up to the end of a value that is not an object or array with content; opens what is before it. */
  #begin(closers: ('}' | ']')[]): void {
    for (;;) {
      const bracket = this.#text[this.#at];
      if (bracket !== '{' && bracket !== '[') break;
      const closer = bracket === '{' ? '}' : ']';
      this.#at += 1;
      this.#space();
      if (this.#text[this.#at] === closer) {
        this.#at += 1;
        return;
      }
      closers.push(closer);
      if (closer === '}') this.#name(`a name in double quotes or "}"`);
    }
    this.#scalar();
  }

  /** Reads what follows a value, up to where the next one begins. */
  #end(closers: ('}' | ']')[]): void {
    this.#space();
    while (closers.length > 0) {
      const closer = closers.at(-1) as '}' | ']';
      const character = this.#text[this.#at];
      if (character !== ',' && character !== closer) this.#fail(`"," or "${closer}"`);
      this.#at += 1;
      this.#space();
      if (character === ',') {
        if (closer === '}') this.#name('a name in double quotes');
        return;
      }
      closers.pop();
    }
  }

  #name(expected: string): void {
    if (this.#text[this.#at] !== '"') this.#fail(expected);
    this.#string();
    this.#space();
    if (this.#text[this.#at] !== ':') this.#fail('":"');
    this.#at += 1;
    this.#space();
  }

  #string(): void {
    this.#at += 1;
    this.#match(STRING_CONTENT);
    if (this.#text[this.#at] === '"') {
      this.#at += 1;
      return;
    }
    if (this.#text[this.#at] === '\\') this.#fail('a valid escape');
    this.#fail(
      this.#at === this.#text.length ? 'a closing quote' : 'an escape such as \\n or \\t for a control character',
    );
  }

  #scalar(): void {
    if (this.#text[this.#at] === '"') this.#string();
    else if (!this.#match(NUMBER) && !this.#match(LITERAL)) this.#fail('a value');
  }

  #space(): void {
    this.#match(SPACE);
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const isFound = pattern.test(this.#text);
    if (isFound) this.#at = pattern.lastIndex;
    return isFound;
  }

  #fail(expected: string): never {
    throw { offset: this.#at, expected } satisfies JsonFault;
  }
}

/** The first fault of a text; undefined if it is JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  try {
    new Scan(text).record();
    return undefined;
  } catch (fault) {
    if (fault instanceof Error) throw fault;
    return fault as JsonFault;
  }
}
