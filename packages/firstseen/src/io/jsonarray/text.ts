// The text of a JSON array as lines: each element on a line, without the blanks between its tokens. The text comes in chunks.

import { BYTE_ORDER_MARK, NEWLINE } from '../../records/formats.js';

const TAB = 0x09;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The places in the text of an array. */
const BEFORE_ARRAY = 0;
/** The place after the opening bracket, where the array may also end. */
const BEFORE_FIRST = 1;
const BEFORE_ELEMENT = 2;
const IN_ELEMENT = 3;
const AFTER_ELEMENT = 4;
const AFTER_ARRAY = 5;

/** The text is not one JSON array. */
export class ArrayFault extends Error {
  /** True if it does not begin as one. */
  readonly isOther: boolean;

  constructor(problem: string, isOther = false) {
    super(problem);
    this.isOther = isOther;
  }
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
}

/** Tells if a byte belongs to a number, or to `true`, `false` or `null`. Two of them with a blank between are two values. */
function isWord(byte: number): boolean {
  return (
    byte !== QUOTE &&
    byte !== COMMA &&
    byte !== COLON &&
    byte !== OPEN_BRACKET &&
    byte !== CLOSE_BRACKET &&
    byte !== OPEN_BRACE &&
    byte !== CLOSE_BRACE
  );
}

/** Makes lines of the text of an array, chunk by chunk. */
export class ArrayLines {
  #place = BEFORE_ARRAY;
  /** The number of objects and arrays that are open within the element. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The last byte that is not a blank. */
  #last = COMMA;
  #wasBlank = false;
  /** The number of bytes before the chunk. */
  #bytesBefore = 0;
  /** The fault after the lines that were returned last. */
  #fault: ArrayFault | undefined;

  /**
   * Replaces the text at the start of a chunk by the lines of its elements, which are never longer. The lines before a fault are
   * returned first.
   * @returns the number of bytes of these lines
   * @throws ArrayFault at the next call, when the text is not one JSON array
   */
  replace(chunk: Uint8Array, bytes: number): number {
    if (this.#fault) throw this.#fault;
    let end = 0;
    try {
      for (let at = 0; at < bytes; at++) {
        const line = this.#take(chunk[at] as number, at);
        if (line !== undefined) chunk[end++] = line;
      }
    } catch (fault) {
      this.#fault = fault as ArrayFault;
      if (end === 0) throw fault;
    }
    this.#bytesBefore += bytes;
    return end;
  }

  /** @throws ArrayFault when the array has not ended */
  end(): void {
    if (this.#fault) throw this.#fault;
    if (this.#place === AFTER_ARRAY) return;
    if (this.#place === BEFORE_ARRAY) throw new ArrayFault('it is empty, and no JSON array', true);
    throw new ArrayFault(`it ends within the JSON array, after byte ${this.#bytesBefore}`);
  }

  /** @returns the byte of a line in place of this byte, if there is one */
  #take(byte: number, at: number): number | undefined {
    if (this.#isInString) {
      this.#inString(byte, at);
      return byte;
    }
    if (isBlank(byte)) {
      this.#wasBlank = true;
      return undefined;
    }
    if (this.#place !== IN_ELEMENT || this.#depth === 0) return this.#betweenElements(byte, at);
    this.#inElement(byte, at);
    return byte;
  }

  #inString(byte: number, at: number): void {
    if (byte < SPACE) this.#fail('a string has a control character', at);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInString = false;
  }

  /** Goes on within an object or an array. */
  #inElement(byte: number, at: number): void {
    this.#checkWord(byte, at);
    if (byte === QUOTE) this.#isInString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --this.#depth === 0) this.#place = AFTER_ELEMENT;
  }

  /** @returns the byte that is written, if one is */
  #betweenElements(byte: number, at: number): number | undefined {
    const place = this.#place;
    if (place === AFTER_ARRAY) this.#fail('text follows the end of the JSON array', at);
    if (place === BEFORE_ARRAY) {
      this.#beginArray(byte, at);
      return undefined;
    }
    if (place === IN_ELEMENT || place === AFTER_ELEMENT) {
      if (byte === COMMA || byte === CLOSE_BRACKET) return this.#endElement(byte);
      if (place === AFTER_ELEMENT) this.#fail('a comma is missing between two elements of the JSON array', at);
      this.#checkWord(byte, at);
      return byte;
    }
    if (byte === CLOSE_BRACKET && place === BEFORE_FIRST) {
      this.#place = AFTER_ARRAY;
      return undefined;
    }
    return this.#beginElement(byte, at);
  }

  #beginArray(byte: number, at: number): void {
    if (this.#bytesBefore + at < BYTE_ORDER_MARK.length && byte === BYTE_ORDER_MARK[this.#bytesBefore + at]) return;
    if (byte === OPEN_BRACKET) this.#place = BEFORE_FIRST;
    else throw new ArrayFault(`it is no JSON array, which begins with [`, true);
  }

  #beginElement(byte: number, at: number): number {
    if (byte === COMMA || byte === CLOSE_BRACKET) this.#fail('an element of the JSON array is missing', at);
    this.#place = IN_ELEMENT;
    this.#last = byte;
    this.#wasBlank = false;
    if (byte === QUOTE) {
      this.#isInString = true;
      this.#place = AFTER_ELEMENT;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth = 1;
    return byte;
  }

  #endElement(byte: number): number {
    this.#place = byte === COMMA ? BEFORE_ELEMENT : AFTER_ARRAY;
    return NEWLINE;
  }

  /** @throws ArrayFault when a blank separates two values, which would be one without it */
  #checkWord(byte: number, at: number): void {
    if (this.#wasBlank && isWord(byte) && isWord(this.#last)) this.#fail('a comma is missing between two values', at);
    this.#wasBlank = false;
    this.#last = byte;
  }

  #fail(problem: string, at: number): never {
    throw new ArrayFault(`${problem}, at byte ${this.#bytesBefore + at + 1}`);
  }
}
