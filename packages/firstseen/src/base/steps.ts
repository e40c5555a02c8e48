// Long work in steps: one function serves callers that wait for it, and callers that let other work of the process run in between.

/** Work that can stop after each step. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** The time for which steps go on before the event loop runs, unless other work takes turns too. */
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
  for (let i = 0; i < numbers.length; i++) {
    values[i] = each(numbers[i] as number, i);
    yield;
  }
  return values;
}

/** Lets the event loop run now and then. */
export class Turns {
  #lastMilliseconds = performance.now();
  #turnMilliseconds = WORK_MILLISECONDS;

  /** True if the event loop has not run for a while. */
  get isDue(): boolean {
    return performance.now() - this.#lastMilliseconds >= this.#turnMilliseconds;
  }

  /** Lets the event loop run if it has not run for a while. */
  async take(): Promise<void> {
    if (!this.isDue) return;
    const leftMilliseconds = performance.now();
    await new Promise<void>((resolve) => void setTimeout(resolve, 0));
    this.#lastMilliseconds = performance.now();
    // A timer of the program waits for the turns of all plans that are made at the same time, so the more others take, the shorter is
    // the next turn here.
    const waitedMilliseconds = this.#lastMilliseconds - leftMilliseconds;
    this.#turnMilliseconds = WORK_MILLISECONDS ** 2 / (WORK_MILLISECONDS + waitedMilliseconds);
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
