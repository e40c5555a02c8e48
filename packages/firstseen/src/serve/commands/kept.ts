// How long commands ask to keep a key, compared with the lease and the window of its detector. A key that is remembered longer than its
// program expects loses a later event; one that is forgotten sooner lets a repeat pass.

import { formatCounted } from '../../base/count.js';
import { formatDuration } from '../../base/duration.js';
import { MAX_CLAIM_MILLISECONDS } from '../operations/createoptions.js';
import { ErrorReply } from '../resp/replies.js';
import type { DetectorEntry } from '../store/entry.js';
import { type Kept, type Mapped, otherDetector, shownKey } from './mapped.js';

/** The part by which times may differ. */
const TOLERANCE = 0.1;

/** The times after which a key is forgotten, in milliseconds. */
interface Range {
  from: number;
  to: number;
}

const shown = (milliseconds: number) => formatDuration(milliseconds / 1000);

/** The remedy where no detector holds a key for so long. */
const OVER_LONGEST = `hold it for at most ${shown(MAX_CLAIM_MILLISECONDS)}, the longest lease of a detector`;

function isNear(milliseconds: number, { from, to }: Range): boolean {
  return from >= milliseconds * (1 - TOLERANCE) && to <= milliseconds * (1 + TOLERANCE);
}

/**
 * Returns the range of times after which the detector forgets a key, or ends a claim; undefined if it does not go by
 * time.
 */
function rangeOf({ leaseMilliseconds, detector }: DetectorEntry, isLease: boolean): Range | undefined {
  if (isLease) return { from: leaseMilliseconds, to: leaseMilliseconds };
  const { band } = detector.settings.parameters;
  if (band === undefined || 'fromElements' in band) return undefined;
  return { from: band.fromMilliseconds, to: band.toMilliseconds };
}

/** Describes in words how the detector keeps keys. */
function keepingText({ detector }: DetectorEntry, range: Range | undefined, isLease: boolean): string {
  const { band } = detector.settings.parameters;
  if (range !== undefined) {
    const text = [...new Set([range.from, range.to].map(shown))].join(' to ');
    return isLease ? `holds a key for ${text}` : `forgets a key after ${text}`;
  }
  if (band === undefined || !('fromElements' in band)) return 'has no window';
  return `forgets a key after ${formatCounted(band.fromElements, 'element')}`;
}

/** Returns the remedy for a wrong time, in the words of SET; undefined if nothing is right. */
function timeFor({ detector }: DetectorEntry, range: Range | undefined): string | undefined {
  if (range === undefined) return detector.settings.parameters.band === undefined ? 'leave the time out' : undefined;
  const middle = Math.round((range.from + range.to) / 2);
  if (!isNear(middle, range)) return undefined;
  return middle % 1000 === 0 ? `give EX ${middle / 1000}` : `give PX ${middle}`;
}

/** The error for a key that the detector of its map keeps longer or shorter than the command says; undefined if there is none. */
export function wrongTime({ map, entry }: Mapped, retention: Kept, key: Uint8Array): ErrorReply | undefined {
  const { milliseconds, isLease } = retention;
  const range = rangeOf(entry, isLease);
  const isForEver = !isLease && entry.detector.settings.parameters.band === undefined;
  if (milliseconds === undefined ? isForEver : range !== undefined && isNear(milliseconds, range)) return undefined;
  const time = milliseconds === undefined ? 'for ever' : `for ${shown(milliseconds)}`;
  const isTooLong = isLease && milliseconds !== undefined && milliseconds * (1 - TOLERANCE) > MAX_CLAIM_MILLISECONDS;
  // A claim always ends, so no detector holds a key for ever.
  const isEndless = isLease && milliseconds === undefined;
  const other = isTooLong ? OVER_LONGEST : isEndless ? undefined : otherDetector(map, retention);
  const remedies = [timeFor(entry, range), other].filter((one) => one !== undefined);
  return new ErrorReply(
    `ERR Redis would ${isLease ? 'hold' : 'keep'} the key ${shownKey(key)} ${time}, and the detector ${map.detector} of the map ${map.text} ` +
      `${keepingText(entry, range, isLease)}; ${remedies.join(', or ')}`,
  );
}
