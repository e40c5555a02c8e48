// What is told of a detector.

import { defined } from '../../base/defined.js';
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

/** What a detector has done. @param hasLoad whether its whole memory is counted */
export function statsOf({ detector, requests, claims }: DetectorEntry, hasLoad: boolean): object {
  return {
    ...(hasLoad ? detector.stats() : detector.statsWithoutLoad()),
    ...{ requests: requests.count, claims: claims?.stats() },
  };
}
