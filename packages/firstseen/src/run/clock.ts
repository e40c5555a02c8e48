// The clock of a window that is a duration never goes back. If the machine's clock once jumped ahead, the window does not move
// until the clock has reached that time again: nothing is forgotten, and records that should pass count as repeats.

import { formatDuration } from '../base/duration.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { type Detector, familyOf } from '../detectors/detector.js';
import type { Timing } from '../framing/batch.js';
import type { ResolvedClock } from './resolved.js';
import type { ReportOptions } from './settled.js';

type Lead = Pick<ResolvedClock, 'maxLeadMilliseconds'>;

function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function isAhead(clock: number, now: number, { maxLeadMilliseconds }: Lead): boolean {
  return clock > now + maxLeadMilliseconds;
}

/** The error for a clock that is too far ahead. */
function clockAhead(clock: number, now: number, { maxLeadMilliseconds }: Lead): FirstseenError {
  const problem = `the window has the time ${dateOf(clock)}, more than ${formatDuration(maxLeadMilliseconds / 1000)} ahead of this machine's clock, ${dateOf(now)}, so nothing leaves the window until then`;
  const [reset, lead] = [optionName('isClockReset'), optionName('maxLead')];
  return new FirstseenError('E_CLOCK', problem, {
    remedy: phrase`correct this machine's clock, use ${reset} to set the time of the window back, or give a longer ${lead}`,
  });
}

/** Sets the clock of a detector back to an earlier time. What it remembers stays, and counts as seen at that time or before. */
export function setClockBack(detector: Detector, timeMilliseconds: number): void {
  const { rule, kernel } = familyOf(detector);
  const before = detector.clockMilliseconds;
  if (timeMilliseconds >= before) return;
  rule.setClock?.(timeMilliseconds);
  if (detector.settings.witnessBytes > 0) kernel.exports.witnessSetBack(before - detector.clockMilliseconds);
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
  if (!options.isClockReset) throw clockAhead(clock, now, options);
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
      onWarning?.(clockAhead(time, now, clock));
    }
    return now;
  };
}
