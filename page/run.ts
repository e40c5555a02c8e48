// The run of a trial in the worker: records at a pace, in slices, with reports between them.

import { MAX_KEYS } from './exactset.js';
import { LimitWatch } from './limit.js';
import { FileLines } from './lines.js';
import type { Ending, Report, Request } from './messages.js';
import { drawStream } from './streams.js';
import { MAX_BATCH, Trial } from './trial.js';

/** The worker looks at its messages between slices of this length. */
const SLICE_MILLISECONDS = 8;
/** Time between reports: about 30 in a second. */
const REPORT_MILLISECONDS = 33;
/** A batch at a slow pace is this part of a second. */
const BATCHES_PER_SECOND = 60;
const MIN_BATCH = 16;
/** The longest delay that is made up for, so that no rush follows a pause of the machine. */
const MAX_DEBT_SECONDS = 0.25;
const MILLISECONDS = 1000;
/** Of drawn streams and of long files the limit follows one key of so many. Short files are followed whole. */
const FOLLOWED_ONE_IN = 64;
const LONG_FILE_BYTES = 2 ** 25;

/** Writes the fingerprints of the next records into the batch of the trial. Returns their number, 0 at the end. */
type Source = (most: number) => number | Promise<number>;

type Start = Extract<Request, { kind: 'start' }>;

function sourceOf({ settings, file }: Start, trial: Trial): Source {
  if (settings.stream === 'file') {
    if (file === undefined) throw new Error('no file is chosen; choose one, or another stream');
    const lines = new FileLines(file, (line) => trial.fingerprint(line));
    return (most) => lines.place(trial.fingerprints, most);
  }
  const draw = drawStream(settings.stream, settings.keys, settings.seed);
  return (most) => {
    draw(trial.words, most);
    return most;
  };
}

export class Run {
  readonly #start: Start;
  readonly #trial: Trial;
  readonly #source: Source;
  readonly #limit: LimitWatch;
  readonly #post: (report: Report) => void;
  readonly #channel = new MessageChannel();
  #isRunning = false;
  #isStopped = false;
  #isInTurn = false;
  #recordsPerSecond = Number.POSITIVE_INFINITY;
  /** Records that may be taken by now, and when that was counted. */
  #due = 0;
  #countedAt = 0;
  #reportedAt = 0;

  private constructor(start: Start, trial: Trial, post: (report: Report) => void) {
    this.#start = start;
    this.#trial = trial;
    this.#post = post;
    this.#source = sourceOf(start, trial);
    const isShort = start.file !== undefined && start.file.size < LONG_FILE_BYTES;
    this.#limit = new LimitWatch(start.settings.memoryBytes, isShort ? 1 : FOLLOWED_ONE_IN);
    this.#channel.port1.onmessage = () => void this.#turn();
  }

  /** @throws FirstseenError as `Trial.create`. */
  static async create(start: Start, post: (report: Report) => void): Promise<Run> {
    const trial = await Trial.create(start.settings);
    const run = new Run(start, trial, post);
    post({ kind: 'started', trial: start.trial, description: trial.describe() });
    return run;
  }

  setPace(recordsPerSecond: number): void {
    this.#recordsPerSecond = recordsPerSecond;
    this.#due = 0;
    this.#countedAt = performance.now();
  }

  setRunning(isRunning: boolean): void {
    if (this.#isStopped || isRunning === this.#isRunning) return;
    this.#isRunning = isRunning;
    this.setPace(this.#recordsPerSecond);
    if (isRunning && !this.#isInTurn) this.#again(0);
  }

  stop(): void {
    this.#isStopped = true;
    this.#channel.port1.close();
  }

  /** A timer has at least four milliseconds, a message has none. */
  #again(milliseconds: number): void {
    if (milliseconds > 0) setTimeout(() => void this.#turn(), milliseconds);
    else this.#channel.port2.postMessage(undefined);
  }

  async #turn(): Promise<void> {
    if (this.#isStopped || !this.#isRunning || this.#isInTurn) return;
    this.#isInTurn = true;
    try {
      const ending = await this.#slice();
      this.#isInTurn = false;
      if (ending) this.#end(ending);
      else if (!this.#isStopped && this.#isRunning) this.#again(this.#nextBatch() > 0 ? 0 : SLICE_MILLISECONDS);
    } catch (error) {
      this.stop();
      const message = error instanceof Error ? error.message : `${error}`;
      this.#post({ kind: 'problem', trial: this.#start.trial, message });
    }
  }

  /** Takes records until the slice is over. Returns why the trial is at its end, if it is. */
  async #slice(): Promise<Ending | undefined> {
    const trial = this.#trial;
    const until = performance.now() + SLICE_MILLISECONDS;
    do {
      const most = this.#nextBatch();
      if (most === 0) break;
      const count = await this.#source(most);
      if (this.#isStopped) return undefined;
      if (count === 0) return 'file';
      trial.observe(count);
      this.#limit.add(trial.fingerprints.subarray(0, count));
      this.#due -= count;
      if (trial.records === this.#start.settings.records) return 'records';
      if (trial.keys + MAX_BATCH > MAX_KEYS) return 'exact set';
    } while (performance.now() < until);
    if (performance.now() - this.#reportedAt >= REPORT_MILLISECONDS) this.#report();
    return undefined;
  }

  /** The size of the next batch; 0 if the pace allows none yet. */
  #nextBatch(): number {
    const pace = this.#recordsPerSecond;
    const left = (this.#start.settings.records ?? Number.POSITIVE_INFINITY) - this.#trial.records;
    const batch = Math.max(MIN_BATCH, Math.min(MAX_BATCH, Math.ceil(pace / BATCHES_PER_SECOND)));
    if (pace !== Number.POSITIVE_INFINITY) {
      const now = performance.now();
      this.#due += ((now - this.#countedAt) / MILLISECONDS) * pace;
      this.#due = Math.min(this.#due, Math.max(batch, MAX_DEBT_SECONDS * pace));
      this.#countedAt = now;
      if (this.#due < batch) return 0;
    }
    return Math.min(batch, left);
  }

  #report(): void {
    const { trial } = this.#start;
    this.#reportedAt = performance.now();
    this.#post({ kind: 'progress', trial, progress: this.#trial.progress() });
    if (this.#limit.isDue) this.#post({ kind: 'limit', trial, limit: this.#limit.compute() });
  }

  #end(ending: Ending): void {
    this.stop();
    this.#report();
    this.#post({ kind: 'ended', trial: this.#start.trial, ending });
  }
}
