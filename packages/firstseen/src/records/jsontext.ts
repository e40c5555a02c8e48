// Finds a value in the text of a JSON object, as the scanner of the kernel does: everything else is skipped without a check. The
// text is a string with one character for each byte, so that bytes that are not valid UTF-8 stay as they are.

import { FirstseenError } from '../base/errors.js';
import { byteString, encodeText } from '../base/utf8.js';
import { withoutSeparators } from './jsonsequence.js';
import { EVERY_ITEM, hasEveryItem, type KeyPath } from './keypath.js';

const BLANKS = /[ \t\r\n]*/y;
const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const SCALAR = /[A-Za-z0-9+./-]+/y;
const ENDS_OF_VALUES = [',', '}', ']'];
/** The quotes, backslashes and brackets, which change where brackets count; a backslash is only in strings. */
const QUOTE_OR_BRACKET = /["\\[\]{}]/g;
/** Escapes of code units in a row, because two of them may be a surrogate pair. */
const ESCAPES = /(?:\\u[\s\S]{4})+|\\[\s\S]/g;

function malformed(problem: string): FirstseenError {
  return new FirstseenError('E_RECORD', `a record ${problem}`, { remedy: 'pass the text of one JSON object' });
}

function decodeEscapes(escapes: string): string {
  try {
    return byteString(encodeText(JSON.parse(`"${escapes}"`) as string));
  } catch {
    throw malformed(`has the invalid escape ${escapes}`);
  }
}

/** A string with its quotes and its escapes decoded; another value as it is. */
export function decodedValue(token: string): string {
  return token.startsWith('"') ? token.replace(ESCAPES, decodeEscapes) : token;
}

class Walk {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = withoutSeparators(text);
  }

  /** The next byte that is not blank. */
  next(): string {
    this.#take(BLANKS);
    return this.#text[this.#at] ?? '';
  }

  /** The text of the value that begins here. */
  value(): string {
    const first = this.next();
    const start = this.#at;
    if (first === '{' || first === '[') this.#skipNested();
    else if (this.#take(first === '"' ? STRING : SCALAR) === '') throw malformed('ends within a value, or has none');
    return this.#text.slice(start, this.#at);
  }

  /** Goes to the value of a member of the object that begins here. Returns whether it has that member. */
  toMember(name: string): boolean {
    for (let isFound = this.#open('{', '}'); isFound; isFound = this.#toNext('}')) {
      if (this.next() !== '"') throw malformed('has a member without a name');
      const memberName = decodedValue(this.value());
      if (this.next() !== ':') throw malformed('has a name without a value');
      this.#at++;
      this.next();
      if (memberName === name) return true;
      this.value();
    }
    return false;
  }

  /** Goes to an item of the array that begins here. Returns whether it has that item. */
  toItem(index: number): boolean {
    let isFound = this.#open('[', ']');
    for (let i = 0; isFound && i < index; i++) {
      this.value();
      isFound = this.#toNext(']');
    }
    return isFound;
  }

  /** The texts of the values at a path from here on; undefined if one of them is missing. */
  values([segment, ...innerPath]: KeyPath): string[] | undefined {
    if (segment === undefined) return [endedValue(this)];
    if (segment !== EVERY_ITEM) {
      const isFound = typeof segment === 'number' ? this.toItem(segment) : this.toMember(nameOf(segment));
      return isFound ? this.values(innerPath) : undefined;
    }
    if (this.next() !== '[') return undefined;
    const values: string[] = [];
    for (let isFound = this.#open('[', ']'); isFound; isFound = this.#toNext(']')) {
      const start = this.#at;
      const innerValues = this.values(innerPath);
      if (innerValues === undefined) return undefined;
      values.push(...innerValues);
      this.#at = start;
      this.value();
    }
    return values;
  }

  /** Moves past the opening bracket. Returns whether the value has this bracket, and anything inside it. */
  #open(open: string, close: string): boolean {
    if (this.next() !== open) return false;
    this.#at++;
    return this.next() !== close;
  }

  /** Goes from the end of a value to the next one in the same brackets. Returns whether there is one. */
  #toNext(close: string): boolean {
    const byte = this.next();
    if (byte !== ',' && byte !== close) throw malformed('has neither a comma nor a bracket after a value');
    this.#at++;
    this.next();
    return byte === ',';
  }

  #skipNested(): void {
    let depth = 0;
    do {
      QUOTE_OR_BRACKET.lastIndex = this.#at;
      const match = QUOTE_OR_BRACKET.exec(this.#text);
      if (!match) throw malformed('ends within a value');
      this.#at = match.index;
      if (match[0] === '"') {
        if (this.#take(STRING) === '') throw malformed('ends within a string');
        continue;
      }
      if (match[0] === '\\') throw malformed('has a backslash outside of a string');
      this.#at++;
      depth += match[0] === '{' || match[0] === '[' ? 1 : -1;
    } while (depth > 0);
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken = ''] = pattern.exec(this.#text) ?? [];
    this.#at += taken.length;
    return taken;
  }
}

/**
 * Checks that a text is one object from its first brace to its last, as the kernel does (assembly/scan/objects.ts). The records after the
 * first in a text would be lost with it, if they were skipped like the rest of a record.
 * @throws FirstseenError E_RECORD for another text
 */
export function checkOneObject(text: string): void {
  const walk = new Walk(text);
  if (walk.next() !== '{') throw malformed('is not a JSON object');
  if (!walk.value().endsWith('}')) throw malformed('ends its object with a square bracket');
  if (walk.next() !== '') throw malformed('has more after its JSON object');
}

/** A name as the text of an object has it, with its quotes. */
function nameOf(segment: string): string {
  return `"${byteString(encodeText(segment))}"`;
}

/** The text of the value that begins here. */
function endedValue(walk: Walk): string {
  const value = walk.value();
  if (!ENDS_OF_VALUES.includes(walk.next())) throw malformed('has neither a comma nor a bracket after a value');
  return value;
}

/**
 * The text of the value at a path in the text of an object, both with one character for each byte; undefined if there is none. If a
 * name is repeated, the first member counts. The values of all items of an array are an array of them.
 * @throws FirstseenError E_RECORD when the object, which `checkOneObject` has checked, is malformed on the way to the value
 */
export function valueAt(text: string, path: KeyPath): string | undefined {
  const values = new Walk(text).values(path);
  if (!hasEveryItem(path)) return values?.[0];
  return values === undefined || values.length === 0 ? undefined : `[${values.join(',')}]`;
}
