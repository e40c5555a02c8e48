// Takes inputs through the stages read, scan, observe, compact and write. A chunk is never copied between the stages.

import type { FirstseenError } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import { decisions, recordClasses } from '../records/classes.js';
import { type BatchOptions, boundTimes, takeBatch } from './batch.js';
import { decide, locationOf, recordError, tooLongReason } from './exceptions.js';
import type { InputReader } from './input/contract.js';
import { InputWindow } from './input/inputwindow.js';
import { LongRecord, RecordEnd } from './longrecord.js';
import type { Output } from './output/output.js';
import { bytesBetween, type Region } from './regions.js';

const NEWLINE = 0x0a;

export interface PipelineOptions extends BatchOptions {
  input: Region;
  outputs: readonly Output[];
}

/** An input and the position in it. */
export interface InputCursor {
  name: string;
  /** Bytes processed, after decompression. */
  offset: number;
  /** Lines processed, or records in a format without lines. */
  lines: number;
  /** The required number of fields of a row, if every record is validated in full. */
  columnCount?: number | undefined;
}

/**
 * How much of an input was processed. `whole`: all of it. `stopped`: up to the end of a record, because the run was aborted.
 * `cut`: the output ends inside a record that is too long, from which no later run can continue.
 */
export type Extent = 'whole' | 'stopped' | 'cut';

/** Callbacks between chunks. */
export interface Pauses {
  isAborted(): boolean;
  /**
   * Called between chunks, and whenever something interrupts a wait for input. `canStop` is false inside a long record, where the
   * run cannot be saved because a later run could not continue.
   */
  betweenChunks(canStop: boolean): Promise<void>;
  /** Waits for input; false when interrupted before it arrived. If the run cannot stop, only an abort interrupts. */
  waitFor(input: Promise<void>, canStop: boolean): Promise<boolean>;
}

export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #kernel: Kernel;
  readonly #recordEnd: RecordEnd;
  readonly #longRecord: LongRecord;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#kernel = options.kernel;
    this.#recordEnd = new RecordEnd(this.#kernel, options.format);
    this.#longRecord = new LongRecord(this.#recordEnd);
  }

  openWindow(reader: InputReader): InputWindow {
    return new InputWindow(this.#kernel, this.#options.input, reader);
  }

  /**
   * The first record of an input with its terminator; empty if the input is empty, undefined if the run was aborted before the
   * record arrived. The scanner must be configured.
   */
  async readFirstRecord(window: InputWindow, name: string, pauses: Pauses): Promise<Uint8Array | undefined> {
    while (this.#frame(window) === 0) {
      if (window.isFinal) return new Uint8Array(0);
      if (this.#isTooLong(window)) throw this.#tooLong(locationOf(name, 'line', 1));
      window.startReading();
      if (!(await this.#refill(window, pauses))) return undefined;
    }
    if (this.#kernel.recordClasses[0] === recordClasses.TOO_LONG.code) throw this.#tooLong(locationOf(name, 'line', 1));
    const end = this.#kernel.recordEnds[0] as number;
    const record = bytesBetween(this.#kernel, window.start, end).slice();
    window.advance(end);
    return record;
  }

  /** Processes an input from its cursor to its end, unless the run is aborted first. */
  async run(window: InputWindow, cursor: InputCursor, pauses: Pauses): Promise<Extent> {
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

  /** Stops before the end of the input. A dropped long record has left no output yet, so its bytes are given back. */
  #stop(cursor: InputCursor): Extent {
    if (!this.#longRecord.isOpen) return 'stopped';
    if (this.#longRecord.isPassed) return 'cut';
    const { takenBytes, takenLines } = this.#longRecord;
    cursor.offset -= takenBytes;
    cursor.lines -= takenLines;
    this.#options.counter.addBytesIn(-takenBytes);
    return 'stopped';
  }

  /** Waits for the next bytes. If they do not arrive at once, the outputs are flushed first. False when aborted. */
  async #refill(window: InputWindow, pauses: Pauses): Promise<boolean> {
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

  /** Frames the records that end in the window; returns their number. */
  #frame(window: InputWindow): number {
    if (!window.isFinal && !this.#hasRecordEnd(window)) return 0;
    boundTimes(this.#options);
    return this.#kernel.exports.scan(window.start, window.end, window.isFinal ? 1 : 0);
  }

  /** Whether the first record ends in the window. A scan starts over each time; this search continues where it ended. */
  #hasRecordEnd(window: InputWindow): boolean {
    if (this.#options.format === 'u64') return true;
    if (window.searchedBytes === 0) this.#recordEnd.begin();
    if (this.#recordEnd.find(window.start + window.searchedBytes, window.end) !== undefined) return true;
    window.searchedBytes = window.end - window.start;
    return false;
  }

  /** Whether the first record, whose end has not arrived, is longer than allowed. Its last byte may be half of a CRLF. */
  #isTooLong(window: InputWindow): boolean {
    const terminatorBytes = this.#options.format === 'lines' ? 0 : 1;
    return window.end - window.start > this.#options.maxRecordBytes + terminatorBytes;
  }

  async #takeWindow(window: InputWindow, cursor: InputCursor): Promise<void> {
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

  async #takeBatch(framed: number, window: InputWindow, cursor: InputCursor): Promise<void> {
    const { taken, failure } = takeBatch(this.#options, framed, cursor.columnCount);
    const end =
      taken === framed ? this.#kernel.exports.scanPosition() >>> 0 : (this.#kernel.recordStarts[taken] as number);
    for (const output of this.#options.outputs) await output.appendRecords(taken);
    this.#advance(window, cursor, end, taken);
    if (failure) throw failure(this.#location(cursor));
  }

  #advance(window: InputWindow, cursor: InputCursor, end: number, records: number): void {
    const bytes = end - window.start;
    // Only rows of csv can contain newlines; in other formats a record is one line.
    cursor.lines +=
      this.#options.format === 'csv' ? this.#kernel.exports.countByte(window.start, end, NEWLINE) : records;
    cursor.offset += bytes;
    this.#options.counter.addBytesIn(bytes);
    window.advance(end);
  }

  #location(cursor: InputCursor): string {
    return locationOf(cursor.name, this.#options.format === 'u64' ? 'record' : 'line', cursor.lines + 1);
  }

  /** Starts a record that does not fit in the window. It is written or dropped in pieces. */
  #beginLongRecord(cursor: InputCursor): void {
    const decision = decide(recordClasses.TOO_LONG, this.#options);
    if (decision === 'fail') throw this.#tooLong(this.#location(cursor));
    this.#longRecord.begin(this.#options.takesKeyless ? decision : decisions.SKIPPED);
  }

  #tooLong(location: string): FirstseenError {
    return recordError(recordClasses.TOO_LONG, location, tooLongReason(this.#options.maxRecordBytes));
  }

  async #takeLongRecord(window: InputWindow, cursor: InputCursor): Promise<void> {
    const end = this.#longRecord.findEnd(window.start, window.end, window.isFinal);
    const piece = bytesBetween(this.#kernel, window.start, end);
    for (const output of this.#options.outputs) {
      if (this.#longRecord.goesTo(output)) await output.appendBytes(piece);
    }
    const { offset, lines } = cursor;
    this.#advance(window, cursor, end, 0);
    this.#longRecord.count(cursor.offset - offset, cursor.lines - lines);
    if (this.#longRecord.isOpen) return;
    const { counter, outputs, format } = this.#options;
    counter.addRecords(this.#longRecord.counts);
    if (format !== 'csv') cursor.lines++;
    for (const output of outputs) await output.appendVerdict(this.#longRecord.verdict);
  }
}
