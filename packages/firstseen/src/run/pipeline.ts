// Takes inputs through the stages read, scan, observe, compact and write. A chunk is never copied between the stages.

import type { FirstseenError } from '../base/errors.js';
import { type BatchOptions, boundTimes, linesBetween, takeBatch } from '../filter/batch.js';
import { decide, locationOf, longHeaderError, refuseArray, tooLongError } from '../filter/exceptions.js';
import { isTooLong, LongRecord, RecordEnd } from '../filter/longrecord.js';
import type { Sink } from '../io/sink.js';
import type { InputReader } from '../io/source.js';
import { inputName, STANDARD_STREAM } from '../io/system/paths.js';
import { bytesBetween } from '../kernel/bytes.js';
import type { Kernel } from '../kernel/kernel.js';
import { decisions, recordClasses } from '../records/classes.js';
import { BYTE_ORDER_MARK, mayBeginWithMark } from '../records/formats.js';
import { configureScan, type ScanSettings, type ScratchRegion } from '../records/settings.js';
import { type InputRegion, InputWindow, isSoon } from './inputwindow.js';
import type { JobRun } from './job.js';
import type { Shard } from './shard.js';
import { type RunThreads, SideBySide } from './sidebyside.js';

export interface PipelineOptions extends BatchOptions {
  job: JobRun;
  input: InputRegion;
  outputs: readonly Sink[];
  /** The threads other than that of the caller, if there are any. */
  threads: RunThreads | undefined;
}

