// A run under way: one input after another through the pipeline, checkpoints and progress in between, and its summary.

import type { Detector } from '../detectors/detector.js';
import { FirstseenError } from '../errors.js';
import { resolveColumn } from '../records/columns.js';
import { recordFormats } from '../records/formats.js';
import type { TableFormat } from '../records/header.js';
import { configureScan, type ScanSettings } from '../records/settings.js';
import type { RunCounts } from './counts.js';
import type { RunOptions, RunProgress, RunStats } from './options.js';
import type { Output } from './output.js';
import { type Extent, type InputCursor, type Pauses, Pipeline } from './pipeline.js';
import type { Prepared } from './prepare.js';
import { witnessRates } from './rates.js';
import type { InputReader } from './reader.js';
import { endedBy } from './sink.js';
import { writeState } from './statefile.js';
import type { Window } from './window.js';

/** News of the progress at most this often. */
const PROGRESS_MILLISECONDS = 100;

/** The longest that a timer waits. */
const MOST_TIMER_MILLISECONDS = 2 ** 31 - 1;

export class Runner {
  readonly #prepared: Prepared;
  readonly #pipeline: Pipeline;
  readonly #startedMilliseconds = performance.now();
  #savedMilliseconds = performance.now();
  #shownMilliseconds = 0;
  /** Bytes, as stored, of the inputs that are done. */
  #doneBytes = 0;
  #extent: Extent = 'whole';
  /** Counts of the process that the run was taken over from. */
  readonly #countsBefore: RunCounts;

