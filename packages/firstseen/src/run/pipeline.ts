// Takes inputs through the stages read, cut, compact and write. A chunk is never copied between the stages.

import type { BatchOptions } from '../framing/batch.js';
import type { InputName } from '../framing/content/content.js';
import { type Cut, Cutter, type Position } from '../framing/cutter.js';
import { type Sink, UnwritableRecord } from '../io/sink.js';
import type { InputReader } from '../io/source.js';
import { WANTED_PASSED } from '../kernel/abi.js';
import { endsWithByte } from '../records/formats.js';
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

/** An input and the position in it, in bytes after decompression. */
export interface InputCursor extends Position, InputName {
  /** Bytes of an unfinished last record, which waits for a later run. */
  waitingBytes?: number;
}

/** An input that is opened. */
export interface OpenInput {
  reader: InputReader;
  cursor: InputCursor;
  /** True if an unfinished last record waits for its end, which a later run reads. */
  mayGrow: boolean;
  /** The required number of fields of a row, if its header was read before. */
  columnCount?: number | undefined;
}

export type InputCutter = Cutter<InputWindow>;

/**
 * The extent to which an input was processed. `whole`: all of it. `stopped`: up to the end of a record, because the run
 * was aborted. `cut`: the output ends inside a record that is too long, from which no later run can continue.
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
  readonly #sideBySide: SideBySide | undefined;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#sideBySide = options.threads && new SideBySide(options.threads, options);
  }

  /** Sets the scanner for the records that follow. */
  configure(scan: ScanSettings, scratch: ScratchRegion, shard: Shard | undefined): void {
    configureScan(this.#options.kernel, scan, scratch);
    this.#sideBySide?.configure(scan, shard);
  }

  /** Makes the cutter of an input, which moves its cursor. */
  cutterOf({ reader, cursor, mayGrow, columnCount }: OpenInput): InputCutter {
    const { kernel, input: region } = this.#options;
    return new Cutter(this.#options, {
      names: cursor,
      window: new InputWindow({ kernel, region, reader, mayGrow }),
      position: cursor,
      columnCount,
    });
  }

  /** Reads until `look` finds something, or the input has ended; `aborted` when the run was aborted before. */
  async readFor<Found>(
    look: () => Found | undefined,
    cutter: InputCutter,
    pauses: Pauses,
  ): Promise<Found | undefined | 'aborted'> {
    for (;;) {
      const result = look();
      if (result !== undefined || cutter.window.isFinal) return result;
      cutter.window.startReading();
      if (!(await this.#refill(cutter, pauses))) return 'aborted';
    }
  }

  /** Processes an input from its cursor to its end, unless the run is aborted first. */
  async run(cutter: InputCutter, cursor: InputCursor, pauses: Pauses): Promise<Extent> {
    try {
      return await this.#run(cutter, cursor, pauses);
    } finally {
      await this.#sideBySide?.forget();
    }
  }

  async #run(cutter: InputCutter, cursor: InputCursor, pauses: Pauses): Promise<Extent> {
    const { window } = cutter;
    for (;;) {
      window.startReading();
      const mayHoldMore = await this.#takeWindow(cutter);
      if (!mayHoldMore) {
        if (window.isFinal) break;
        if (!(await this.#refill(cutter, pauses))) return stop(cutter);
      }
      await pauses.betweenChunks(!cutter.isInRecord);
      if (pauses.isAborted()) return stop(cutter);
    }
    cursor.waitingBytes = window.end - window.start + cutter.giveBack();
    for (const output of this.#options.outputs) output.endInput(endsWithByte(this.#options.format));
    return 'whole';
  }

  /**
   * Waits for the next bytes. If they do not arrive soon, the outputs are flushed first, because somebody may be waiting for what was
   * written. False when aborted.
   */
  async #refill({ window, isInRecord }: InputCutter, pauses: Pauses): Promise<boolean> {
    const settled = window.settle();
    if (await isSoon(settled)) return true;
    for (const output of this.#options.outputs) await output.flush();
    const canStop = !isInRecord;
    while (!(await pauses.waitFor(settled, canStop))) {
      if (pauses.isAborted()) return false;
      await pauses.betweenChunks(canStop);
    }
    return true;
  }

  /** Takes records from the window. True after batches on all threads, because more may follow them. */
  async #takeWindow(cutter: InputCutter): Promise<boolean> {
    for (;;) {
      if (cutter.isBegun && !cutter.isInRecord && (await this.#takeSideBySide(cutter))) return true;
      const cut = cutter.next();
      if (cut === undefined) return false;
      await this.#write(cut).catch((error) => {
        throw error instanceof UnwritableRecord ? error.at(cutter.locationInBatch(error.index)) : error;
      });
      cutter.advance();
    }
  }

  /** Takes batches from the front of the window on all threads. False if it took none. */
  async #takeSideBySide(cutter: InputCutter): Promise<boolean> {
    const { threads, outputs, job } = this.#options;
    if (!threads || !this.#sideBySide) return false;
    const batches = await this.#sideBySide.take(cutter.window, cutter.columnCount);
    if (batches.length === 0) return false;
    if (job.review?.take) for (const batch of batches) job.review.take(batch);
    for (const output of outputs) await output.append(batches, threads.crew);
    for (const { bytes, lines } of batches) cutter.count(bytes, lines);
    const failure = batches.at(-1)?.failure;
    if (failure) throw failure(cutter.location);
    return true;
  }

  async #write(cut: Cut): Promise<void> {
    const { kernel, job } = this.#options;
    if (cut.kind === 'records') job.review?.take?.({ seat: 0, kernel, taken: cut.count });
    for (const output of this.#options.outputs) {
      if (cut.kind === 'records') {
        await output.append([{ seat: 0, kernel, taken: cut.count }]);
      } else {
        if (output.wants(WANTED_PASSED)) await output.appendBytes(cut.bytes);
        if (cut.isLast) await output.appendVerdict(cut.verdict);
      }
    }
  }
}

/** Stops before the end of the input. */
function stop(cutter: InputCutter): Extent {
  if (cutter.isInWrittenRecord) return 'cut';
  cutter.giveBack();
  return 'stopped';
}
