// Reads bytes as a table in some dialect, to tell whether they are one: all rows have as many fields, and quotes are around whole fields.

import type { Dialect } from './dialect.js';

const [NEWLINE, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** Bytes at the start of an input that are looked at, unless there is a reason to look at all. */
export const LOOKED_AT_BYTES = 2 ** 16;

/** Rows that show a table, if all that was read is rows of it, and if something else follows them. */
const [MIN_ROWS, TRUSTED_ROWS] = [2, 8];

/** The place of a byte in its field. */
type Place = 'start' | 'plain' | 'quoted' | 'closed' | 'comment';

export class TableReading {
  /** The fields of the first row. */
  columns = 0;
  /** The line of the first line end within quotes, in a row that is complete; undefined if there is none. */
  brokenLine: number | undefined;
  /** The line of the first delimiter within quotes, in a row that is complete; undefined if there is none. */
  cutLine: number | undefined;
  /** True if the input has bytes that are not a row of the table. */
  isRefuted = false;
  readonly #delimiter: number;
  readonly #quote: number;
  #rows = 0;
  #lines = 0;
  #place: Place = 'start';
  #fields = 1;
  /** The line of the first line end within quotes in the row that is being read. */
  #brokenHere: number | undefined;
  /** The line of the first delimiter within quotes in that row. */
  #cutHere: number | undefined;
  readonly #comment: Uint8Array;
  /** The bytes of the row so far that are those of what comments begin with; undefined if another one was among them. */
  #commentBytes: number | undefined = 0;

  /** @param comment what lines begin with that are no rows; none by default */
  constructor({ delimiter, quote }: Pick<Dialect, 'delimiter' | 'quote'>, comment: Uint8Array = new Uint8Array(0)) {
    this.#comment = comment;
    this.#delimiter = delimiter;
    this.#quote = quote;
  }

  /** True if what was read is a table of several columns, in which lines end within quotes. */
  get hasBrokenLines(): boolean {
    return this.brokenLine !== undefined && this.#isTable;
  }

  /** True if it is a table of several columns, in which delimiters are within quotes. */
  get hasCutFields(): boolean {
    return this.cutLine !== undefined && this.#isTable;
  }

  get #isTable(): boolean {
    return this.#rows >= (this.isRefuted ? TRUSTED_ROWS : MIN_ROWS);
  }

  /** True if more bytes change no answer. */
  get isDecided(): boolean {
    return this.isRefuted || (this.brokenLine !== undefined && this.#rows >= TRUSTED_ROWS);
  }

  /** Takes the bytes that follow. */
  take(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length && !this.isRefuted; i++) this.#takeByte(bytes[i] as number);
  }

  /** Looks whether the row is a comment, whose bytes then have no other meaning. */
  #lookForComment(byte: number): void {
    if (this.#commentBytes === undefined) return;
    this.#commentBytes = byte === this.#comment[this.#commentBytes] ? this.#commentBytes + 1 : undefined;
    if (this.#commentBytes === this.#comment.length) this.#place = 'comment';
  }

  #takeByte(byte: number): void {
    this.#lookForComment(byte);
    const isQuote = byte === this.#quote;
    if (byte === NEWLINE) this.#lines += 1;
    if (this.#place === 'quoted') {
      if (isQuote) this.#place = 'closed';
      else if (byte === NEWLINE) this.#brokenHere ??= this.#lines;
      else if (byte === this.#delimiter) this.#cutHere ??= this.#lines + 1;
    } else if (byte === NEWLINE) this.#endRow();
    else if (this.#place === 'comment') return;
    else if (byte === this.#delimiter) {
      this.#fields += 1;
      this.#place = 'start';
    } else if (isQuote && this.#place !== 'plain') this.#place = 'quoted';
    else if (byte !== CARRIAGE_RETURN) {
      this.isRefuted = isQuote || this.#place === 'closed';
      this.#place = 'plain';
    }
  }

  #endRow(): void {
    const [fields, place] = [this.#fields, this.#place];
    this.#fields = 1;
    this.#place = 'start';
    this.#commentBytes = 0;
    if (place === 'comment') return;
    // A blank line is no row.
    if (fields === 1 && place === 'start') return;
    if (this.#rows === 0) this.columns = fields;
    this.isRefuted = fields !== this.columns || fields < 2;
    if (this.isRefuted) return;
    this.#rows += 1;
    this.brokenLine ??= this.#brokenHere;
    this.cutLine ??= this.#cutHere;
    this.#brokenHere = undefined;
    this.#cutHere = undefined;
  }
}