/** An input and the position in it. */
export interface InputCursor {
  name: string;
  /** Bytes processed, after decompression. */
  offset: number;
  /** Lines processed, or records in a format without lines. */
  lines: number;
  /** Bytes of an unfinished last record, which waits for a later run. */
  waitingBytes?: number;
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
  readonly #sideBySide: SideBySide | undefined;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#kernel = options.kernel;
    this.#recordEnd = new RecordEnd(this.#kernel, options.format);
    this.#longRecord = new LongRecord(this.#recordEnd);
    this.#sideBySide = options.threads && new SideBySide(options.threads, options);
  }

  /** Sets the scanner for the records that follow. */
  configure(scan: ScanSettings, scratch: ScratchRegion, shard: Shard | undefined): void {
    configureScan(this.#kernel, scan, scratch);
    this.#sideBySide?.configure(scan, shard);
  }

  /** @param mayGrow whether an unfinished last record waits for its end, which a later run reads */
  openWindow(reader: InputReader, mayGrow: boolean): InputWindow {
    return new InputWindow({ kernel: this.#kernel, region: this.#options.input, reader, mayGrow });
  }

  /**
   * The first record of an input with its terminator; empty if the input is empty, undefined if the run was aborted before the
   * record arrived. The scanner must be configured.
   */
  async readFirstRecord(window: InputWindow, name: string, pauses: Pauses): Promise<Uint8Array | undefined> {
    while (this.#frame(window) === 0) {
      if (window.isFinal) return new Uint8Array(0);
      if (this.#isTooLong(window))
        throw longHeaderError(locationOf(inputName(name), 'line', 1), this.#options.maxRecordBytes);
      window.startReading();
      if (!(await this.#refill(window, pauses))) return undefined;
    }
    if (this.#kernel.recordClasses[0] === recordClasses.TOO_LONG.code)
      throw longHeaderError(locationOf(inputName(name), 'line', 1), this.#options.maxRecordBytes);
    const end = this.#kernel.recordEnds[0] as number;
    const record = bytesBetween(this.#kernel, window.start, end).slice();
    window.advance(end);
    return record;
  }

  /** Skips a byte order mark at the start of an input. False when the run was aborted before the bytes arrived. */
  async skipByteOrderMark(window: InputWindow, cursor: InputCursor, pauses: Pauses): Promise<boolean> {
    const start = () => bytesBetween(this.#kernel, window.start, window.end).subarray(0, BYTE_ORDER_MARK.length);
    const mayBeMark = () => mayBeginWithMark(start());
    while (start().length < BYTE_ORDER_MARK.length && mayBeMark() && !window.isFinal) {
      window.startReading();
      if (!(await this.#refill(window, pauses))) return false;
    }
    if (start().length < BYTE_ORDER_MARK.length || !mayBeMark()) return true;
    this.#advance(window, cursor, window.start + BYTE_ORDER_MARK.length, 0);
    return true;
  }

  /** Processes an input from its cursor to its end, unless the run is aborted first. */
  async run(window: InputWindow, cursor: InputCursor, pauses: Pauses): Promise<Extent> {
    try {
      return await this.#run(window, cursor, pauses);
    } finally {
      await this.#sideBySide?.forget();
    }
  }

  async #run(window: InputWindow, cursor: InputCursor, pauses: Pauses): Promise<Extent> {
    for (;;) {
      window.startReading();
      const mayHoldMore = await this.#takeWindow(window, cursor);
      if (!mayHoldMore) {
        if (window.isFinal) break;
        if (!(await this.#refill(window, pauses))) return this.#stop(cursor);
      }
      await pauses.betweenChunks(!this.#longRecord.isOpen);
      if (pauses.isAborted()) return this.#stop(cursor);
    }
    cursor.waitingBytes = window.end - window.start + this.#giveBack(cursor);
    for (const output of this.#options.outputs) output.endInput(this.#options.format !== 'u64');
    return 'whole';
  }

  /** Stops before the end of the input. */
  #stop(cursor: InputCursor): Extent {
    if (this.#longRecord.isOpen && this.#longRecord.isPassed) return 'cut';
    this.#giveBack(cursor);
    return 'stopped';
  }

  /** Gives back the bytes of an unfinished long record that is dropped, so that it has left no output yet; returns their number. */
  #giveBack(cursor: InputCursor): number {
    if (!this.#longRecord.isOpen) return 0;
    const { takenBytes, takenLines } = this.#longRecord;
    this.#longRecord.isOpen = false;
    cursor.offset -= takenBytes;
    cursor.lines -= takenLines;
    this.#options.counter.addBytesIn(-takenBytes);
    return takenBytes;
  }

  /**
   * Waits for the next bytes. If they do not arrive soon, the outputs are flushed first, because somebody may be waiting for what was
   * written. False when aborted.
   */
  async #refill(window: InputWindow, pauses: Pauses): Promise<boolean> {
    const settled = window.settle();
    if (await isSoon(settled)) return true;
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
    if (!window.endsRecord && !this.#hasRecordEnd(window)) return 0;
    boundTimes(this.#options);
    return this.#kernel.exports.scan(window.start, window.end, window.endsRecord ? 1 : 0);
  }

  /** Whether the first record ends in the window. A scan starts over each time; this search continues where it ended. */
  #hasRecordEnd(window: InputWindow): boolean {
    if (this.#options.format === 'u64') return true;
    if (window.searchedBytes === 0) this.#recordEnd.begin();
    if (this.#recordEnd.find(window.start + window.searchedBytes, window.end) !== undefined) return true;
    window.searchedBytes = window.end - window.start;
    return false;
  }

  /** Whether the first record, whose end has not arrived, is longer than allowed. */
  #isTooLong(window: InputWindow): boolean {
    return isTooLong(this.#options, window.end - window.start);
  }

  /** Takes records from the window. True after batches on all threads, because more may follow them. */
  async #takeWindow(window: InputWindow, cursor: InputCursor): Promise<boolean> {
    for (;;) {
      if (this.#longRecord.isOpen) {
        await this.#takeLongRecord(window, cursor);
        if (this.#longRecord.isOpen) return false;
      }
      if (await this.#takeSideBySide(window, cursor)) return true;
      const framed = this.#frame(window);
      if (framed > 0) await this.#takeBatch(framed, window, cursor);
      else if (this.#isTooLong(window)) this.#beginLongRecord(window, cursor);
      else return false;
    }
  }

  /** Takes batches from the front of the window on all threads. False if it took none. */
  async #takeSideBySide(window: InputWindow, cursor: InputCursor): Promise<boolean> {
    const { threads, outputs } = this.#options;
    if (!threads || !this.#sideBySide) return false;
    const batches = await this.#sideBySide.take(window, cursor.columnCount);
    if (batches.length === 0) return false;
    for (const output of outputs) await output.append(batches, threads.crew);
    for (const { bytes, lines } of batches) this.#count(cursor, bytes, lines);
    const failure = batches.at(-1)?.failure;
    if (failure) throw failure(this.#location(cursor));
    return true;
  }

  async #takeBatch(framed: number, window: InputWindow, cursor: InputCursor): Promise<void> {
    this.#checkNoArray(cursor, this.#kernel.recordStarts[0] as number, this.#kernel.recordEnds[0] as number);
    const { taken, failure } = takeBatch(this.#options, framed, cursor.columnCount);
    const end =
      taken === framed ? this.#kernel.exports.scanPosition() >>> 0 : (this.#kernel.recordStarts[taken] as number);
    const batch = { seat: 0, kernel: this.#kernel, taken };
    for (const output of this.#options.outputs) await output.append([batch]);
    this.#advance(window, cursor, end, linesBetween(this.#options, window.start, end, taken));
    if (failure) throw failure(this.#location(cursor));
  }

  #advance(window: InputWindow, cursor: InputCursor, end: number, lines: number): void {
    this.#count(cursor, end - window.start, lines);
    window.advance(end);
  }

  #count(cursor: InputCursor, bytes: number, lines: number): void {
    cursor.lines += lines;
    cursor.offset += bytes;
    this.#options.counter.addBytesIn(bytes);
  }

  /** Refuses an input that is one JSON array instead of a JSON object on each line. Its first record shows that. */
  #checkNoArray(cursor: InputCursor, start: number, end: number): void {
    const { format, onError } = this.#options;
    if (format !== 'ndjson' || cursor.lines > 0) return;
    refuseArray({
      line: bytesBetween(this.#kernel, start, end),
      isRefused: onError === 'fail' && this.#kernel.recordClasses[0] === recordClasses.NOT_AN_OBJECT.code,
      path: cursor.name === STANDARD_STREAM ? undefined : cursor.name,
      location: this.#location(cursor),
    });
  }

  #location(cursor: InputCursor): string {
    return locationOf(inputName(cursor.name), this.#options.format === 'u64' ? 'record' : 'line', cursor.lines + 1);
  }

  /** Starts a record that does not fit in the window. It is written or dropped in pieces. */
  #beginLongRecord(window: InputWindow, cursor: InputCursor): void {
    const decision = decide(recordClasses.TOO_LONG, this.#options);
    if (decision === 'fail') {
      this.#checkNoArray(cursor, window.start, window.end);
      throw this.#tooLong(this.#location(cursor));
    }
    this.#longRecord.begin(this.#options.takesKeyless ? decision : decisions.SKIPPED);
  }

  #tooLong(location: string): FirstseenError {
    return tooLongError(location, this.#options.maxRecordBytes);
  }

  async #takeLongRecord(window: InputWindow, cursor: InputCursor): Promise<void> {
    // What was written of a record cannot be taken back, so it ends where the input does.
    const isEnd = window.endsRecord || (window.isFinal && this.#longRecord.isPassed);
    const end = this.#longRecord.findEnd(window.start, window.end, isEnd);
    const piece = bytesBetween(this.#kernel, window.start, end);
    for (const output of this.#options.outputs) {
      if (this.#longRecord.goesTo(output)) await output.appendBytes(piece);
    }
    const { offset, lines } = cursor;
    this.#advance(window, cursor, end, linesBetween(this.#options, window.start, end, 0));
    this.#longRecord.count(cursor.offset - offset, cursor.lines - lines);
    if (this.#longRecord.isOpen) return;
    const { counter, outputs, format } = this.#options;
    counter.addRecords(this.#longRecord.counts);
    if (format !== 'csv') cursor.lines++;
    for (const output of outputs) await output.appendVerdict(this.#longRecord.verdict);
  }
}
