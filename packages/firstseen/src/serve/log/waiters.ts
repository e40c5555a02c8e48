// The clients that wait until changes are in the log.

/** A client that waits until changes are as safe as they have to be. */
export interface Waiting {
  callback: () => void;
  /** True if it has made some of the changes, or may have seen them. */
  usesDetectors: boolean;
}

export function callBack(waiting: readonly Waiting[]): void {
  for (const { callback } of waiting) callback();
}

export class Waiters {
  #waiting: Waiting[] = [];

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
  }

  /** Returns all that wait, and forgets them. */
  take(): readonly Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** Lets go all that wait. */
  release(): void {
    callBack(this.take());
  }

  /** Lets go those that have used no detector. */
  releaseUnused(): void {
    const waiting = this.take();
    this.#waiting = waiting.filter(({ usesDetectors }) => usesDetectors);
    callBack(waiting.filter(({ usesDetectors }) => !usesDetectors));
  }
}
