// Cuts the bytes of an input into batches of records with verdicts. The caller puts the bytes of a
// file or a stream into the window in chunks that end anywhere, and writes what the cutter gives.

import { joinBytes } from '../base/utf8.js';
import { bytesBetween } from '../kernel/bytes.js';
import type { Kernel } from '../kernel/kernel.js';
import { decisions, recordClasses } from '../records/classes.js';
import {
  BYTE_ORDER_MARK,
  endsWithByte,
  mayBeginWithMark,
  type RecordFormat,
  recordFormats,
  unitOf,
} from '../records/formats.js';
import { separatorBytes } from '../records/separator.js';
import { type BatchOptions, boundTimes, type Failure, linesBetween, takeBatch } from './batch.js';
import { foreignContentError, foreignContentOf } from './content/content.js';
import { decide, locationOf, longHeaderError, refuseFirst, tooLongError, wrongLengthError } from './exceptions.js';
import { isBlankLine } from './header.js';
import { JOINED_END } from './joined.js';
import { findLineKeys } from './linekeys.js';
import { LinesBefore, noLinesBefore } from './linesbefore.js';
import { isTooLong, LongRecord, RecordEnd } from './longrecord.js';
import { bytesBeforeSwallowed, firstBrokenRow } from './swallowed.js';
import type { ByteWindow } from './window.js';

const NEWLINE = 0x0a;
const NO_BYTES = new Uint8Array(0);

/** The part of an input that was taken. */
export interface Position {
  /** Bytes. */
  offset: number;
  /** Lines, or records in a format without lines. */
  lines: number;
}

/** The names by which messages call an input. */
export interface InputNames {
  name: string;
  /** The path of its file, if it has one. */
  path: string | undefined;
}

/** An input. */
export interface CutInput<Window extends ByteWindow> {
  names: InputNames;
  window: Window;
  /** The position in the input at which the window begins. It moves when records are taken. */
  position: Position;
  /** The required number of fields of a row, if every record is validated in full. Known once there is a header. */
  columnCount?: number | undefined;
}

/** Records at the front of the kernel's batch, which have verdicts. */
export interface CutRecords {
  kind: 'records';
  count: number;
}

/** A piece of a record that is longer than allowed. */
export interface CutPiece {
  kind: 'piece';
  /** The bytes that go to the output: none if the record is dropped. */
  bytes: Uint8Array;
  /** True if the record ends with this piece. */
  isLast: boolean;
  /** The verdict of the record. */
  verdict: number;
}

export type Cut = CutRecords | CutPiece;

/** The part of the input that the caller was given. It is taken when the caller asks for that. */
interface Given extends Position {
  /** The address after it. */
  end: number;
  /** The error because of which the next record has no verdict. */
  failure?: Failure | undefined;
}

export class Cutter<Window extends ByteWindow = ByteWindow> {
  columnCount: number | undefined;
  readonly window: Window;
  readonly #options: BatchOptions;
  readonly #kernel: Kernel;
  readonly #names: InputNames;
  readonly #position: Position;
  readonly #recordEnd: RecordEnd;
  /** True if a record of the input was taken that is not a blank line. */
  #hasFirst: boolean;
  readonly #longRecord: LongRecord;
  readonly #before: LinesBefore;
  #given: Given | undefined;
  /** True if the first bytes of the input were looked at. */
  #isKnownText = false;

