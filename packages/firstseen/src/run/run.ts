// A run: takes one input after another through the pipeline, says when a checkpoint may be saved, reports progress and makes the summary.

import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodeOf } from '../base/errors.js';
import { Checkpoints } from '../checkpoint/checkpoints.js';
import { compareWith, type KnownRun } from '../checkpoint/matches.js';
import { Progress } from '../checkpoint/progress.js';
import { startsOf } from '../checkpoint/resume.js';
import type { RunState } from '../checkpoint/runstate.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import type { StrictProblem } from '../framing/batch.js';
import { Counter, noCounts } from '../framing/counts.js';
import { columnsOf, headerScan, namesIn } from '../framing/header.js';
import { endedBy, type RecordWriter, type Sink, type SinkPosition } from '../io/sink.js';
import { type InputReader, InputReplaced, type Source } from '../io/source.js';
import { inputName } from '../io/system/paths.js';
import { recordFormats } from '../records/formats.js';
import type { TableFormat } from '../records/ordinary.js';
import { configureScan } from '../records/settings.js';
import { watchedTiming } from './clock.js';
import { checkSameHeader } from './header.js';
import type { JobRun } from './job.js';
import { noticesOf } from './notices.js';
import type { RunProgress } from './options.js';
import { type Extent, type InputCursor, type InputCutter, type Pauses, Pipeline } from './pipeline.js';
import type { ResolvedRun } from './resolve.js';
import type { RunThreads } from './sidebyside.js';
import { detectorStats, type RunStats } from './stats.js';

/** Time between two looks at a log that is being rotated. */
const ROTATION_MILLISECONDS = 100;

/** Minimum time between two reports of the progress. */
const PROGRESS_MILLISECONDS = 100;

/** Everything that was opened for a run. */
export interface RunParts {
  detector: Detector;
  job: JobRun;
  outputs: readonly Sink[];
  /** Writes the main output, if its records have another form than those of the inputs. */
  writer: RecordWriter | undefined;
  /** Validates records in full, if that was asked for. */
  strictProblem: StrictProblem | undefined;
  /** The threads of the run, if it has several. */
  threads: RunThreads | undefined;
  /** Open while the run lasts, if there is one. */
  state: RunState | undefined;
}

export class Run {
  readonly #resolved: ResolvedRun;
  readonly #parts: RunParts;
  readonly #pipeline: Pipeline;
  readonly #progress: Progress;
  readonly #counter: Counter;
  readonly #checkpoints: Checkpoints;
  readonly #startedMilliseconds = performance.now();
  #shownMilliseconds = 0;
  #extent: Extent = 'whole';
  /** Elements that the window had no room for before this run. */
  readonly #unstoredBefore: number;
  /** What log rotation made of the log while it was followed. */
  readonly #matches: KnownRun[] = [];
  /** Bytes of the unfinished records at the ends of inputs, by the names of the inputs. */
  readonly #waiting = new Map<string, number>();

