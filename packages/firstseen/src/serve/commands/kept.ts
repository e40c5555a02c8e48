// How long commands ask to keep a key, compared with the lease and the window of its detector. A key that is remembered longer than its
// program expects loses a later event; one that is forgotten sooner lets a repeat pass.

import { formatCounted } from '../../base/count.js';
import { formatDuration } from '../../base/duration.js';
import { ErrorReply } from '../resp/replies.js';
import type { DetectorEntry } from '../store/entry.js';
import { type Kept, type Mapped, otherDetector } from './mapped.js';

/** The part by which times may differ. */
const TOLERANCE = 0.1;

/** The times after which a key is forgotten, in milliseconds. */
interface Range {
  from: number;
  to: number;
}

/** How a detector keeps keys, in words, and what to do about a command that asks for another time. */
interface Keeping {
  text: string;
  remedy?: string | undefined;
  /** Absent if it does not go by time. */
  range?: Range;
}

const shown = (milliseconds: number) => formatDuration(milliseconds / 1000);

function isNear(milliseconds: number, { from, to }: Range): boolean {
  return from >= milliseconds * (1 - TOLERANCE) && to <= milliseconds * (1 + TOLERANCE);
}

/** The time to give, in the words of SET; undefined if none is near to the whole range. */
function timeFor({ from, to }: Range): string | undefined {
  const middle = Math.round((from + to) / 2);
  if (!isNear(middle, { from, to })) return undefined;
  return middle % 1000 === 0 ? `give EX ${middle / 1000}` : `give PX ${middle}`;
}

function leaseOf({ leaseMilliseconds }: DetectorEntry): Keeping {
  const range = { from: leaseMilliseconds, to: leaseMilliseconds };
  return { text: `holds a key for ${shown(leaseMilliseconds)}`, remedy: timeFor(range), range };
}

function windowOf({ detector }: DetectorEntry): Keeping {
  const { band } = detector.settings.parameters;
  if (band === undefined) return { text: 'has no window', remedy: 'leave the time out' };
  if ('fromElements' in band) return { text: `forgets a key after ${formatCounted(band.fromElements, 'element')}` };
  const range = { from: band.fromMilliseconds, to: band.toMilliseconds };
  const text = [...new Set([range.from, range.to].map(shown))].join(' to ');
  return { text: `forgets a key after ${text}`, remedy: timeFor(range), range };
}

/** Whether a key is kept as long as the command says. */
function isAsSaid({ milliseconds, isLease }: Kept, { range }: Keeping, { detector }: DetectorEntry): boolean {
  if (milliseconds !== undefined) return range !== undefined && isNear(milliseconds, range);
  return !isLease && detector.settings.parameters.band === undefined;
}

/** The error for a key that the detector of its map keeps longer or shorter than the command says; undefined if there is none. */
export function wrongTime({ map, entry }: Mapped, kept: Kept): ErrorReply | undefined {
  const { milliseconds, isLease } = kept;
  const keeping = isLease ? leaseOf(entry) : windowOf(entry);
  if (isAsSaid(kept, keeping, entry)) return undefined;
  const asked = `${isLease ? 'hold' : 'keep'} the key ${milliseconds === undefined ? 'for ever' : `for ${shown(milliseconds)}`}`;
  const remedies = [keeping.remedy, otherDetector(map, kept)].filter(Boolean).join(', or ');
  return new ErrorReply(
    `ERR Redis would ${asked}, and the detector ${map.detector} of the map ${map.text} ${keeping.text}; ${remedies}`,
  );
}
