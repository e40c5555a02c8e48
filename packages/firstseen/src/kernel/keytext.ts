// Texts and JSON values of keys that are equal by rules, where the kernel (assembly/scan/equal.ts) leaves them to its host: texts
// with other characters than ASCII, and JSON. Pure functions of bytes.

import { encodeText } from '../base/utf8.js';
import {
  EQUAL_CASE,
  EQUAL_DIGITS,
  EQUAL_GROWTH,
  EQUAL_NFC,
  EQUAL_NFKC,
  EQUAL_ORDER,
  EQUAL_SPARE_BYTES,
  EQUAL_TRIM,
} from './abi.js';

/** Numbers with such an exponent are compared as they are written. */
const MAX_EXPONENT = 1e12;

/** Levels of a JSON value. A deeper one is a key as it is written. */
const MAX_DEPTH = 256;

const NUMBER = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A number in the digits of its value: 1.0, 1e0 and 01 are 1, and 0.5 is 5e-1. All digits count, also those that a double cannot have.
 * Another text stays as it is, and so does a number with an absurd exponent.
 */
export function equalNumber(text: string): string {
  const [, sign, wholeDigits, fraction = '', power = '0'] = NUMBER.exec(text) ?? [];
  if (wholeDigits === undefined || Math.abs(Number(power)) >= MAX_EXPONENT) return text;
  const digits = (wholeDigits + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const exponent = Number(power) - fraction.length + (digits.length - significant.length);
  const isShort = exponent > 0 && significant.length + exponent <= EQUAL_DIGITS;
  const scale = exponent === 0 ? '' : isShort ? '0'.repeat(exponent) : `e${exponent}`;
  return `${sign === '-' ? '-' : ''}${significant}${scale}`;
}

/** A text under the rules. The upper case comes first, because several letters may have one: ß is SS. */
export function equalText(text: string, rules: number): string {
  const form = rules & EQUAL_NFKC ? 'NFKC' : rules & EQUAL_NFC ? 'NFC' : undefined;
  const normalized = (one: string) => (form === undefined ? one : one.normalize(form));
  const trimmed = rules & EQUAL_TRIM ? normalized(text).trim() : normalized(text);
  return rules & EQUAL_CASE ? normalized(trimmed.toUpperCase().toLowerCase()) : trimmed;
}

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of bytes; undefined if they are not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const isSpace = (byte: number | undefined) => byte === 0x20 || (byte !== undefined && byte >= 9 && byte <= 13);

/** Bytes that are not UTF-8 under the rules, which hold for ASCII alone. */
function equalBytes(bytes: Uint8Array, rules: number): Uint8Array {
  let [start, end] = [0, bytes.length];
  if (rules & EQUAL_TRIM) {
    while (start < end && isSpace(bytes[start])) start++;
    while (start < end && isSpace(bytes[end - 1])) end--;
  }
  const trimmed = bytes.slice(start, end);
  return rules & EQUAL_CASE ? trimmed.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte)) : trimmed;
}

/** A member of an object: its name, and its text as it is written. */
interface Member {
  name: string;
  text: string;
}

/** Reads a JSON text from its front to its end, and writes it with the members of objects in the order of their names (RFC 8785, 3.2.3). */
class JsonWriter {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The whole text as one value; undefined if it is not JSON or too deep. */
  write(): string | undefined {
    const value = this.#value(0);
    return this.#match(/\s*/y) !== undefined && this.#at === this.#text.length ? value : undefined;
  }

  #match(form: RegExp): string | undefined {
    form.lastIndex = this.#at;
    const found = form.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #value(depth: number): string | undefined {
    this.#match(/\s*/y);
    const first = this.#text[this.#at];
    if (depth > MAX_DEPTH) return undefined;
    if (first === '{') return this.#object(depth + 1);
    if (first === '[') return this.#array(depth + 1);
    if (first === '"') return this.#string();
    const scalar = this.#match(/[^\s,:[\]{}"]+/y);
    return scalar === undefined ? undefined : equalNumber(scalar);
  }

  #string(): string | undefined {
    const token = this.#match(/"(?:[^"\\]|\\.)*"/sy);
    try {
      return token === undefined ? undefined : JSON.stringify(JSON.parse(token));
    } catch {
      return undefined;
    }
  }

  /**
   * Returns the items between an opening bracket and its closing one, each read by `read`; undefined if that is not
   * JSON.
   */
  #items<Item>(end: RegExp, read: () => Item | undefined): Item[] | undefined {
    this.#at++;
    const items: Item[] = [];
    if (this.#match(end) !== undefined) return items;
    do {
      const item = read();
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.#match(/\s*,/y) !== undefined);
    return this.#match(end) === undefined ? undefined : items;
  }

  #array(depth: number): string | undefined {
    const items = this.#items(/\s*\]/y, () => this.#value(depth));
    return items && `[${items.join(',')}]`;
  }

  #member(depth: number): Member | undefined {
    this.#match(/\s*/y);
    const name = this.#string();
    if (name === undefined || this.#match(/\s*:/y) === undefined) return undefined;
    const value = this.#value(depth);
    return value === undefined ? undefined : { name: JSON.parse(name), text: `${name}:${value}` };
  }

  #object(depth: number): string | undefined {
    const members = this.#items(/\s*\}/y, () => this.#member(depth));
    if (!members) return undefined;
    members.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
    return `{${members.map(({ text }) => text).join(',')}}`;
  }
}

/** A key, or a part of one, as its bytes are under the rules: a text, or with EQUAL_ORDER a JSON value. */
export function equalKeyBytes(bytes: Uint8Array, rules: number): Uint8Array {
  const text = textOf(bytes);
  if (rules === EQUAL_ORDER) {
    const written = text === undefined ? undefined : new JsonWriter(text).write();
    return written === undefined ? bytes : encodeText(written);
  }
  return text === undefined ? equalBytes(bytes, rules) : encodeText(equalText(text, rules));
}

/**
 * Writes the equal form of the key in [start, end) to the target, and returns its end; 0 if it grows too long. The
 * kernel calls it.
 */
export type EqualKey = (start: number, end: number, target: number, rules: number) => number;

/** The function that the kernel calls for keys in its memory. */
export function equalKeyIn(memory: WebAssembly.Memory): EqualKey {
  return (start, end, target, rules) => {
    const bytes = new Uint8Array(memory.buffer);
    // A copy, because texts are not decoded from shared memory everywhere.
    const key = bytes.slice(start >>> 0, end >>> 0);
    const equalKey = equalKeyBytes(key, rules);
    if (equalKey.length > key.length * EQUAL_GROWTH + EQUAL_SPARE_BYTES) return 0;
    bytes.set(equalKey, target >>> 0);
    return (target >>> 0) + equalKey.length;
  };
}
