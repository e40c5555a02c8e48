// Lines before the records of an input, which are not records: those that are skipped, and comments and blank lines before a header.

import { joinBytes } from '../base/utf8.js';
import { bytesBetween } from '../kernel/bytes.js';
import type { Kernel } from '../kernel/kernel.js';
import { isCommentLine } from '../records/comments.js';
import { NEWLINE } from '../records/formats.js';
import type { ByteWindow } from './window.js';

const NO_BYTES = new Uint8Array(0);

/** The lines before the records. */
export interface LinesBeforeOptions {
  /** Lines at the start that are skipped, whatever is in them. */
  skipLines: number;
  /** The prefix of comments; empty if the input has no comments. */
  comment: Uint8Array;
}

export const noLinesBefore: LinesBeforeOptions = { skipLines: 0, comment: NO_BYTES };

interface LinesBeforeParts {
  kernel: Kernel;
  options: LinesBeforeOptions;
  window: ByteWindow;
  /** @throws FirstseenError when the lines have so many bytes that they are longer than allowed */
  checkLength: (bytes: number) => void;
}

export class LinesBefore {
  /** The bytes and lines that were taken of the window, which the input does not count yet. */
  offset = 0;
  lines = 0;
  /** The line that names the delimiter, as long as it is the last one. It belongs to the header then. */
  separator: Uint8Array = NO_BYTES;
  hasSeparator = false;
  readonly #parts: LinesBeforeParts;
  #skipped = 0;
  #texts: Uint8Array[] = [];
  #textBytes = 0;

  constructor(parts: LinesBeforeParts) {
    this.#parts = parts;
  }

  /** The lines that are not blank: what an output has before the header or the first record. */
  get text(): Uint8Array {
    return joinBytes(this.#texts);
  }

  get #isSkipping(): boolean {
    return this.#skipped < this.#parts.options.skipLines;
  }

  /** Takes the lines that are skipped. False if it has to wait for more bytes. */
  skip(): boolean {
    while (this.#isSkipping && this.#takeLine());
    const { start, end, endsRecord } = this.#parts.window;
    return !this.#isSkipping || (start === end && endsRecord);
  }

  /** Takes the lines up to one that may be the header. False if it has to wait for more bytes. */
  toHeader(): boolean {
    while (this.#isNext && this.#takeLine());
    return this.#parts.window.isFinal || this.#isNext === false;
  }

  /** Takes a line of the window that is blank or names the delimiter. */
  pass(line: Uint8Array, newlines: number, isSeparator: boolean): void {
    this.offset += line.length;
    this.lines += newlines;
    if (!isSeparator) return;
    this.separator = line;
    this.hasSeparator = true;
  }

  /** True if the next line is skipped or a comment; undefined if more bytes can tell. */
  get #isNext(): boolean | undefined {
    const { kernel, options, window } = this.#parts;
    return this.#isSkipping || isCommentLine(bytesBetween(kernel, window.start, window.end), options.comment);
  }

  /** Takes the next line, if it ends in the window. */
  #takeLine(): boolean {
    const { kernel, window, checkLength } = this.#parts;
    const { start, end, endsRecord } = window;
    const newline = kernel.exports.findByte(start, end, NEWLINE) >>> 0;
    const lineEnd = newline < end ? newline + 1 : end;
    checkLength(this.#textBytes + lineEnd - start);
    if (start === end || (newline === end && !endsRecord)) return false;
    this.#skipped += 1;
    // The separator before this line is not directly before the header.
    this.#texts.push(this.separator, bytesBetween(kernel, start, lineEnd).slice());
    this.separator = NO_BYTES;
    this.#textBytes += lineEnd - start;
    this.pass(bytesBetween(kernel, start, lineEnd), 1, false);
    window.advance(lineEnd);
    return true;
  }
}
