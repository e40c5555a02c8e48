// Records that arrive in pieces: finds their ends, and handles records longer than the limit.

import { WARC_SPARE_BYTES } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { decisions } from '../records/classes.js';
import { type FormatName, terminatorOf } from '../records/formats.js';
import type { RecordCounts } from './counts.js';

/** Bytes after the greatest length of a record that need not belong to it: half of a CRLF, or what shows that a record of warc has ended. */
function spareBytes(format: FormatName): number {
  if (format === 'warc') return WARC_SPARE_BYTES;
  return format === 'lines' || format === 'nul' ? 0 : 1;
}

/** Tells if a record whose end has not arrived is longer than allowed. */
export function isTooLong(
  { format, maxRecordBytes }: { format: FormatName; maxRecordBytes: number },
  bytes: number,
): boolean {
  return bytes > maxRecordBytes + spareBytes(format);
}

/** A piece of a record. */
interface TakenPiece {
  /** The address after what is known to belong to the record. */
  to: number;
  /** True if the record ends there. */
  isEnd: boolean;
  /** True if another record follows on its line. */
  isJoined: boolean;
  /** True if its length, of a record of warc, leads to no end of a record. */
  hasWrongLength: boolean;
}

const WRONG_LENGTH = 2;

/** Finds the end of a record piece by piece, without rereading a piece. */
export class RecordEnd {
  readonly #kernel: Kernel;
  readonly #format: FormatName;

  constructor(kernel: Kernel, format: FormatName) {
    this.#kernel = kernel;
    this.#format = format;
  }

  /** Must be called before the first piece of a record. */
  begin(): void {
    const { skipCsvReset, skipJsonReset, skipWarcReset } = this.#kernel.exports;
    if (this.#format === 'csv') skipCsvReset();
    if (this.#format === 'ndjson') skipJsonReset();
    if (this.#format === 'warc') skipWarcReset();
  }

  /** The address after the record's last byte if the record ends in [start, end), the piece that follows the previous one. */
  find(start: number, end: number): number | undefined {
    const { findByte, skipCsvRecord, skipJsonRecord } = this.#kernel.exports;
    if (this.#format === 'csv') return skipCsvRecord(start, end) >>> 0 || undefined;
    if (this.#format === 'ndjson') return skipJsonRecord(start, end) >>> 0 || undefined;
    const found = findByte(start, end, terminatorOf(this.#format)) >>> 0;
    return found === end ? undefined : found + 1;
  }

  /**
   * Takes the piece [start, end), which follows the previous one. What may begin the next record of warc is left for the next piece.
   */
  take(start: number, end: number, isFinal: boolean): TakenPiece {
    const { skipWarcRecord, skipWarcEnded } = this.#kernel.exports;
    if (this.#format === 'warc') {
      const to = skipWarcRecord(start, end, isFinal ? 1 : 0) >>> 0;
      const endCode = skipWarcEnded();
      return { to, isEnd: endCode !== 0, isJoined: false, hasWrongLength: endCode === WRONG_LENGTH };
    }
    const endOffset = this.find(start, end);
    if (endOffset === undefined) return { to: end, isEnd: isFinal, isJoined: false, hasWrongLength: false };
    const isJoined = this.#kernel.bytes[endOffset - 1] !== terminatorOf(this.#format);
    return { to: endOffset, isEnd: true, isJoined, hasWrongLength: false };
  }
}

/** A record longer than the limit, which is written or dropped piece by piece. */
export class LongRecord {
  isOpen = false;
  /** The verdict of the record. */
  verdict: number = decisions.DROPPED;
  /** The bytes and lines of the record read so far. */
  takenBytes = 0;
  takenLines = 0;
  /** True if another record follows on the line. */
  isJoined = false;
  /** True if it is dropped up to where a wrong length led, so that other records may be lost with it. */
  hasLost = false;
  readonly #recordEnd: RecordEnd;

  constructor(recordEnd: RecordEnd) {
    this.#recordEnd = recordEnd;
  }

  begin(verdict: number): void {
    this.isOpen = true;
    this.verdict = verdict;
    this.takenBytes = 0;
    this.takenLines = 0;
    this.#recordEnd.begin();
  }

  count(bytes: number, lines: number): void {
    this.takenBytes += bytes;
    this.takenLines += lines;
  }

  /** The counts of the record. */
  get counts(): Partial<RecordCounts> {
    if (this.verdict === decisions.SKIPPED) return { skipped: 1 };
    return { records: 1, tooLong: 1, [this.isPassed ? 'passed' : 'dropped']: 1 };
  }

  get isPassed(): boolean {
    return this.verdict === decisions.PASSED;
  }

  /** The address after the record's last byte in [start, end), which closes the record, or `end` if the record continues. */
  findEnd(start: number, end: number, isFinal: boolean): number {
    const { to, isEnd, isJoined, hasWrongLength } = this.#recordEnd.take(start, end, isFinal);
    this.isOpen = !isEnd;
    this.isJoined = isJoined;
    this.hasLost = hasWrongLength && this.verdict === decisions.DROPPED;
    return to;
  }
}
