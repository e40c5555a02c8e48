// What commands and requests of HTTP do with a detector of the store.

import { exactFamily, exactWindowFamily } from '../../detectors/registry.js';
import { DEFAULT_TARGET_FPR } from '../../options/detector.js';
import type { DetectorEntry } from '../store/entry.js';

/** The rate of false positives of a detector for claims: that of equal fingerprints, or the one that it was made for. */
export function rateOf({ detector, request }: DetectorEntry): number {
  const { n } = detector.statsWithoutLoad().parameters;
  const { fpr = DEFAULT_TARGET_FPR } = request.options;
  const isExact = [exactFamily, exactWindowFamily].includes(detector.settings.family);
  return isExact ? Number(n ?? 0) / 2 ** 64 : fpr;
}

/** Makes a detector as it was when it was created. */
export function clearDetector(entry: DetectorEntry): void {
  // First, because who waits for a key claims it as soon as its claim ends.
  entry.recorder?.cleared(entry);
  entry.clear();
}
