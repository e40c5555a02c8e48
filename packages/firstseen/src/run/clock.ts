// The clock of the window of a run, compared with the machine's (src/detectors/leadingclock.ts).

import type { Detector } from '../detectors/detector.js';
import { clockAhead, setClockBack } from '../detectors/leadingclock.js';
import type { Timing } from '../framing/batch.js';
import type { ResolvedClock } from './resolved.js';
import type { ReportOptions } from './settled.js';

type Lead = Pick<ResolvedClock, 'maxLeadMilliseconds'>;

function isAhead(clock: number, now: number, { maxLeadMilliseconds }: Lead): boolean {
  return clock > now + maxLeadMilliseconds;
}

/**
 * Compares the clock of a detector from a state with the machine's, and sets it back if that is asked for.
 * @throws FirstseenError E_CLOCK when it is too far ahead.
 */
export function settleClock(detector: Detector, options: Omit<ResolvedClock, 'timing'>): void {
  const clock = detector.clockMilliseconds;
  if (clock === 0) return;
  const now = (options.now ?? Date.now)();
  if (!isAhead(clock, now, options)) return;
  if (!options.isClockReset) throw clockAhead(clock, now, options.maxLeadMilliseconds);
  setClockBack(detector, now);
}

/** The source of times, with a warning when the machine's clock has fallen too far behind the detector's; once in a run. */
export function watchedTiming(
  clock: Pick<ResolvedClock, 'timing' | 'maxLeadMilliseconds'>,
  detector: Detector,
  onWarning: ReportOptions['onWarning'],
): Timing {
  const { timing } = clock;
  if (typeof timing !== 'function') return timing;
  let isWarned = false;
  return () => {
    const now = timing();
    const time = detector.clockMilliseconds;
    if (!isWarned && isAhead(time, now, clock)) {
      isWarned = true;
      onWarning?.(clockAhead(time, now, clock.maxLeadMilliseconds));
    }
    return now;
  };
}
