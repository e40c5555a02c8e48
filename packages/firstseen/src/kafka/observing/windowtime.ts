// The time of a window, which records give it. Those that come before the window has a time are early, or have none themselves. They are
// compared at a time that is later than any of a record. The first time sets the window back, so that they count as seen then
// (docs/decisions/127-early-records.md). All that decides this is in the detector, so that a replay decides the same.

import type { Detector } from '../../detectors/detector.js';
import { setClockBack } from '../../detectors/leadingclock.js';
import { MAX_TIME_MILLISECONDS } from '../../detectors/refusals.js';

/** The time of a detector whose window waits for its first time. */
const WAITING_MILLISECONDS = MAX_TIME_MILLISECONDS - 1;

/** Tells if a window has elements, and no time yet. */
export function isWaiting({ clockMilliseconds }: Detector): boolean {
  return clockMilliseconds === WAITING_MILLISECONDS;
}

/** Returns the time of the window, in milliseconds since 1970; 0 before its first time, and for a window of elements. */
export function timeOfWindow(detector: Detector): number {
  return isWaiting(detector) ? 0 : detector.clockMilliseconds;
}

/** Lets elements be observed before the window has a time. */
export function awaitTime(detector: Detector): void {
  detector.advance(WAITING_MILLISECONDS);
}

/** Moves the window to a time, also back. What it has counts as seen then, or before. */
export function setTime(detector: Detector, timeMilliseconds: number): void {
  if (timeMilliseconds > detector.clockMilliseconds) detector.advance(timeMilliseconds);
  else setClockBack(detector, timeMilliseconds);
}
