// The checkpoints of a run. The outputs are made safe up to a position before the state with this position is saved, so the state on
// the disk always belongs to a prefix of the outputs on the disk.

import type { Detector } from '../detectors/detector.js';
import { addCounts, noCounts, type RunCounts } from '../framing/counts.js';
import type { SinkPosition } from '../io/sink.js';
import type { JobNote } from './jobnote.js';
import type { RunNote, StateNote } from './note.js';
import type { Progress } from './progress.js';
import type { RunState } from './runstate.js';
import { CheckpointSchedule } from './schedule.js';

/** An output, as a checkpoint sees it. */
export interface CheckpointOutput {
  /** True if a later run can go on from a commit now; true by default. */
  readonly canCommit?: boolean;
  /** Passes on everything that was appended. */
  flush(): Promise<void>;
  /** Makes everything that was appended as safe as the output can; a later run can continue from the returned position. */
  commit(): Promise<SinkPosition>;
}

export interface CheckpointsOptions {
  /** The state of the run; undefined for a run without one. */
  state: RunState | undefined;
  detector: Detector;
  outputs: readonly CheckpointOutput[];
  progress: Progress;
  /** The part of the state's note that does not change while the run lasts. Its totals are those before the run. */
  before: Omit<StateNote, 'run' | 'job'>;
  /** The run that it continues. */
  resumes: RunNote | undefined;
  /** The note of the job, as it is now. */
  jobNote(): JobNote | undefined;
  /** The counts of this process, as they are now. */
  counts(): RunCounts;
  periodMilliseconds: number;
  /** True if an input is followed. Log rotation may rename it at any time, and only a state knows it by more than its name. */
  isFollowing: boolean;
  signal: AbortSignal | undefined;
}

export class Checkpoints {
  readonly #options: CheckpointsOptions;
  readonly #schedule: CheckpointSchedule;

  constructor(options: CheckpointsOptions) {
    const { periodMilliseconds, signal, isFollowing, resumes } = options;
    this.#options = options;
    const period = this.#isSaving ? periodMilliseconds : Number.POSITIVE_INFINITY;
    this.#schedule = new CheckpointSchedule(period, signal, isFollowing && resumes === undefined);
  }

  get #isSaving(): boolean {
    const { state } = this.#options;
    return state !== undefined && !state.isReadOnly;
  }

  /** True if a later run can go on from here with all outputs. */
  get #canCommit(): boolean {
    return this.#options.outputs.every(({ canCommit = true }) => canCommit);
  }

  get isDue(): boolean {
    return this.#schedule.isDue && this.#canCommit;
  }

  /** As `CheckpointSchedule.waitFor`. */
  waitFor(input: Promise<void>, canStop: boolean): Promise<boolean> {
    return this.#schedule.waitFor(input, canStop && this.#canCommit);
  }

  /** True if the run continues an earlier one. */
  get isContinuing(): boolean {
    return this.#options.resumes !== undefined;
  }

  /** Counts over all runs with the state; null without a state. A run that does not save it does not count. */
  get allRuns(): RunCounts | null {
    return this.#options.state === undefined ? null : this.#totals;
  }

  get #totals(): RunCounts {
    const { before, counts } = this.#options;
    return this.#isSaving ? addCounts(before.totals, counts()) : { ...before.totals };
  }

  /** Makes the outputs safe up to here, and takes their positions. Without a state, it only passes on what was appended. */
  async takePositions(): Promise<void> {
    const { outputs, progress } = this.#options;
    if (!this.#isSaving) {
      for (const output of outputs) await output.flush();
      return;
    }
    const positions = [];
    for (const output of outputs) positions.push(await output.commit());
    progress.positions = positions;
  }

  /**
   * Saves the state with the positions that were taken last, unless an output that is not complete cannot go on from there.
   * @throws FirstseenError E_STATE_FILE when that fails.
   */
  async save(): Promise<void> {
    const { state, detector, progress, before, resumes, jobNote, counts } = this.#options;
    if (!state || !this.#isSaving || !(progress.isFinished || this.#canCommit)) return;
    const { key, asked, finishedRuns } = before;
    const job = jobNote();
    const run = await progress.snapshot(addCounts(resumes?.counts ?? noCounts, counts()));
    await state.save(detector, { key, run, totals: this.#totals, asked, ...(job ? { job } : {}), finishedRuns });
    this.#schedule.saved();
  }
}
