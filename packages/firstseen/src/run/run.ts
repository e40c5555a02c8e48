// A run: takes one input after another through the pipeline, says when a checkpoint may be saved, reports progress and makes the summary.

import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodeOf } from '../base/errors.js';
import type { Checkpoints } from '../checkpoint/checkpoints.js';
import { compareWith, type KnownRun } from '../checkpoint/matches.js';
import type { Progress } from '../checkpoint/progress.js';
import { startsOf } from '../checkpoint/resume.js';
import type { Detector } from '../detectors/detector.js';
import { type Counter, noCounts } from '../framing/counts.js';
import { columnsOf } from '../framing/header.js';
import { endedBy, type OutputNote, type RecordWriter, type Sink, type SinkPosition } from '../io/sink.js';
import { type InputReader, InputReplaced, type Source } from '../io/source.js';
import { recordFormats } from '../records/formats.js';
import type { ScratchRegion } from '../records/settings.js';
import { fieldsOfTime } from '../records/timekeys.js';
import { checkBeginning } from './beginning.js';
import { InputBeginning } from './inputbeginning.js';
import type { JobRun } from './job.js';
import type { BrokenRows, DamagedInputs } from './leftout.js';
import type { MissedWatch } from './missed.js';
import { type MissingKeyWatch, withKeyForms } from './missingkeys.js';
import { noticesOf } from './notices.js';
import type { Extent, InputCursor, Pauses, Pipeline } from './pipeline.js';
import type { InputFindings, ResolvedInputs, ResolvedRecords } from './resolved.js';
import type { RunProgress } from './runoptions.js';
import type { ReportOptions } from './settled.js';
import type { RunThreads } from './sidebyside.js';
import { detectorStats, type RunStats } from './stats.js';

/** Time between two looks at a log that is being rotated. */
const ROTATION_MILLISECONDS = 100;

/** Minimum time between two reports of the progress. */
const PROGRESS_MILLISECONDS = 100;

/** The parts of a run, each made with its own settings. */
export interface RunParts {
  detector: Detector;
  job: JobRun;
  inputs: ResolvedInputs;
  progress: Progress;
  counter: Counter;
  checkpoints: Checkpoints;
  pipeline: Pipeline;
  missed: MissedWatch;
  missingKeys: MissingKeyWatch;
  brokenRows: BrokenRows;
  damagedInputs: DamagedInputs;
  outputs: OpenOutputs;
  /** The number of threads that the run may use. */
  threadCount: number;
  /** These threads, if there are several and the run has something to do. */
  threads: RunThreads | undefined;
  records: Pick<
    ResolvedRecords,
    'key' | 'rank' | 'scan' | 'shard' | 'hasHeader' | 'skipLines' | 'isFormatGuessed' | 'saltOf'
  >;
  /** The region in which the settings of the scanner are written for the kernel. */
  scratch: ScratchRegion;
  report: Pick<ReportOptions, 'signal' | 'onProgress' | 'onWarning'>;
}

/** The opened outputs. */
export interface OpenOutputs {
  notes: readonly OutputNote[];
  sinks: readonly Sink[];
  /** Writes the main output, if its records have another form than those of the inputs. */
  writer: RecordWriter | undefined;
}