  constructor(options: BatchOptions, { names, window, position, columnCount }: CutInput<Window>) {
    this.#options = options;
    this.#kernel = options.kernel;
    this.#names = names;
    this.window = window;
    this.#position = position;
    this.columnCount = columnCount;
    this.#recordEnd = new RecordEnd(options.kernel, options.format);
    this.#before = new LinesBefore({
      ...{ kernel: options.kernel, window, options: options.linesBefore ?? noLinesBefore },
      checkLength: (bytes) => {
        if (isTooLong(options, bytes)) throw this.#longHeader();
      },
    });
    this.#longRecord = new LongRecord(this.#recordEnd);
    this.#hasFirst = this.#isPastStart;
  }

  get #isPastStart(): boolean {
    return this.#position.lines > 0 || this.#position.offset > BYTE_ORDER_MARK.length;
  }

  /** True if records of the input were taken, so that it is known not to be a JSON array. */
  get isBegun(): boolean {
    return this.#isPastStart && (this.#hasFirst || this.#options.format !== 'ndjson');
  }

  /** True if the cutter is inside a record that is longer than allowed. */
  get isInRecord(): boolean {
    return this.#longRecord.isOpen;
  }

  /** True if the beginning of a record was given to be written, but not its end. */
  get isInWrittenRecord(): boolean {
    return this.#longRecord.isOpen && this.#longRecord.isPassed;
  }

  /** The bytes of the input in the window, and the lines before them. */
  get beginning(): { bytes: Uint8Array; lines: number } {
    const { start, end } = this.window;
    return { bytes: bytesBetween(this.#kernel, start, end), lines: this.#position.lines + this.#before.lines };
  }

  /** The location of the next record, for a message. */
  get location(): string {
    return this.#locationAfter(0, 0);
  }

  /** The location of a record of the batch that was given. */
  locationInBatch(index: number): string {
    const { start } = this.window;
    const end = this.#kernel.recordStarts[index] as number;
    return this.#locationAfter(linesBetween(this.#options, start, end, index), end - start);
  }

  #locationAfter(lines: number, bytes: number): string {
    const { format } = this.#options;
    const offset = format === 'warc' ? this.#position.offset + bytes : undefined;
    return locationOf(this.#names.name, unitOf(format), this.#position.lines + lines + 1, offset);
  }

  /**
   * Checks the start of a text, and skips a byte order mark there. False if it has to wait for more bytes.
   * @throws FirstseenError E_INPUT for content that is not text in UTF-8.
   */
  begin(): boolean {
    if (this.#position.offset > 0) return true;
    if (!this.#isChecked()) return false;
    if (['none', 'headers'].includes(recordFormats[this.#options.format].keys)) return true;
    const { start, end, isFinal } = this.window;
    const first = bytesBetween(this.#kernel, start, end).subarray(0, BYTE_ORDER_MARK.length);
    if (!mayBeginWithMark(first)) return true;
    if (first.length < BYTE_ORDER_MARK.length) return isFinal;
    this.count(first.length, 0);
    this.window.advance(start + first.length);
    return true;
  }

  /** Tells if the start of the input is known to be text, or is numbers. @throws FirstseenError as `begin`. */
  #isChecked(): boolean {
    const format: RecordFormat = recordFormats[this.#options.format];
    if (this.#isKnownText || format.isBinary) return true;
    const { start, end, isFinal } = this.window;
    const content = foreignContentOf(bytesBetween(this.#kernel, start, end), isFinal, this.#options.format === 'nul');
    if (content === 'unknown') return false;
    if (content && content.format !== this.#options.format) throw foreignContentError(content, this.#names);
    this.#isKnownText = true;
    return true;
  }

  /** The lines before the header or the first record that are not blank. */
  get textBefore(): Uint8Array {
    return this.#before.text;
  }

  /**
   * Takes the lines that are skipped at the start of an input without a header. False if it has to wait for more bytes.
   * @throws FirstseenError E_RECORD when they are longer than allowed.
   */
  skip(): boolean {
    if (this.#position.lines > 0) return true;
    if (!this.#before.skip()) return false;
    this.count(this.#before.offset, this.#before.lines);
    return true;
  }

  /**
   * The header of a table, without the blank lines before it, but with a line that names the delimiter. `advance` takes it with them.
   * Undefined if it has to wait for more bytes, or if the input has ended. The scanner must be set to `headerScan`.
   * @param onSeparator called with that line before the rest of the header is framed
   * @throws FirstseenError E_RECORD when the header is longer than allowed, E_INPUT as `begin`.
   */
  header(onSeparator?: (line: Uint8Array) => void): Uint8Array | undefined {
    if (!this.#isChecked()) return undefined;
    while (this.#before.toHeader() && this.#frame() > 0) {
      if (this.#kernel.recordClasses[0] === recordClasses.TOO_LONG.code) throw this.#longHeader();
      const { start } = this.window;
      const end = this.#kernel.recordEnds[0] as number;
      const line = bytesBetween(this.#kernel, start, end).slice();
      const separator = this.#before;
      const newlines = this.#newlines(start, end);
      const isSeparator = this.#isSeparator(line);
      if (!isSeparator && !isBlankLine(line)) {
        this.#given = { end, offset: separator.offset + line.length, lines: separator.lines + newlines };
        return joinBytes([separator.separator, line]);
      }
      separator.pass(line, newlines, isSeparator);
      if (isSeparator) onSeparator?.(line);
      this.window.advance(end);
    }
    if (!this.window.isFinal && this.#isTooLong) throw this.#longHeader();
    return undefined;
  }

  #isSeparator(line: Uint8Array): boolean {
    return this.#options.format === 'csv' && !this.#before.hasSeparator && separatorBytes(line) === line.length;
  }

  /**
   * The next records, or the next piece of a long record, in the window. `advance` takes it. Undefined if it has to wait for more
   * bytes, or if the input has ended.
   * @throws FirstseenError E_RECORD for an input that is a JSON array or a JSON object on several lines, or a record that is longer than allowed.
   */
  next(): Cut | undefined {
    if (this.#longRecord.isOpen) return this.#piece();
    const count = this.#frame();
    if (count > 0) return this.#records(count);
    if (!this.#isTooLong) return undefined;
    const { start, end } = this.window;
    const row = { recordClass: recordClasses.TOO_LONG.code, start, end };
    const bytes = bytesBeforeSwallowed(this.#options, row, this.columnCount);
    if (bytes !== undefined) return this.#brokenRow(row.recordClass, bytes);
    this.#beginLongRecord();
    return this.#piece();
  }

  /** Takes what was given. @throws FirstseenError why the record after it has no verdict. */
  advance(): void {
    if (!this.#given) return;
    const { end, offset, lines, failure } = this.#given;
    this.#given = undefined;
    this.count(offset, lines);
    this.window.advance(end);
    if (failure) throw failure(this.location);
  }

  /** Counts bytes and lines of the input as taken. */
  count(bytes: number, lines: number): void {
    this.#position.offset += bytes;
    this.#position.lines += lines;
    this.#options.counter.addBytesIn(bytes);
  }

  /** Gives back the bytes of an unfinished long record that is dropped, so that it has left no output yet; returns their number. */
  giveBack(): number {
    if (!this.#longRecord.isOpen) return 0;
    const { takenBytes, takenLines } = this.#longRecord;
    this.#longRecord.isOpen = false;
    this.count(-takenBytes, -takenLines);
    return takenBytes;
  }

  /** Frames the records that end in the window; returns their number. */
  #frame(): number {
    const { start, end, endsRecord } = this.window;
    if (!endsRecord && !this.#hasRecordEnd()) return 0;
    boundTimes(this.#options);
    const count = this.#kernel.exports.scan(start, end, endsRecord ? 1 : 0);
    findLineKeys(this.#kernel, this.#options.lineKeys, count);
    return count;
  }

  /** Tells if the first record ends in the window. A scan starts over each time; this search continues where it ended. */
  #hasRecordEnd(): boolean {
    if (!endsWithByte(this.#options.format)) return true;
    const { window } = this;
    if (window.searchedBytes === 0) this.#recordEnd.begin();
    if (this.#recordEnd.find(window.start + window.searchedBytes, window.end) !== undefined) return true;
    window.searchedBytes = window.end - window.start;
    return false;
  }

  /** True if the first record, whose end has not arrived, is longer than allowed. */
  get #isTooLong(): boolean {
    return isTooLong(this.#options, this.window.end - this.window.start);
  }

  #newlines(start: number, end: number): number {
    return this.#kernel.exports.countByte(start, end, NEWLINE);
  }

  #longHeader(): Error {
    return longHeaderError(locationOf(this.#names.name, 'line', 1), this.#options.maxRecordBytes);
  }

  #records(count: number): Cut {
    const { exports, recordStarts, recordClasses: classCodes } = this.#kernel;
    this.#checkFirstOf(count);
    const row = exports.scanExceptions() > 0 ? firstBrokenRow(this.#options, count, this.columnCount) : undefined;
    if (row?.index === 0) return this.#brokenRow(classCodes[0], row.bytes);
    const { taken: size, failure } = takeBatch(this.#options, row?.index ?? count, this.columnCount);
    const { start } = this.window;
    const end = this.window.within(size === count ? exports.scanPosition() >>> 0 : (recordStarts[size] as number));
    this.#given = { end, offset: end - start, lines: linesBetween(this.#options, start, end, size), failure };
    return { kind: 'records', count: size };
  }

  /** Checks the first record of the input that is not a blank line, if it is among the records that the kernel framed. */
  #checkFirstOf(count: number): void {
    if (this.#hasFirst || this.#options.format !== 'ndjson') return;
    const { recordStarts, recordEnds, recordClasses: found } = this.#kernel;
    const first = found.subarray(0, count).findIndex((one) => one !== recordClasses.BLANK.code);
    if (first === -1) return;
    const location = this.locationInBatch(first);
    this.#checkFirst(recordStarts[first] as number, recordEnds[first] as number, found[first], location);
    this.#hasFirst = true;
  }

  /**
   * Refuses an input that is one JSON array, or whose objects have several lines each. Its first record shows that.
   * @param classCode the class of the record
   */
  #checkFirst(start: number, end: number, classCode: number | undefined, location: string): void {
    const { format, onError, maxRecordBytes } = this.#options;
    if (format !== 'ndjson' || this.#hasFirst) return;
    const isTooLong = classCode === recordClasses.TOO_LONG.code;
    if (isTooLong && onError !== 'fail') return;
    // The end of a record that is too long may not have arrived. The answer must not depend on that.
    const lookedAt = isTooLong ? Math.min(end, start + maxRecordBytes) : end;
    refuseFirst({
      line: bytesBetween(this.#kernel, start, lookedAt),
      isWhole: !isTooLong,
      isRefused: onError === 'fail' && (isTooLong || classCode === recordClasses.NOT_AN_OBJECT.code),
      path: this.#names.path,
      location,
    });
  }

  /** The first row of the window, which is dropped up to the first row that it has swallowed. */
  #brokenRow(recordClass: number | undefined, bytes: number): CutPiece {
    const { counter, takesKeyless, onBrokenRow } = this.#options;
    const { start } = this.window;
    const lines = this.#newlines(start, start + bytes);
    this.#given = { end: start + bytes, offset: bytes, lines };
    const name = recordClass === recordClasses.TOO_LONG.code ? 'tooLong' : 'invalid';
    counter.addRecords(takesKeyless ? { records: 1, dropped: 1, [name]: 1 } : { skipped: 1 });
    if (takesKeyless) onBrokenRow?.({ location: this.location, lines, bytes });
    const verdict = takesKeyless ? decisions.DROPPED : decisions.SKIPPED;
    return { kind: 'piece', bytes: NO_BYTES, isLast: true, verdict };
  }

  /** Starts a record that is longer than allowed. It is written or dropped in pieces. */
  #beginLongRecord(): void {
    const decision = decide(recordClasses.TOO_LONG, this.#options);
    if (decision === 'fail') {
      this.#checkFirst(this.window.start, this.window.end, recordClasses.TOO_LONG.code, this.location);
      throw tooLongError(this.location, this.#options.maxRecordBytes, this.#options.tooLongRemedy);
    }
    this.#hasFirst = true;
    this.#longRecord.begin(this.#options.takesKeyless ? decision : decisions.SKIPPED);
  }

  #piece(): CutPiece | undefined {
    const { start, end, endsRecord, isFinal } = this.window;
    const record = this.#longRecord;
    // What was written of a record cannot be taken back, so it ends where the input does.
    const isEnd = endsRecord || (isFinal && record.isPassed);
    if (start === end && !isEnd) return undefined;
    const to = this.window.within(record.findEnd(start, end, isEnd));
    const isLast = !record.isOpen;
    if (to === start && !isLast) return undefined;
    const lines = this.#options.format === 'csv' ? this.#newlines(start, to) : Number(isLast && !record.isJoined);
    record.count(to - start, lines);
    if (record.hasLost)
      throw wrongLengthError(this.#locationAfter(0, to - start - record.takenBytes), record.takenBytes);
    if (isLast) this.#options.counter.addRecords(record.counts);
    this.#given = { end: to, offset: to - start, lines };
    const passedBytes = record.isPassed ? bytesBetween(this.#kernel, start, to) : NO_BYTES;
    const bytes = record.isPassed && record.isJoined ? joinBytes([passedBytes, JOINED_END]) : passedBytes;
    return { kind: 'piece', bytes, isLast, verdict: record.verdict };
  }
}
