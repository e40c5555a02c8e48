// The main job over one input after another: read, scan, observe, compact, write. Every chunk stays where it was read.

import type { FirstseenError } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import { recordClasses } from '../records/classes.js';
import { type BatchOptions, boundTimes, takeBatch } from './batch.js';
import { decide, placeOf, recordError, tooLongReason } from './exceptions.js';
import { LongRecord, RecordEnd } from './longrecord.js';
import type { Output } from './output.js';
import type { InputReader } from './reader.js';
import { bytesBetween, type Region } from './regions.js';
import { Window } from './window.js';

const NEWLINE = 0x0a;

export interface PipelineOptions extends BatchOptions {
  input: Region;
  outputs: readonly Output[];
}

/** One input and how far it has been taken. */
export interface InputCursor {
  name: string;
  /** Bytes taken, after decompression. */
  offset: number;
  /** Lines, or records of a format without lines, taken. */
  lines: number;
  /** Fields that a row has to have, when every record is parsed in full. */
  columnCount?: number | undefined;
}

/**
 * How far an input was taken: to its end; to the end of a record, when the run was aborted; or the output ends inside a
 * record that is too long, which no later run could go on from.
 */
export type Extent = 'whole' | 'stopped' | 'cut';

/** What happens between chunks. */
export interface Pauses {
  isAborted(): boolean;
  /**
   * Called between chunks, and whenever an interruption ends a wait for input. A run cannot stop, and so cannot be saved,
   * where a later one could not go on.
   */
  betweenChunks(canStop: boolean): Promise<void>;
  /** Waits for input; false when something else wants attention first, which is an abortion alone where a run cannot stop. */
  waitFor(input: Promise<void>, canStop: boolean): Promise<boolean>;
}

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #kernel: Kernel;
  readonly #recordEnd: RecordEnd;
  readonly #longRecord: LongRecord;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#kernel = options.detector.kernel;
    this.#recordEnd = new RecordEnd(this.#kernel, options.format);
    this.#longRecord = new LongRecord(this.#recordEnd);
  }

  openWindow(reader: InputReader): Window {
    return new Window(this.#kernel, this.#options.input, reader);
  }

  /**
   * The first record of an input, its terminator included; empty when the input is, undefined when the run was aborted
   * before it came. The scanner has to be set up.
   */
  async readFirstRecord(window: Window, name: string, pauses: Pauses): Promise<Uint8Array | undefined> {
    while (this.#frame(window) === 0) {
      if (window.isFinal) return new Uint8Array(0);
      if (this.#isTooLong(window)) throw this.#tooLong(placeOf(name, 'line', 1));
      window.startReading();
      if (!(await this.#refill(window, pauses))) return undefined;
    }
    if (this.#kernel.recordClasses[0] === recordClasses.TOO_LONG.code) throw this.#tooLong(placeOf(name, 'line', 1));
    const end = this.#kernel.recordEnds[0] as number;
    const record = bytesBetween(this.#kernel, window.start, end).slice();
    window.advance(end);
    return record;
  }

  /** Takes an input from where its cursor stands to its end, unless the run is aborted before. */
  async run(window: Window, cursor: InputCursor, pauses: Pauses): Promise<Extent> {
    for (;;) {
      window.startReading();
      await this.#takeWindow(window, cursor);
      if (window.isFinal) break;
      if (!(await this.#refill(window, pauses))) return this.#stop(cursor);
      await pauses.betweenChunks(!this.#longRecord.isOpen);
      if (pauses.isAborted()) return this.#stop(cursor);
    }
    for (const output of this.#options.outputs) output.endInput(this.#options.format !== 'u64');
    return 'whole';
  }

  /** Ends before the end. Of a long record that is left out nothing is out yet, so it is as if it had not begun. */
  #stop(cursor: InputCursor): Extent {
    if (!this.#longRecord.isOpen) return 'stopped';
    if (this.#longRecord.isPassed) return 'cut';
    const { takenBytes, takenLines } = this.#longRecord;
    cursor.offset -= takenBytes;
    cursor.lines -= takenLines;
    this.#options.counts.bytes_in -= takenBytes;
    return 'stopped';
  }

  /** Waits for the next bytes; whatever was found until now goes out if they keep us waiting. False when aborted. */
  async #refill(window: Window, pauses: Pauses): Promise<boolean> {
    const settled = window.settle();
    const soon = new Promise<false>((resolve) => setImmediate(resolve, false));
    if (await Promise.race([settled.then(() => true), soon])) return true;
    for (const output of this.#options.outputs) await output.flush();
    const canStop = !this.#longRecord.isOpen;
    while (!(await pauses.waitFor(settled, canStop))) {
      if (pauses.isAborted()) return false;
      await pauses.betweenChunks(canStop);
    }
    return true;
  }

  /** Frames the records that end in the window and returns how many they are. */
  #frame(window: Window): number {
    if (!window.isFinal && !this.#hasRecordEnd(window)) return 0;
    boundTimes(this.#options);
    return this.#kernel.exports.scan(window.start, window.end, window.isFinal ? 1 : 0);
  }

  /** Whether the first record ends in the window. A scan begins at its front each time; this goes on where it left off. */
  #hasRecordEnd(window: Window): boolean {
    if (this.#options.format === 'u64') return true;
    if (window.searchedBytes === 0) this.#recordEnd.begin();
    if (this.#recordEnd.find(window.start + window.searchedBytes, window.end) !== undefined) return true;
    window.searchedBytes = window.end - window.start;
    return false;
  }

  /** Whether the first record, whose end is not in sight, is longer than allowed: its last byte may be half a CRLF. */
  #isTooLong(window: Window): boolean {
    const terminatorBytes = this.#options.format === 'lines' ? 0 : 1;
    return window.end - window.start > this.#options.maxRecordBytes + terminatorBytes;
  }

  async #takeWindow(window: Window, cursor: InputCursor): Promise<void> {
    for (;;) {
      if (this.#longRecord.isOpen) {
        await this.#takeLongRecord(window, cursor);
        if (this.#longRecord.isOpen) return;
      }
      const framed = this.#frame(window);
      if (framed > 0) await this.#takeBatch(framed, window, cursor);
      else if (this.#isTooLong(window)) this.#beginLongRecord(cursor);
      else return;
    }
  }

  async #takeBatch(framed: number, window: Window, cursor: InputCursor): Promise<void> {
    const { taken, failure } = takeBatch(this.#options, framed, cursor.columnCount);
    const end =
      taken === framed ? this.#kernel.exports.scanPosition() >>> 0 : (this.#kernel.recordStarts[taken] as number);
    for (const output of this.#options.outputs) await output.appendRecords(taken);
    this.#advance(window, cursor, end, taken);
    if (failure) throw failure(this.#place(cursor));
  }

  #advance(window: Window, cursor: InputCursor, end: number, records: number): void {
    const bytes = end - window.start;
    // Only rows of csv may hold newlines; elsewhere a record is a line.
    cursor.lines +=
      this.#options.format === 'csv' ? this.#kernel.exports.countByte(window.start, end, NEWLINE) : records;
    cursor.offset += bytes;
    this.#options.counts.bytes_in += bytes;
    window.advance(end);
  }

  #place(cursor: InputCursor): string {
    return placeOf(cursor.name, this.#options.format === 'u64' ? 'record' : 'line', cursor.lines + 1);
  }

  /** A record that the window cannot hold goes through in pieces, or not at all. */
  #beginLongRecord(cursor: InputCursor): void {
    const decision = decide(recordClasses.TOO_LONG, this.#options);
    if (decision === 'fail') throw this.#tooLong(this.#place(cursor));
    this.#longRecord.begin(decision);
  }

  #tooLong(place: string): FirstseenError {
    return recordError(recordClasses.TOO_LONG, place, tooLongReason(this.#options.maxRecordBytes));
  }

  async #takeLongRecord(window: Window, cursor: InputCursor): Promise<void> {
    const end = this.#longRecord.findEnd(window.start, window.end, window.isFinal);
    const piece = bytesBetween(this.#kernel, window.start, end);
    for (const output of this.#options.outputs) {
      if (this.#longRecord.goesTo(output)) await output.appendBytes(piece);
    }
    const { offset, lines } = cursor;
    this.#advance(window, cursor, end, 0);
    this.#longRecord.count(cursor.offset - offset, cursor.lines - lines);
    if (this.#longRecord.isOpen) return;
    const { counts, outputs, format } = this.#options;
    counts.too_long++;
    counts.records++;
    counts[this.#longRecord.isPassed ? 'passed' : 'dropped']++;
    if (format !== 'csv') cursor.lines++;
    for (const output of outputs) await output.appendVerdict(this.#longRecord.verdict);
  }
}
