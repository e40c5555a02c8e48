// Long work in steps: one function serves callers that wait for it, and callers that let other work of the process run in between.

/** Work that can stop after each step. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** How long steps go on before the event loop runs. */
const WORK_MILLISECONDS = 10;

/** Does all steps at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The values of a function, one for each number and each of them a step. */
export function* mapInSteps(numbers: Float64Array, each: (number: number, i: number) => number): Steps<Float64Array> {
  const values = new Float64Array(numbers.length);
  for (const [i, number] of numbers.entries()) {
    values[i] = each(number, i);
    yield;
  }
  return values;
}

/** Lets the event loop run now and then. */
export class Turns {
  #lastMilliseconds = performance.now();

  /** Whether the event loop has not run for a while. */
  get isDue(): boolean {
    return performance.now() - this.#lastMilliseconds >= WORK_MILLISECONDS;
  }

  /** Lets the event loop run if it has not run for a while. */
  async take(): Promise<void> {
    if (!this.isDue) return;
    await new Promise<void>((resolve) => void setTimeout(resolve, 0));
    this.#lastMilliseconds = performance.now();
  }
}

/** Does all steps, and lets the event loop run in between. */
export async function runInTurns<Result>(steps: Steps<Result>, turns = new Turns()): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    // Most steps are short, and waiting for nothing would take longer than they do.
    if (turns.isDue) await turns.take();
  }
}
