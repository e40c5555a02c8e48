// The rate of a detector of a program, watched while elements are observed. What looks at it is above the detectors (src/plan).

import type { FirstseenError } from '../base/errors.js';
import type { overloadWords } from '../options/detector.js';

/** The policy for a detector that is past what it was planned for: warn and go on, or fail. */
export type OverloadPolicy = (typeof overloadWords)[number];

/** A detector that is past what it was planned for. */
export interface Overload {
  /** The evidence of the overload: the prediction of the planner, or the measurement of the witness. */
  evidence: 'predicted' | 'measured';
  /** The predicted or measured rate of false positives over the stream so far. */
  fpr: number;
  /** The rate of false positives that the detector was planned for. */
  targetFpr: number;
  /** Elements that the detector had observed when that was found. */
  sinceElements: number;
}

/** Watches the rate of one detector. */
export interface RateWatch {
  /** Returns the number of elements to observe before the next call; 0 if no more may be observed. */
  elementsAhead(): number;
  /** The reason why no more may be observed. */
  readonly refusal: FirstseenError;
  /** Returns the overload, with the rate up to now; undefined while the rate is kept. */
  overload(): Overload | undefined;
  /** Begins again with a detector that has seen nothing. */
  clear(): void;
}

/** Observes elements in parts, between which the rate is looked at. Returns the number that was observed. */
export function observeWatched(
  watch: RateWatch,
  count: number,
  observe: (count: number, from: number) => number,
): number {
  for (let from = 0; from < count; ) {
    const partElements = Math.min(count - from, watch.elementsAhead());
    const takenElements = partElements > 0 ? observe(partElements, from) : 0;
    if (takenElements === 0) return from;
    from += takenElements;
    if (takenElements < partElements) return from;
  }
  return count;
}
