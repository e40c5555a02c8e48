// The clock of a window that is a duration never goes back by itself. If it is ahead of the machine's, the window does not move until then:
// nothing is forgotten, and records that should pass count as repeats.

import { formatDuration } from '../base/duration.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { type Detector, familyOf } from './detector.js';

/** A time as text. */
export function dateOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The error for a clock that is too far ahead. */
export function clockAhead(clock: number, now: number, maxLeadMilliseconds: number): FirstseenError {
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
