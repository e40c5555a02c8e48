// What a detector of the store says of itself, and how it is cleared.

import { defined } from '../../base/defined.js';
import { exactFamily, exactWindowFamily } from '../../detectors/registry.js';
import { DEFAULT_TARGET_FPR } from '../../options/detector.js';
import { fullnessNow, plannedShareOf } from '../history/fullness.js';
import type { DetectorEntry } from '../store/entry.js';

/** The options that a detector was made from, and what they came to. */
export function infoOf({ detector, name, request }: DetectorEntry): object {
  const { algorithm, layout, memoryBytes, fingerprint, seed, parameters } = detector.statsWithoutLoad();
  const keyed = detector.settings.secret !== undefined;
  // A log and a snapshot have the seed as text.
  const seedAsked = request.options.seed === undefined ? undefined : BigInt(request.options.seed);
  const requested = {
    ...{ ...request.options, ...request.filter, ...request.claims, secret: undefined },
    ...defined({ seed: seedAsked }),
  };
  return { name, algorithm, layout, memoryBytes, fingerprint, keyed, seed, parameters, asked: requested };
}

/** Returns the statistics of a detector. @param hasLoad whether its whole memory is counted */
export function statsOf(entry: DetectorEntry, hasLoad: boolean): object {
  const { detector, requests, claims, refused } = entry;
  const fullness = fullnessNow(entry);
  return {
    ...(hasLoad ? detector.stats() : detector.statsWithoutLoad()),
    ...defined({ fullness: fullness?.share, whenFull: fullness?.whenFull, planned: plannedShareOf(entry) }),
    ...{ refused: refused.keys, requests: requests.count, claims: claims?.stats() },
  };
}

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
  entry.record('cleared');
  entry.clear();
}
