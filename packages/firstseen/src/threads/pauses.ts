// Lets the event loop of the caller run now and then, so that signals arrive and the end of a thread is noticed.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** The time for which the thread of the caller works before its event loop runs. */
const WORK_MILLISECONDS = 10;

export class Pauses {
  #lastMilliseconds = performance.now();

  /** Lets the event loop run if it is urgent, or if it has not run for a while. */
  async take(isUrgent = false): Promise<void> {
    if (!isUrgent && performance.now() - this.#lastMilliseconds < WORK_MILLISECONDS) return;
    await nextTurn();
    this.#lastMilliseconds = performance.now();
  }
}
