// The counters of the detectors that have no series of their own in the metrics. Their sums never fall while the server runs, because a
// monitor takes a counter that falls for one that began again: what a detector has counted stays in them when it is dropped or cleared, and
// when it gets series of its own.

import type { Claims } from '../../claims/claims.js';
import type { Detector } from '../../detectors/detector.js';
import type { Refused } from './refused.js';

/** Detectors that have series of their own. The sums of the others have this name. */
export const MAX_LABELLED = 200;
export const OTHERS = '_others';

const names = ['observed', 'duplicates', 'unstored', 'shortened', 'refused', 'claims'] as const;

/** A detector, with what its counters are read from. */
interface Counted {
  readonly name: string;
  readonly detector: Detector;
  readonly claims: Claims | undefined;
  readonly refused: Refused;
}

/** Counts by their names, and then by what they tell apart, such as reasons. The word of a single one is empty. */
export type Counters = Record<(typeof names)[number], Record<string, number>>;

export function noCounters(): Counters {
  return { observed: {}, duplicates: {}, unstored: {}, shortened: {}, refused: {}, claims: {} };
}

function add(sums: Record<string, number>, word: string, count: number | undefined): void {
  if (count !== undefined) sums[word] = (sums[word] ?? 0) + count;
}

/** Adds what a detector has counted so far. */
export function addCounters(sum: Counters, { detector, claims, refused }: Counted): void {
  const { unstored, shortened } = detector.counts;
  add(sum.observed, '', detector.observed);
  add(sum.duplicates, '', detector.duplicates);
  add(sum.unstored, '', unstored);
  add(sum.shortened, '', shortened);
  for (const [reason, keys] of refused.byReason) add(sum.refused, reason, keys);
  if (claims === undefined) return;
  // As of the last look at the clock: what waits for a lease that has ended may not claim its key now.
  const { committed, aborted, expired, late } = claims.toJSON();
  for (const [outcome, count] of Object.entries({ committed, aborted, expired, late })) add(sum.claims, outcome, count);
}

function countersOf(entry: Counted): Counters {
  const counters = noCounters();
  addCounters(counters, entry);
  return counters;
}

/** Combines each count with the one of the same name. One that is missing is 0. */
function combine(one: Counters, other: Counters, combined: (a: number, b: number) => number): Counters {
  const counters = noCounters();
  for (const name of names) {
    for (const word of Object.keys({ ...one[name], ...other[name] })) {
      counters[name][word] = combined(one[name][word] ?? 0, other[name][word] ?? 0);
    }
  }
  return counters;
}

const sumOf = (one: Counters, other: Counters) => combine(one, other, (a, b) => a + b);

export class OtherCounters {
  readonly #list: () => Iterable<Counted>;
  /** The counts of what is no longer among the others, or was cleared, since the sums were first read. */
  #left = noCounters();
  /** The sums that were read last. */
  #latest: Counters | undefined;

  /** @param list lists the detectors, of which the first ones have series of their own */
  constructor(list: () => Iterable<Counted>) {
    this.#list = list;
  }

  /** True if the sums were read, so that they stay in the metrics. */
  get isRead(): boolean {
    return this.#latest !== undefined;
  }

  /**
   * Begins to read the sums, in which time detectors may be dropped.
   * @returns a function that completes the sum of the detectors that are there
   */
  begin(): (sum: Counters) => Counters {
    const left = this.#left;
    return (sum) => {
      this.#latest = combine(sumOf(sum, left), this.#latest ?? noCounters(), Math.max);
      return this.#latest;
    };
  }

  /** Notes that a detector is about to be dropped. */
  noteDrop(entry: Counted): void {
    const leaving = this.isRead ? this.#leavingWith(entry) : undefined;
    if (leaving) this.#left = sumOf(this.#left, countersOf(leaving));
  }

  /** Clears a detector. */
  clear(entry: Counted, clear: () => void): void {
    const isOther = this.isRead && this.#leavingWith(entry) === entry;
    const before = isOther ? countersOf(entry) : noCounters();
    clear();
    if (!isOther) return;
    const lost = combine(before, countersOf(entry), (a, b) => a - b);
    this.#left = sumOf(this.#left, lost);
  }

  /** The detector that leaves the others when one is dropped: itself, or the one that gets series of its own. */
  #leavingWith(entry: Counted): Counted | undefined {
    let labelled = 0;
    let isLabelled = false;
    for (const one of this.#list()) {
      if (one.name === OTHERS) continue;
      if (labelled === MAX_LABELLED) return isLabelled ? one : entry;
      labelled++;
      isLabelled ||= one === entry;
    }
    return isLabelled ? undefined : entry;
  }
}
