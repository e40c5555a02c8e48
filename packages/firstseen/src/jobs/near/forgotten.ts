// Says at the end of a run that its table of sketches has forgotten documents: what is near one of them was kept too.

import { formatCount } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';
import { SKETCH_BAND_BYTES } from '../../detectors/sketches.js';
import type { NearDetector } from '../../near/detector.js';

/** The share of the added documents that may be forgotten without a warning. */
const MOST_FORGOTTEN = 0.01;
const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** A memory as it is told: in whole MiB, if it is that large. */
function roundedUp(bytes: number): number {
  const unit = bytes < MIB ? KIB : MIB;
  return Math.ceil(bytes / unit) * unit;
}

/** Documents that were added so far. */
export function addedDocuments(near: NearDetector): number {
  const { observed, duplicates } = near.stats();
  return near.settings.add === 'all' ? observed : observed - duplicates;
}

/**
 * The warning about the documents that a table of sketches has forgotten; undefined if it remembers 99 % of them, or if a window says how
 * many it is to remember.
 */
export function forgottenWarning(near: NearDetector): FirstseenError | undefined {
  const { sketchBytes, bands, table } = near.settings;
  const { n, W } = table.parameters.values;
  const added = addedDocuments(near);
  const forgotten = added - Number(n);
  if (W !== undefined || forgotten <= MOST_FORGOTTEN * added) return undefined;
  const memory = optionName('memory');
  const sufficient = formatBytes(roundedUp((added + 1) * (sketchBytes + bands * SKETCH_BAND_BYTES)));
  const counts = `${formatCount(forgotten)} of ${formatCount(added)} documents that were added are forgotten`;
  const problem = `${counts}: ${formatBytes(table.memoryBytes)} holds the last ${formatCount(Number(n))}, so what is near an older one was kept`;
  return new FirstseenError('E_MISSED', problem, {
    option: 'memory',
    remedy: phrase`give ${memory} ${sufficient} or more, or ${optionName('window')} if only the last documents count`,
  });
}
