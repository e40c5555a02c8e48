// Windows in time whose clock is ahead of that of this machine. The clock of a window does not go back, so nothing leaves the window until
// the machine has reached it, and records that should pass count as repeats.

import { formatCounted } from '../../base/count.js';
import { shownValue } from '../../base/errors.js';
import { dateOf } from '../../detectors/leadingclock.js';
import type { DetectorEntry } from './entry.js';
import type { DetectorStore } from './store.js';

/** A clock that is corrected by less does no harm. */
const MIN_AHEAD_MILLISECONDS = 60_000;
const MAX_NAMED = 10;

/** Tells whether the window of a detector is so far ahead that somebody should know. */
export function isAhead({ aheadMilliseconds }: DetectorEntry): boolean {
  return aheadMilliseconds >= MIN_AHEAD_MILLISECONDS;
}

function roundedDuration(milliseconds: number): string {
  const [minutes, hours, days] = [60_000, 3_600_000, 86_400_000].map((unit) => Math.floor(milliseconds / unit));
  if ((days as number) > 1) return `${days} days`;
  return (hours as number) > 1 ? `${hours} hours` : `${minutes} minutes`;
}

/** The warning of the windows that are ahead; undefined if none is. */
export function aheadWarning(store: DetectorStore): string | undefined {
  const ahead = [...store.list()].filter(isAhead);
  if (ahead.length === 0) return undefined;
  const named = ahead
    .slice(0, MAX_NAMED)
    .map(
      ({ name, timeMilliseconds, aheadMilliseconds }) =>
        `${shownValue(name)} (by ${roundedDuration(aheadMilliseconds)}, to ${dateOf(timeMilliseconds)})`,
    );
  const unnamed = ahead.length > MAX_NAMED ? [formatCounted(ahead.length - MAX_NAMED, 'other')] : [];
  return (
    `the time of these windows is ahead of the clock of this machine: ${[...named, ...unnamed].join(', ')}; nothing leaves a window until the clock reaches its time, ` +
    'so repeats from before the window count as duplicates; correct the clock if it is wrong, or clear them with FS.CLEAR, or make new detectors'
  );
}