export class Run {
  readonly #parts: RunParts;
  readonly #beginning: InputBeginning;
  readonly #startedMilliseconds = performance.now();
  #shownMilliseconds = 0;
  #extent: Extent = 'whole';
  /** Elements that the window had no room for before this run. */
  readonly #unstoredBefore: number;
  /** Generations that left the window early before this run. */
  readonly #shortenedBefore: number;
  /** The known runs after each log rotation while the log was followed. */
  readonly #matches: KnownRun[] = [];
  /** Bytes of the unfinished records at the ends of inputs, by the names of the inputs. */
  readonly #waiting = new Map<string, number>();

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#beginning = new InputBeginning(parts, (names) => this.#configureScan(names));
    const { unstored = 0, shortened = 0 } = parts.detector.counts;
    this.#unstoredBefore = unstored;
    this.#shortenedBefore = shortened;
  }

  /**
   * Processes all inputs to their end, or stops when the signal is aborted.
   * @param onFailure called with the summary of a run that fails, before the error is thrown
   */
  async toEnd(onFailure?: (stats: RunStats) => void): Promise<RunStats> {
    try {
      if (!this.#parts.inputs.isDone) await this.#runToEnd();
      this.#parts.missingKeys.look(this.#parts.counter.counts, true);
    } catch (cause) {
      const error = withKeyForms(cause, this.#parts.records.key.keys);
      onFailure?.(this.#stats(endedBy(error)));
      throw error;
    } finally {
      this.#parts.progress.close();
      await this.#parts.threads?.decompressing.close();
      await this.#parts.threads?.crew.close();
    }
    const stats = this.#stats({ interrupted: this.#extent !== 'whole', error: null });
    this.#parts.missed.look(stats.witness);
    return stats;
  }

  /** The summary of what has been processed up to now. */
  statsSoFar(): RunStats {
    return this.#stats({ interrupted: false, error: null });
  }

  async #runToEnd(): Promise<void> {
    try {
      await this.#takeInputs();
      this.#parts.progress.isFinished = this.#extent === 'whole';
      await this.#takePositions();
    } catch (error) {
      if (errorCodeOf(error) === 'E_OVERLOAD' || error instanceof InputReplaced) await this.#stopAtRecord();
      else await this.#endAfterError();
      throw error;
    }
    await this.#endOutputs();
    // After part of a long record, the state stays that of the last checkpoint, where the record can be read again.
    if (this.#extent !== 'cut') await this.#parts.checkpoints.save();
  }

  /** Ends every output, even if ending another one fails. */
  async #endOutputs(): Promise<void> {
    const { isFinished } = this.#parts.progress;
    const ends = await Promise.allSettled(this.#parts.outputs.sinks.map((sink) => sink.close(isFinished)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    this.#parts.progress.positions = ends.map((end) => (end as PromiseFulfilledResult<SinkPosition>).value);
  }

  async #takeInputs(): Promise<void> {
    do this.#extent = await this.#takeInput();
    while (this.#extent === 'whole' && (await this.#toNextInput()));
  }

  /** Moves on to the files of the log as they are now, if it was rotated, or to the next input; false if there is none. */
  async #toNextInput(): Promise<boolean> {
    const { source, isRotated } = this.#parts.progress;
    if (!isRotated) return this.#parts.progress.next();
    while (!this.#parts.report.signal?.aborted) {
      const isTaken = await this.#takeRotated(source);
      if (isTaken) return true;
      await this.#parts.checkpoints.waitFor(sleep(ROTATION_MILLISECONDS), false);
    }
    this.#extent = 'stopped';
    return false;
  }

  /** Takes the files of a log that was rotated in place of it; false while they are being renamed. */
  async #takeRotated({ lookAgain }: Source): Promise<boolean> {
    const { records, outputs } = this.#parts;
    const run = await this.#parts.progress.snapshot(noCounts);
    const match = await lookAgain?.()
      .then((log) => compareWith(run, { sources: [log], outputs: outputs.notes, emit: run.emit }))
      .catch((error) => {
        if (errorCodeOf(error) === 'E_INPUT') return undefined;
        throw error;
      });
    if (!match) return false;
    this.#matches.push(match);
    this.#parts.progress.replace(match.sources, startsOf(match, records.key.format, true), run.reads);
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
    await this.#parts.checkpoints.save();
  }

  get #isTable(): boolean {
    return recordFormats[this.#parts.records.key.format].keys === 'columns';
  }

  async #takeInput(): Promise<Extent> {
    const { records, report, inputs, progress, pipeline, checkpoints } = this.#parts;
    const { source, taken } = progress;
    const hasHeader = this.#isTable && records.hasHeader;
    const cursor: InputCursor = { name: source.name, path: source.path, offset: taken.offset, lines: taken.lines };
    await this.#beginInput(source);
    this.#parts.job.review?.beginInput(source.name);
    const mayGrow = source.mayGrow && inputs.partial === 'wait';
    const decompressing = this.#parts.threads?.decompressing;
    let reader = await (hasHeader ? progress.openAtStart(decompressing) : progress.open(decompressing));
    let cutter = pipeline.cutterOf({ reader, cursor, mayGrow });
    const pauses: Pauses = {
      isAborted: () => report.signal?.aborted ?? false,
      betweenChunks: (canStop) => this.#betweenChunks(canStop, cursor, reader),
      waitFor: (input, canStop) => checkpoints.waitFor(input, canStop),
    };
    try {
      if (hasHeader) {
        if (!(await this.#beginning.takeHeader(cutter, cursor, pauses))) return 'stopped';
        if (taken.offset > 0) {
          await reader.close();
          reader = await progress.open(decompressing);
          cutter = pipeline.cutterOf({ reader, cursor, mayGrow, columnCount: cutter.columnCount });
        }
      } else {
        this.#configureScan(undefined);
        if (!(await this.#beginning.takeSkipped(cutter, pauses))) return 'stopped';
        if (taken.offset === 0) checkBeginning(records, cursor, cutter.beginning);
      }
      const extent = await pipeline.run(cutter, cursor, pauses);
      this.#endInput(extent, cursor, reader);
      return extent;
    } finally {
      progress.take(cursor);
      await reader.close();
    }
  }

  /** A file for each input is complete when the next input begins, so a checkpoint that could not be saved before can be saved then. */
  async #beginInput(source: Source): Promise<void> {
    const { sinks } = this.#parts.outputs;
    for (const sink of sinks) await sink.beginInput?.(source);
    if (!sinks.some(({ isFolder }) => isFolder) || !this.#parts.checkpoints.isDue) return;
    await this.#takePositions();
    await this.#parts.checkpoints.save();
  }

  #endInput(extent: Extent, { name, waitingBytes = 0 }: InputCursor, { isContinued = false }: InputReader): void {
    if (waitingBytes > 0 && !isContinued) this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + waitingBytes);
    this.#parts.progress.endInput(extent === 'whole' && waitingBytes === 0);
  }

  #configureScan(names: readonly string[] | undefined): void {
    const { scratch, records, pipeline, progress } = this.#parts;
    const { scan, key, rank, shard, saltOf } = records;
    const columns = this.#isTable ? columnsOf({ ...key, times: fieldsOfTime(key.time), rank }, names) : {};
    pipeline.configure({ ...scan, ...columns, salt: saltOf?.(progress.source.name) }, scratch, shard);
  }

  async #betweenChunks(canStop: boolean, cursor: InputCursor, reader: InputReader): Promise<void> {
    this.#showProgress(reader);
    this.#parts.missingKeys.look(this.#parts.counter.counts, false);
    this.#parts.missed.betweenChunks();
    if (!canStop || !this.#parts.checkpoints.isDue) return;
    this.#parts.progress.take(cursor);
    await this.#takePositions();
    await this.#parts.checkpoints.save();
  }

  #showProgress(reader: InputReader): void {
    const { inputs, report } = this.#parts;
    const { onProgress } = report;
    const now = performance.now();
    if (!onProgress || now - this.#shownMilliseconds < PROGRESS_MILLISECONDS) return;
    this.#shownMilliseconds = now;
    const { storedBytesBefore, totalBytes } = this.#parts.progress;
    const { records, duplicates } = this.#parts.counter.counts;
    const progress: RunProgress = { inputBytes: storedBytesBefore + reader.storedBytes(), records, duplicates };
    onProgress(
      totalBytes === undefined || inputs.isFollowing ? progress : { ...progress, inputTotalBytes: totalBytes },
    );
  }

  async #takePositions(): Promise<void> {
    await this.#parts.checkpoints.takePositions();
    this.#countBytesOut();
  }

  #countBytesOut(): void {
    this.#parts.counter.setBytesOut(this.#parts.outputs.sinks[0]?.bytes ?? 0);
  }

  /** The findings about the rotated logs at the start of the run and while it followed one. */
  get #findings(): InputFindings {
    const { findings } = this.#parts.inputs;
    const all = [findings, ...this.#matches];
    return {
      ...findings,
      replaced: [...new Set(all.flatMap(({ replaced }) => replaced))],
      undecided: [...new Set(all.flatMap(({ undecided }) => undecided))],
      unrecognized: all.flatMap(({ unrecognized }) => unrecognized),
    };
  }

  /** True if all records of a run that is finished were of types that are not compared. */
  get #isNothingCompared(): boolean {
    const { records, notCompared } = this.#parts.counter.counts;
    return this.#parts.progress.isFinished && notCompared === records;
  }

  #stats(end: Pick<RunStats, 'interrupted' | 'error'>): RunStats {
    const { detector, job, inputs, threadCount } = this.#parts;
    const overload = job.overload?.() ?? null;
    const described = detectorStats(detector);
    const seconds = (performance.now() - this.#startedMilliseconds) / 1000;
    return {
      ...this.#parts.counter.snapshot(),
      bytesWaiting: [...this.#waiting.values()].reduce((sum, bytes) => sum + bytes, 0),
      seconds,
      recordsPerSecond: Math.round(this.#parts.counter.counts.records / seconds),
      allRuns: this.#parts.checkpoints.allRuns,
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
      ...{ threads: threadCount, idle: inputs.isDone },
      resumed: this.#parts.checkpoints.isContinuing,
      notices: noticesOf({
        ...this.#findings,
        isDone: inputs.isDone,
        changed: new Set(inputs.sources.filter(({ rotated }) => !rotated).map(({ name }) => name)),
        waiting: this.#waiting,
        broken: this.#parts.brokenRows.notice,
        damaged: this.#parts.damagedInputs.notice,
        ...{ elementName: job.elementName ?? 'element', detector: described },
        notCompared: this.#isNothingCompared ? this.#parts.counter.counts.notCompared : 0,
        unstored: (described.unstored ?? 0) - this.#unstoredBefore,
        shortened: (described.shortened ?? 0) - this.#shortenedBefore,
        // An error says it already.
        overload: end.error === null ? overload : null,
      }),
    };
  }
}
