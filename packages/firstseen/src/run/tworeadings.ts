// A run of a job that reads its inputs twice: a run without outputs, what the job does between the readings, and the run that was
// asked for.

import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import { endedBy } from '../io/sink.js';
import type { Source } from '../io/source.js';
import type { FirstReading, JobRun } from './job.js';
import { RereadSource } from './reread.js';
import type { OpenOutputs, Run } from './run.js';
import type { RunProgress } from './runoptions.js';
import type { ReportOptions } from './settled.js';
import type { RunStats } from './stats.js';

type OnFailure = (stats: RunStats) => void;

/** Failures that end the second reading at the same record as the first, so that all records before it are written. */
const repeatedCodes: ReadonlySet<string> = new Set(['E_INPUT', 'E_COMPRESSION', 'E_RECORD', 'E_KEY_MISSING']);

/** A reading of the inputs. Most runs have one. */
export interface Reading {
  sources: readonly Source[];
  job: JobRun;
  outputs: OpenOutputs;
  report: ReportOptions;
}

export class TwoReadings {
  readonly #whole: Reading;
  readonly #firstReading: FirstReading;
  readonly #begin: (reading: Reading) => Run;
  readonly #sources: readonly RereadSource[];
  readonly #startedMilliseconds = performance.now();
  #run: Run;

  /**
   * @param whole the second reading, but with the inputs as they are
   * @param begin makes the run of a reading
   */
  constructor(whole: Reading, firstReading: FirstReading, begin: (reading: Reading) => Run) {
    this.#whole = whole;
    this.#firstReading = firstReading;
    this.#begin = begin;
    this.#sources = whole.sources.map((source) => new RereadSource(source, firstReading.folder));
    const { note, advance } = whole.job;
    const job = { observe: firstReading.observe, ...defined({ note, advance }) };
    this.#run = begin({ ...this.#reading('first'), job, outputs: { notes: [], sinks: [], writer: undefined } });
  }

  /** As `Run.statsSoFar`, for the reading under way. */
  statsSoFar(): RunStats {
    return this.#wholeStats(this.#run.statsSoFar());
  }

  /** As `Run.toEnd`. */
  async toEnd(onFailure?: OnFailure): Promise<RunStats> {
    try {
      return await this.#toEnd(onFailure && ((stats) => onFailure(this.#wholeStats(stats))));
    } finally {
      this.#firstReading.close();
      for (const source of this.#sources) source.close();
    }
  }

  async #toEnd(onFailure: OnFailure | undefined): Promise<RunStats> {
    let firstStats: RunStats | undefined;
    try {
      firstStats = await this.#read();
      const isSettled = !firstStats.interrupted && (await this.#firstReading.finish(this.#whole.report.signal));
      if (!isSettled) {
        await this.#leaveOutputs();
        return this.#wholeStats({ ...firstStats, ...noVerdicts, interrupted: true });
      }
    } catch (error) {
      await this.#leaveOutputs();
      if (firstStats) onFailure?.({ ...firstStats, ...noVerdicts, ...endedBy(error) });
      throw error;
    }
    this.#run = this.#begin(this.#reading('second'));
    const stats = await this.#run.toEnd(onFailure);
    if (!stats.interrupted) this.#firstReading.checkWhole();
    return this.#wholeStats(stats);
  }

  /** The first reading. */
  async #read(): Promise<RunStats> {
    let failed: RunStats | undefined;
    try {
      return await this.#run.toEnd((stats) => {
        failed = stats;
      });
    } catch (error) {
      if (failed && error instanceof FirstseenError && repeatedCodes.has(error.code)) return failed;
      throw error;
    }
  }

  /** Closes the outputs without a change. The error to report is the one that stopped the run. */
  async #leaveOutputs(): Promise<void> {
    await Promise.allSettled(this.#whole.outputs.sinks.map((sink) => sink.abort()));
  }

  #reading(order: 'first' | 'second'): Reading {
    const { report } = this.#whole;
    const { onProgress, onWarning } = report;
    const sources = this.#sources.map((source) => source[order]);
    return {
      ...this.#whole,
      sources,
      report: {
        ...report,
        onProgress: onProgress && ((made) => onProgress(halfOf(made, order))),
        // The second reading finds nothing that the first has not found.
        onWarning: order === 'first' ? onWarning : undefined,
      },
    };
  }

  /** The summary of both readings. */
  #wholeStats(stats: RunStats): RunStats {
    const seconds = (performance.now() - this.#startedMilliseconds) / 1000;
    const spooledBytes = this.#sources.reduce((sum, source) => sum + source.spooledBytes, 0);
    const spill = stats.spill && { ...stats.spill, writtenBytes: stats.spill.writtenBytes + spooledBytes };
    return {
      ...stats,
      seconds,
      recordsPerSecond: Math.round(stats.records / seconds),
      ...(spill ? { spill } : {}),
    };
  }
}

/** The first reading gives no verdicts. */
const noVerdicts = { distinct: 0, duplicates: 0 };

/** Each reading is half of the progress. */
function halfOf(progress: RunProgress, reading: 'first' | 'second'): RunProgress {
  const { inputBytes, inputTotalBytes } = progress;
  if (inputTotalBytes === undefined) return progress;
  const before = reading === 'first' ? 0 : inputTotalBytes;
  return { ...progress, inputBytes: before + inputBytes, inputTotalBytes: 2 * inputTotalBytes };
}