  constructor(resolved: ResolvedRun, parts: RunParts) {
    const { sources, starts, outputs, resumes, partial, regions, key, keyRules, timing, shard } = resolved;
    const { maxRecordBytes, missingKey, onError } = resolved.records;
    const { emit, annotate } = resolved.output;
    this.#resolved = resolved;
    this.#parts = parts;
    this.#progress = new Progress({ sources, starts, outputs, emit, annotate, partial, resumes });
    this.#counter = new Counter();
    this.#unstoredBefore = parts.detector.unstored ?? 0;
    const { checkpointSeconds: periodSeconds } = resolved.state;
    this.#checkpoints = new Checkpoints({
      ...{ state: parts.state, detector: parts.detector, outputs: parts.outputs, progress: this.#progress },
      ...{ before: resolved, resumes, savesAtEnd: resolved.savesAtEnd, periodSeconds, signal: resolved.report.signal },
      jobNote: () => parts.job.note(),
      counts: () => this.#counter.counts,
    });
    this.#pipeline = new Pipeline({
      kernel: kernelOf(parts.detector),
      job: parts.job,
      input: regions.input,
      outputs: parts.outputs,
      threads: parts.threads,
      format: key.format,
      counter: this.#counter,
      maxRecordBytes,
      strictProblem: parts.strictProblem,
      missingKey,
      emptyKey: keyRules.emptyKey,
      onError,
      timing: watchedTiming(timing, parts.detector, resolved),
      timeField: key.time === undefined ? undefined : { name: key.time, format: key.timeFormat ?? 'auto' },
      takesKeyless: (shard?.index ?? 0) === 0,
    });
  }

  /**
   * Processes all inputs to their end, or stops when the signal is aborted.
   * @param onFailure called with the summary of a run that fails, before the error is thrown
   */
  async toEnd(onFailure?: (stats: RunStats) => void): Promise<RunStats> {
    try {
      if (!this.#resolved.isDone) await this.#runToEnd();
    } catch (error) {
      onFailure?.(this.#stats(endedBy(error)));
      throw error;
    } finally {
      await this.#parts.threads?.crew.close();
    }
    return this.#stats({ interrupted: this.#extent !== 'whole', error: null });
  }

  /** The summary of what has been processed up to now. */
  statsSoFar(): RunStats {
    return this.#stats({ interrupted: false, error: null });
  }

  async #runToEnd(): Promise<void> {
    try {
      await this.#takeInputs();
      this.#progress.isFinished = this.#extent === 'whole';
      await this.#takePositions();
    } catch (error) {
      if (errorCodeOf(error) === 'E_OVERLOAD' || error instanceof InputReplaced) await this.#stopAtRecord();
      else await this.#endAfterError();
      throw error;
    }
    await this.#endOutputs();
    // After part of a long record, the state stays that of the last checkpoint, where the record can be read again.
    if (this.#extent !== 'cut') await this.#checkpoints.save();
  }

  /** Ends every output, even if ending another one fails. */
  async #endOutputs(): Promise<void> {
    const { isFinished } = this.#progress;
    const ends = await Promise.allSettled(this.#parts.outputs.map((output) => output.close(isFinished)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    this.#progress.positions = ends.map((end) => (end as PromiseFulfilledResult<SinkPosition>).value);
  }

  async #takeInputs(): Promise<void> {
    do this.#extent = await this.#takeInput();
    while (this.#extent === 'whole' && (await this.#toNextInput()));
  }

  /** Moves on to the files of the log as they are now, if it was rotated, or to the next input; false if there is none. */
  async #toNextInput(): Promise<boolean> {
    const { source, isRotated } = this.#progress;
    if (!isRotated) return this.#progress.next();
    while (!this.#resolved.report.signal?.aborted) {
      const found = await this.#takeRotated(source);
      if (found) return true;
      await this.#checkpoints.waitFor(sleep(ROTATION_MILLISECONDS), false);
    }
    this.#extent = 'stopped';
    return false;
  }

  /** Takes the files of a log that was rotated in place of it; false while they are being renamed. */
  async #takeRotated({ lookAgain }: Source): Promise<boolean> {
    const { key, outputs } = this.#resolved;
    const run = await this.#progress.snapshot(noCounts);
    const found = await lookAgain?.()
      .then((log) => compareWith(run, { sources: [log], outputs, emit: run.emit }))
      .catch((error) => {
        if (errorCodeOf(error) === 'E_INPUT') return undefined;
        throw error;
      });
    if (!found) return false;
    this.#matches.push(found);
    this.#progress.replace(found.sources, startsOf(found, key.format, true), run.reads);
    return true;
  }

  /** Writes the records from before the error. The state remains that of the last checkpoint. */
  async #endAfterError(): Promise<void> {
    // The error to report is the one that stopped the run.
    await this.#endOutputs().catch(() => undefined);
    this.#countBytesOut();
  }

  /** Saves the state as of the last record, from which a later run may go on in spite of the error. */
  async #stopAtRecord(): Promise<void> {
    await this.#takePositions();
    await this.#endOutputs();
    await this.#checkpoints.save();
  }

  get #isTable(): boolean {
    return recordFormats[this.#resolved.key.format].keys === 'columns';
  }

  async #takeInput(): Promise<Extent> {
    const { records, report } = this.#resolved;
    const { source, taken } = this.#progress;
    const hasHeader = this.#isTable && records.hasHeader;
    const cursor: InputCursor = { name: source.name, offset: taken.offset, lines: taken.lines };
    const mayGrow = source.mayGrow && this.#resolved.partial === 'wait';
    const isBeside = this.#parts.threads !== undefined;
    let reader = await (hasHeader ? this.#progress.openAtStart(isBeside) : this.#progress.open(isBeside));
    let cutter = this.#pipeline.cutterOf({ reader, cursor, mayGrow });
    const pauses: Pauses = {
      isAborted: () => report.signal?.aborted ?? false,
      betweenChunks: (canStop) => this.#betweenChunks(canStop, cursor, reader),
      waitFor: (input, canStop) => this.#checkpoints.waitFor(input, canStop),
    };
    try {
      if (hasHeader) {
        if (!(await this.#takeHeader(cutter, cursor, pauses))) return 'stopped';
        if (taken.offset > 0) {
          await reader.close();
          reader = await this.#progress.open(isBeside);
          cutter = this.#pipeline.cutterOf({ reader, cursor, mayGrow, columnCount: cutter.columnCount });
        }
      } else {
        this.#configureScan(undefined);
        const skipped = await this.#pipeline.readFor(() => cutter.begin() || undefined, cutter, pauses);
        if (skipped === 'aborted') return 'stopped';
      }
      const extent = await this.#pipeline.run(cutter, cursor, pauses);
      this.#endInput(extent, cursor, reader);
      return extent;
    } finally {
      this.#progress.take(cursor);
      await reader.close();
    }
  }

  #endInput(extent: Extent, { name, waitingBytes = 0 }: InputCursor, { isContinued = false }: InputReader): void {
    if (waitingBytes > 0 && !isContinued) this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + waitingBytes);
    this.#progress.endInput(extent === 'whole' && waitingBytes === 0);
  }

  /** Reads the header, finds the key columns in it, and writes it unless one was written before. False when aborted. */
  async #takeHeader(cutter: InputCutter, { name, offset }: InputCursor, pauses: Pauses): Promise<boolean> {
    const { key, scan, regions } = this.#resolved;
    configureScan(kernelOf(this.#parts.detector), headerScan(scan), regions.scratch);
    const header = await this.#pipeline.readFor(() => cutter.header(), cutter, pauses);
    if (header === 'aborted') return false;
    if (header === undefined) return true;
    const names = await namesIn(key.format as TableFormat, header, inputName(name));
    this.#parts.writer?.checkHeader(names);
    this.#configureScan(names);
    cutter.columnCount = names.length;
    if (offset > 0) return true;
    await this.#sendHeader(header, name);
    cutter.advance();
    return true;
  }

  async #sendHeader(header: Uint8Array, name: string): Promise<void> {
    const encoded = Buffer.from(header).toString('base64');
    if (this.#progress.header === null) {
      this.#progress.header = encoded;
      for (const output of this.#parts.outputs) await output.appendHeader(header);
    } else {
      checkSameHeader(name, encoded, this.#progress.header);
    }
  }

  #configureScan(names: readonly string[] | undefined): void {
    const { scan, regions, key, shard } = this.#resolved;
    const columns = this.#isTable ? columnsOf(key, names) : {};
    this.#pipeline.configure({ ...scan, ...columns }, regions.scratch, shard);
  }

  async #betweenChunks(canStop: boolean, cursor: InputCursor, reader: InputReader): Promise<void> {
    this.#showProgress(reader);
    if (!canStop || !this.#checkpoints.isDue) return;
    this.#progress.take(cursor);
    await this.#takePositions();
    await this.#checkpoints.save();
  }

  #showProgress(reader: InputReader): void {
    const { report, input } = this.#resolved;
    const { onProgress } = report;
    const now = performance.now();
    if (!onProgress || now - this.#shownMilliseconds < PROGRESS_MILLISECONDS) return;
    this.#shownMilliseconds = now;
    const { storedBytesBefore, totalBytes } = this.#progress;
    const { records, duplicates } = this.#counter.counts;
    const progress: RunProgress = { inputBytes: storedBytesBefore + reader.storedBytes(), records, duplicates };
    onProgress(totalBytes === undefined || input.isFollowing ? progress : { ...progress, inputTotalBytes: totalBytes });
  }

  async #takePositions(): Promise<void> {
    await this.#checkpoints.takePositions();
    this.#countBytesOut();
  }

  #countBytesOut(): void {
    this.#counter.setBytesOut(this.#parts.outputs[0]?.bytes ?? 0);
  }

  /** What is reported about the rotated logs at the start of the run and while it followed one. */
  get #matched(): Pick<ResolvedRun, 'replaced' | 'undecided' | 'unrecognized'> {
    const all = [this.#resolved, ...this.#matches];
    return {
      replaced: [...new Set(all.flatMap(({ replaced }) => replaced))],
      undecided: [...new Set(all.flatMap(({ undecided }) => undecided))],
      unrecognized: all.flatMap(({ unrecognized }) => unrecognized),
    };
  }

  #stats(end: Pick<RunStats, 'interrupted' | 'error'>): RunStats {
    const { detector, job } = this.#parts;
    const overload = job.overload?.() ?? null;
    const described = detectorStats(detector);
    const seconds = (performance.now() - this.#startedMilliseconds) / 1000;
    return {
      ...this.#counter.snapshot(),
      bytesWaiting: [...this.#waiting.values()].reduce((sum, bytes) => sum + bytes, 0),
      seconds,
      recordsPerSecond: Math.round(this.#counter.counts.records / seconds),
      allRuns: this.#parts.state === undefined ? null : this.#checkpoints.totals,
      ...described,
      overload,
      // Computed only on access, because it scans the whole memory.
      get load() {
        return detector.countLoad();
      },
      get partitions() {
        return detector.partitionsStats();
      },
      ...job.stats?.(),
      ...end,
      threads: this.#resolved.threads,
      resumed: this.#resolved.resumes !== undefined,
      notices: noticesOf({ ...this.#resolved, ...this.#matched }, this.#waiting, {
        unstored: (described.unstored ?? 0) - this.#unstoredBefore,
        // An error says it already.
        overload: end.error === null ? overload : null,
      }),
    };
  }
}
