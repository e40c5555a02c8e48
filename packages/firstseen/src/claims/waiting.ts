// What waits for the end of leases: streams whose next item has a key that a claim holds, and claims that wait for one.

import { MAX_TIMER_MILLISECONDS } from '../base/check.js';
import type { Lease } from './lease.js';
import type { PendingTable } from './pending.js';

interface Waiting {
  /** The callbacks, in the order in which they began to wait. */
  readonly callbacks: Set<() => void>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class WaitingList {
  readonly #waiting = new Map<Lease, Waiting>();
  readonly #checkLeases: () => number;
  readonly #table: Pick<PendingTable, 'get'>;

  /** @param checkLeases ends the leases that have expired; returns the time */
  constructor(checkLeases: () => number, table: Pick<PendingTable, 'get'>) {
    this.#checkLeases = checkLeases;
    this.#table = table;
  }

  /** The number of leases that are waited for. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Calls back once no claim holds a key, in the order of the calls, so that it is free. Returns how to stop waiting.
   * @param callback gets the lease that held the key last, if it was waited for
   */
  whenFree(fingerprint: bigint, callback: (endedLease: Lease | undefined) => void, endedLease?: Lease): () => void {
    const time = this.#checkLeases();
    const holder = this.#table.get(fingerprint);
    if (!holder) {
      callback(endedLease);
      return () => undefined;
    }
    let stop = this.#add(holder, time, () => {
      stop = this.whenFree(fingerprint, callback, holder);
    });
    return () => stop();
  }

  /**
   * Calls back when a lease ends, after those that wait already. Returns how to stop waiting. While something waits, a timer checks
   * the lease when it is due, because there may be no other call that does.
   */
  #add(lease: Lease, time: number, callback: () => void): () => void {
    const waiters = this.#waiting.get(lease) ?? { callbacks: new Set(), timer: undefined };
    if (waiters.callbacks.size === 0) {
      this.#waiting.set(lease, waiters);
      this.#startTimer(lease, waiters, time);
    }
    waiters.callbacks.add(callback);
    return () => {
      if (waiters.callbacks.delete(callback) && waiters.callbacks.size === 0) this.#forget(lease, waiters);
    };
  }

  /** Calls back what waits for a lease, which has ended. The first callback may claim the key again, and the others see that. */
  end(lease: Lease): void {
    const waiting = this.#waiting.get(lease);
    if (!waiting) return;
    this.#forget(lease, waiting);
    for (const callback of waiting.callbacks) callback();
  }

  #forget(lease: Lease, { timer }: Waiting): void {
    this.#waiting.delete(lease);
    clearTimeout(timer);
  }

  #startTimer(lease: Lease, waiting: Waiting, time: number): void {
    if (lease.expiresAt === Number.POSITIVE_INFINITY) return;
    const check = () => {
      const now = this.#checkLeases();
      // The lease may have been extended, and the clock of the claims may be slower than timers.
      if (this.#waiting.get(lease) === waiting) this.#startTimer(lease, waiting, now);
    };
    const milliseconds = Math.max(1, Math.ceil(lease.expiresAt - time));
    waiting.timer = setTimeout(check, Math.min(milliseconds, MAX_TIMER_MILLISECONDS));
  }
}
