// What is told of a detector.

import { defined } from '../../base/defined.js';
import { fullnessNow, plannedShareOf } from '../history/fullness.js';
import type { DetectorEntry } from '../store/entry.js';

/** The options that a detector was made from, and what they came to. */
export function infoOf({ detector, name, request }: DetectorEntry): object {
  const { algorithm, layout, memoryBytes, fingerprint, seed, parameters } = detector.statsWithoutLoad();
  const keyed = detector.settings.secret !== undefined;
  // A log and a snapshot have the seed as text.
  const seedAsked = request.options.seed === undefined ? undefined : BigInt(request.options.seed);
  const asked = {
    ...{ ...request.options, ...request.filter, ...request.claims, secret: undefined },
    ...defined({ seed: seedAsked }),
  };
  return { name, algorithm, layout, memoryBytes, fingerprint, keyed, seed, parameters, asked };
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
