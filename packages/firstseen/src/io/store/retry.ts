// Requests to a store that are made again when they fail in a way that may pass: within bounds, with growing pauses.

import { setTimeout as sleep } from 'node:timers/promises';
import { formatCounted } from '../../base/count.js';
import { StoreFailure } from './contract.js';

/** The bounds of the attempts to do one thing. */
export interface Patience {
  attempts: number;
  /** The pause after the first failure, which doubles with each. */
  pauseMilliseconds: number;
  maxPauseMilliseconds: number;
  /** The time after which a request without a byte of an answer has failed. */
  idleMilliseconds: number;
}

/** Together the pauses are about 40 seconds: longer than a store that throttles takes. */
export const patience: Patience = {
  attempts: 10,
  pauseMilliseconds: 200,
  maxPauseMilliseconds: 10_000,
  idleMilliseconds: 30_000,
};

/** The pause after a failure. Its second half is random, so that runs that a store has refused together do not return together. */
function pauseAfter(failures: number, { pauseMilliseconds, maxPauseMilliseconds }: Patience): number {
  const pause = Math.min(maxPauseMilliseconds, pauseMilliseconds * 2 ** (failures - 1));
  return (pause / 2) * (1 + Math.random());
}

/**
 * Returns the result of an attempt, the last of which may fail.
 * @throws StoreFailure, and whatever else an attempt throws
 */
export async function withRetries<Result>(
  attempt: (failures: number) => Promise<Result>,
  bounds: Patience,
  signal: AbortSignal,
): Promise<Result> {
  for (let failures = 0; ; ) {
    try {
      return await attempt(failures);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof StoreFailure) || error.kind !== 'temporary') throw error;
      failures++;
      if (failures >= bounds.attempts) {
        throw new StoreFailure('temporary', `${error.message}, after ${formatCounted(failures, 'attempt')}`);
      }
      await sleep(pauseAfter(failures, bounds), undefined, { signal });
    }
  }
}

/** A limit of the time in which nothing arrives, and a signal that it, or another signal, aborts. */
export class IdleLimit {
  readonly #abort = new AbortController();
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  isPassed = false;
  readonly signal: AbortSignal;

  constructor(milliseconds: number, signal: AbortSignal) {
    this.#milliseconds = milliseconds;
    this.signal = AbortSignal.any([signal, this.#abort.signal]);
    this.restart();
  }

  /** Begins again, because something has arrived. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.isPassed = true;
      this.#abort.abort();
    }, this.#milliseconds);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** The failure of a request to which no answer comes. */
export function noAnswer({ idleMilliseconds }: Patience): StoreFailure {
  return new StoreFailure('temporary', `the store has not answered for ${idleMilliseconds / 1000} s`);
}

/**
 * Does something that an idle limit may end.
 * @throws StoreFailure when the limit has passed
 */
export async function withinIdle<Result>(
  bounds: Patience,
  signal: AbortSignal,
  run: (limit: IdleLimit) => Promise<Result>,
): Promise<Result> {
  const limit = new IdleLimit(bounds.idleMilliseconds, signal);
  try {
    return await run(limit);
  } catch (error) {
    throw limit.isPassed ? noAnswer(bounds) : error;
  } finally {
    limit.end();
  }
}

/**
 * Makes a request to a store, again where it fails in a way that may pass.
 * @throws StoreFailure
 */
export function patiently<Result>(
  bounds: Patience,
  request: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const never = new AbortController().signal;
  return withRetries(() => withinIdle(bounds, never, (limit) => request(limit.signal)), bounds, never);
}
