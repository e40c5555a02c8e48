// When a state is to be saved, and how long a run may wait for input before that.

/** The longest that a timer waits. */
const MOST_TIMER_MILLISECONDS = 2 ** 31 - 1;

export class Checkpoints {
  readonly #periodMilliseconds: number;
  readonly #signal: AbortSignal | undefined;
  #savedMilliseconds = performance.now();

  /** @param periodSeconds between two of them; infinite where there is no state */
  constructor(periodSeconds: number, signal: AbortSignal | undefined) {
    this.#periodMilliseconds = periodSeconds * 1000;
    this.#signal = signal;
  }

  get isDue(): boolean {
    return performance.now() - this.#savedMilliseconds >= this.#periodMilliseconds;
  }

  saved(): void {
    this.#savedMilliseconds = performance.now();
  }

  /** Waits for input, but no longer than until the next checkpoint, if there can be one, or the word to stop; whether it came. */
  async waitFor(input: Promise<void>, canStop: boolean): Promise<boolean> {
    if (this.#signal?.aborted) return false;
    const period = canStop ? this.#periodMilliseconds : Number.POSITIVE_INFINITY;
    const left = period - (performance.now() - this.#savedMilliseconds);
    let interrupt = () => {};
    const interruption = new Promise<false>((resolve) => {
      interrupt = () => resolve(false);
    });
    const timer = Number.isFinite(left)
      ? setTimeout(interrupt, Math.min(Math.max(0, left), MOST_TIMER_MILLISECONDS))
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
