// Keys that a detector refused, and why.

import { FirstseenError } from '../../base/errors.js';

/** Reasons that any detector may have. Counters of them begin with 0: one that begins with its first key has no increase. */
export const refusalReasons = ['full', 'overload', 'memory', 'key'] as const;

export class Refused {
  /** Made for the first one: most detectors never refuse a key, and there may be 100,000 of them. */
  #byReason: Map<string, number> | undefined;
  /** All of them. */
  keys = 0;

  /** Counts keys. The reason is the code of the error without its beginning, in lower case. */
  add(error: unknown, keys = 1): void {
    // A filter that does not grow has an error of its own.
    const reason = error instanceof FirstseenError ? error.code.replace(/^E_/, '').toLowerCase() : 'full';
    this.#byReason ??= new Map();
    this.#byReason.set(reason, (this.#byReason.get(reason) ?? 0) + keys);
    this.keys += keys;
  }

  /** The number of keys for each reason. */
  get byReason(): Iterable<readonly [reason: string, keys: number]> {
    return this.#byReason ?? [];
  }
}