  constructor(prepared: Prepared) {
    const { detector, plan, outputs, key, run, options, strictProblem, timing, job } = prepared;
    const { maxRecordBytes, missingKey, onError, onElements } = options;
    this.#prepared = prepared;
    this.#countsBefore = { ...run.counts };
    this.#pipeline = new Pipeline({
      detector,
      observer: job?.observer,
      input: plan.input,
      outputs,
      format: key.format,
      counts: run.counts,
      maxRecordBytes,
      strictProblem,
      missingKey,
      onError,
      timing,
      onElements,
    });
  }

  /** Takes every input to its end, or stops when it is told to. */
  async run(): Promise<RunStats> {
    try {
      await this.#runToEnd();
    } catch (error) {
      this.#prepared.options.onFailure?.(this.#stats(endedBy(error)));
      throw error;
    }
    return this.#stats({ interrupted: this.#extent !== 'whole', error: null });
  }

  async #runToEnd(): Promise<void> {
    try {
      await this.#takeInputs();
      this.#prepared.run.isFinished = this.#extent === 'whole';
      await this.#notePositions();
    } catch (error) {
      await this.#endAfterError();
      throw error;
    }
    await this.#endOutputs();
    // A run that goes on after half a record begins at the last checkpoint.
    if (this.#extent !== 'cut') await this.#writeState();
  }

  /** Ends every output, whatever becomes of another. */
  async #endOutputs(): Promise<void> {
    const ends = await Promise.allSettled(this.#outputs.map((output) => output.end()));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #takeInputs(): Promise<void> {
    const { inputs, run } = this.#prepared;
    for (;;) {
      this.#extent = await this.#takeInput();
      if (this.#extent !== 'whole' || run.input >= inputs.length - 1) return;
      this.#doneBytes += inputs[run.input]?.storedBytes ?? 0;
      Object.assign(run, { input: run.input + 1, offset: 0, lines: 0 });
    }
  }

  /** What was found before the error goes out; the state stays that of the last checkpoint. */
  async #endAfterError(): Promise<void> {
    // The error that stopped the run is the one to tell.
    await this.#endOutputs().catch(() => undefined);
    this.#countBytesOut();
  }

  get #outputs(): readonly Output[] {
    return this.#prepared.outputs;
  }

  get #isTable(): boolean {
    return recordFormats[this.#prepared.key.format].keys === 'columns';
  }

  #open(offset: number): Promise<InputReader> {
    const { inputs, run, key, source } = this.#prepared;
    return source.open(inputs[run.input]?.path as string, { isBinary: key.format === 'u64', offset });
  }

  async #takeInput(): Promise<Extent> {
    const { run, options, inputs } = this.#prepared;
    const hasHeader = this.#isTable && options.hasHeader;
    const cursor: InputCursor = { name: inputs[run.input]?.path as string, offset: run.offset, lines: run.lines };
    let reader = await this.#open(hasHeader ? 0 : run.offset);
    let window = this.#pipeline.openWindow(reader);
    const pauses: Pauses = {
      isAborted: () => options.signal?.aborted ?? false,
      betweenChunks: (canStop) => this.#betweenChunks(canStop, cursor, reader),
      waitFor: (input, canStop) => this.#waitFor(input, canStop),
    };
    try {
      if (hasHeader) {
        if (!(await this.#takeHeader(window, cursor, pauses))) return 'stopped';
        if (run.offset > 0) {
          await reader.close();
          reader = await this.#open(run.offset);
          window = this.#pipeline.openWindow(reader);
        }
      } else {
        this.#configureScan(undefined);
      }
      return await this.#pipeline.run(window, cursor, pauses);
    } finally {
      this.#noteCursor(cursor);
      await reader.close();
    }
  }

  /** Reads the header, finds the key columns in it, and sends it out unless one went out before. False when aborted. */
  async #takeHeader(window: Window, cursor: InputCursor, pauses: Pauses): Promise<boolean> {
    const { run, key, scan, plan, detector } = this.#prepared;
    // A header has neither key nor time.
    const { time: _time, ...whole } = scan;
    configureScan(detector.kernel, { ...whole, columns: [] }, plan.scratch);
    const header = await this.#pipeline.readFirstRecord(window, cursor.name, pauses);
    if (header === undefined) return false;
    if (header.length === 0) return true;
    const names = await namesIn(key.format as TableFormat, header, cursor.name);
    this.#configureScan(names);
    cursor.columnCount = names.length;
    if (cursor.offset > 0) return true;
    await this.#sendHeader(header, cursor);
    cursor.offset = header.length;
    cursor.lines = detector.kernel.exports.countByte(plan.input.offset, window.start, 0x0a);
    run.counts.bytes_in += header.length;
    return true;
  }

  async #sendHeader(header: Uint8Array, cursor: InputCursor): Promise<void> {
    const { run } = this.#prepared;
    const encoded = Buffer.from(header).toString('base64');
    if (run.header === null) {
      run.header = encoded;
      for (const output of this.#outputs) await output.appendHeader(header);
    } else if (textOf(run.header) !== textOf(encoded)) {
      throw new FirstseenError(
        'E_RECORD',
        `${cursor.name}, line 1: the header is ${textOf(encoded)}, but that of the inputs before is ${textOf(run.header)}; ` +
          'deduplicate files of different columns apart',
      );
    }
  }

  #configureScan(names: readonly string[] | undefined): void {
    const { scan, plan, detector, options } = this.#prepared;
    configureScan(detector.kernel, this.#isTable ? { ...scan, ...columnsOf(options, names) } : scan, plan.scratch);
  }

  async #betweenChunks(canStop: boolean, cursor: InputCursor, reader: InputReader): Promise<void> {
    this.#showProgress(reader);
    if (!canStop || !this.#isCheckpointDue()) return;
    this.#noteCursor(cursor);
    await this.#notePositions();
    await this.#writeState();
    this.#savedMilliseconds = performance.now();
  }

  #checkpointMilliseconds(): number {
    const { state, checkpointSeconds } = this.#prepared.options;
    return state === undefined ? Number.POSITIVE_INFINITY : checkpointSeconds * 1000;
  }

  #isCheckpointDue(): boolean {
    return performance.now() - this.#savedMilliseconds >= this.#checkpointMilliseconds();
  }

  /** Waits for input, but no longer than until the next checkpoint, if there can be one, or the word to stop; whether it came. */
  async #waitFor(input: Promise<void>, canStop: boolean): Promise<boolean> {
    const { signal } = this.#prepared.options;
    if (signal?.aborted) return false;
    const period = canStop ? this.#checkpointMilliseconds() : Number.POSITIVE_INFINITY;
    const left = period - (performance.now() - this.#savedMilliseconds);
    let interrupt = () => {};
    const interruption = new Promise<false>((resolve) => {
      interrupt = () => resolve(false);
    });
    const timer = Number.isFinite(left)
      ? setTimeout(interrupt, Math.min(Math.max(0, left), MOST_TIMER_MILLISECONDS))
      : undefined;
    signal?.addEventListener('abort', interrupt);
    try {
      return await Promise.race([input.then(() => true), interruption]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', interrupt);
    }
  }

  #showProgress(reader: InputReader): void {
    const { options, inputs, run } = this.#prepared;
    const now = performance.now();
    if (!options.onProgress || now - this.#shownMilliseconds < PROGRESS_MILLISECONDS) return;
    this.#shownMilliseconds = now;
    const progress: RunProgress = {
      inputBytes: this.#doneBytes + reader.storedBytes(),
      records: run.counts.records,
      duplicates: run.counts.duplicates,
    };
    const isKnown = inputs.every(({ isFile }) => isFile);
    const inputTotalBytes = inputs.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
    options.onProgress(isKnown ? { ...progress, inputTotalBytes } : progress);
  }

  #noteCursor({ offset, lines }: InputCursor): void {
    Object.assign(this.#prepared.run, { offset, lines });
  }

  async #notePositions(): Promise<void> {
    const { run, options } = this.#prepared;
    for (const [i, output] of this.#outputs.entries()) {
      if (options.state === undefined) await output.flush();
      else run.positions[i] = await output.checkpoint();
    }
    this.#countBytesOut();
  }

  #countBytesOut(): void {
    this.#prepared.run.counts.bytes_out = this.#countsBefore.bytes_out + (this.#outputs[0]?.bytes ?? 0);
  }

  async #writeState(): Promise<void> {
    const { options, detector, key, run, job, source } = this.#prepared;
    if (options.state === undefined) return;
    await writeState(options.state, detector, { key, run, ...(job ? { job: job.note() } : {}) }, source);
  }

  #stats(end: Pick<RunStats, 'interrupted' | 'error'>): RunStats {
    const { run, detector, isResumed } = this.#prepared;
    const seconds = (performance.now() - this.#startedMilliseconds) / 1000;
    return {
      ...run.counts,
      seconds,
      records_per_second: Math.round((run.counts.records - this.#countsBefore.records) / seconds),
      ...detectorStats(detector),
      // Counting takes a walk over the whole memory, so it waits until somebody asks.
      get load() {
        return detector.countLoad();
      },
      ...end,
      resumed: isResumed,
    };
  }
}

/** @throws FirstseenError E_RECORD when the header cannot be parted into names. */
async function namesIn(format: TableFormat, header: Uint8Array, name: string): Promise<string[]> {
  const { headerNames } = await import('../records/header.js');
  try {
    return headerNames(format, header);
  } catch (cause) {
    throw new FirstseenError(
      'E_RECORD',
      `${name}, line 1: the header is no row of ${format}: ${(cause as Error).message}; mend it, or give --no-header if the file has none`,
      { cause },
    );
  }
}

/** The columns that the keys, and the time, of a run stand in. */
function columnsOf({ keys, timeKey }: RunOptions, names: readonly string[] | undefined): Partial<ScanSettings> {
  const columns = keys.map((name) => resolveColumn(name, names));
  return timeKey === undefined ? { columns } : { columns, time: resolveColumn(timeKey, names) };
}

function detectorStats(detector: Detector) {
  const stats = detector.statsWithoutLoad();
  return {
    algorithm: stats.algorithm,
    layout: stats.layout,
    fingerprint: stats.fingerprint,
    keyed: detector.settings.secret !== undefined,
    seed: String(stats.seed),
    parameters: stats.parameters,
    memory_bytes: stats.memoryBytes,
    state_bytes: detector.kernel.cellsBytes + detector.kernel.state.byteLength,
    observed: stats.observed,
    witness: witnessRates(stats.witness),
  };
}

/** A header for comparison and for messages: what it says, without its terminator. */
function textOf(encoded: string): string {
  // The decoder drops a byte order mark. A tab at the end of a header has a column behind it.
  return JSON.stringify(new TextDecoder().decode(Buffer.from(encoded, 'base64')).replace(/\r?\n$/, ''));
}
