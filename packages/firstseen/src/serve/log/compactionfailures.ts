// Compactions of the log that failed: when the next one may begin, and when changes are refused.

import type { LogProblems } from './logproblems.js';
import { Stalled } from './supervision.js';

/** Time between two tries to compact the log. */
export const RETRY_MILLISECONDS = 1000;
/** The time for which changes wait for a log that cannot be compacted. Then they are refused. */
const PATIENCE_MILLISECONDS = 10_000;

export class CompactionFailures {
  readonly #problems: LogProblems;
  /** Those since the last compaction that did not fail. */
  #failure: { since: number; problem: Error } | undefined;
  #retryAt = 0;

  constructor(problems: LogProblems) {
    this.#problems = problems;
  }

  /** True if the last compaction failed. */
  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  /** True if the last one failed a moment ago. */
  get isTooEarly(): boolean {
    return performance.now() < this.#retryAt;
  }

  /** Why changes are refused: the log is full, and compactions have failed for a while. An administrator is told. */
  problem(isFull: boolean): Error | undefined {
    const problem = isFull ? this.#lastingProblem : undefined;
    this.#problems.noteFull(problem);
    return problem;
  }

  get #lastingProblem(): Error | undefined {
    if (this.#failure === undefined) return undefined;
    const { since, problem } = this.#failure;
    return performance.now() - since < PATIENCE_MILLISECONDS ? undefined : problem;
  }

  note(error: Error): void {
    const now = performance.now();
    this.#retryAt = now + RETRY_MILLISECONDS;
    const problem = new Error(`it is full, and cannot be compacted: ${error.message}`);
    // Changes have waited for a process that stood still already.
    const since = error instanceof Stalled ? now - PATIENCE_MILLISECONDS : now;
    this.#failure = { since: this.#failure?.since ?? since, problem };
  }

  /** Notes a compaction that did not fail. */
  clear(): void {
    this.#failure = undefined;
    this.#problems.noteFull(undefined);
  }
}
