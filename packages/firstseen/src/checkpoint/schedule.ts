// Decides when to save the state, and limits how long a run waits for input before that.

/** The maximum delay of a timer. */
const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1;

export class CheckpointSchedule {
  readonly #periodMilliseconds: number;
  readonly #signal: AbortSignal | undefined;
  #savedMilliseconds = performance.now();

  /**
   * @param periodMilliseconds time between two checkpoints; infinite without a state
   * @param isDueAtOnce whether the first checkpoint is due when the run begins
   */
  constructor(periodMilliseconds: number, signal: AbortSignal | undefined, isDueAtOnce = false) {
    this.#periodMilliseconds = periodMilliseconds;
    this.#signal = signal;
    if (isDueAtOnce && Number.isFinite(periodMilliseconds)) this.#savedMilliseconds -= periodMilliseconds;
  }

  get isDue(): boolean {
    return performance.now() - this.#savedMilliseconds >= this.#periodMilliseconds;
  }

  saved(): void {
    this.#savedMilliseconds = performance.now();
  }

  /**
   * Waits for input, but at most until the next checkpoint, if `canStop`, or until the run is aborted.
   * @returns whether input arrived
   */
  async waitFor(input: Promise<void>, canStop: boolean): Promise<boolean> {
    if (this.#signal?.aborted) return false;
    const period = canStop ? this.#periodMilliseconds : Number.POSITIVE_INFINITY;
    const remainingMilliseconds = period - (performance.now() - this.#savedMilliseconds);
    let interrupt = () => {};
    const interruption = new Promise<false>((resolve) => {
      interrupt = () => resolve(false);
    });
    const timer = Number.isFinite(remainingMilliseconds)
      ? setTimeout(interrupt, Math.min(Math.max(0, remainingMilliseconds), MAX_TIMER_MILLISECONDS))
      : undefined;
    this.#signal?.addEventListener('abort', interrupt);
    try {
      return await Promise.race([input.then(() => true), interruption]);
    } finally {
      clearTimeout(timer);
      this.#signal?.removeEventListener('abort', interrupt);
    }
  }
}
