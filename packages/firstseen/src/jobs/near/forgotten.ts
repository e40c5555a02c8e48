// Says at the end of a run that its table of sketches has forgotten documents: what is near one of them was kept too.

import { formatCount } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';
import { slotBytesOf } from '../../detectors/sketches.js';
import type { NearDetector } from '../../near/detector.js';
import type { ForgottenReview } from '../../review/facts.js';

/** The share of the added documents that may be forgotten without a warning. */
const MAX_FORGOTTEN = 0.01;
const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** A memory as it is told: in whole MiB, if it is that large. */
function roundedUp(bytes: number): number {
  const unit = bytes < MIB ? KIB : MIB;
  return Math.ceil(bytes / unit) * unit;
}

/** Returns the number of documents that were added so far. */
export function addedDocuments(near: NearDetector): number {
  const { observed, duplicates } = near.stats();
  return near.settings.add === 'all' ? observed : observed - duplicates;
}

/** Counts what a table of sketches has forgotten, and computes the memory that would do. */
export function forgottenOf(near: NearDetector): ForgottenReview {
  const { sketchBytes, sketchSlots, bands, table } = near.settings;
  const { W } = table.parameters.values;
  const { documents: remembered, filled } = near.ring;
  const added = addedDocuments(near);
  const forgotten = added - remembered;
  const isTooSmall = forgotten > 0 && W === undefined;
  const sufficientBytes = isTooSmall
    ? roundedUp((filled + sketchSlots) * slotBytesOf({ sketchBytes, sketchSlots, bands }))
    : undefined;
  return { added, remembered, forgotten, memoryBytes: table.memoryBytes, sufficientBytes };
}

/**
 * The warning about the documents that a table of sketches has forgotten; undefined if it remembers 99 % of them, or if a window says how
 * many it is to remember.
 */
export function forgottenWarning(near: NearDetector): FirstseenError | undefined {
  const { added, remembered, forgotten, memoryBytes, sufficientBytes } = forgottenOf(near);
  if (sufficientBytes === undefined || forgotten <= MAX_FORGOTTEN * added) return undefined;
  const memory = optionName('memory');
  const counts = `${formatCount(forgotten)} of ${formatCount(added)} documents that were added are forgotten`;
  const problem = `${counts}: ${formatBytes(memoryBytes)} holds the last ${formatCount(remembered)}, so what is near an older one was kept`;
  return new FirstseenError('E_MISSED', problem, {
    option: 'memory',
    remedy: phrase`give ${memory} ${formatBytes(sufficientBytes)} or more, or ${optionName('window')} if only the last documents count`,
  });
}
