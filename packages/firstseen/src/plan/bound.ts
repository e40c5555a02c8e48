// The rate of false positives that a detector keeps on every stream, however long it is and whatever comes in it.

import type { DetectorSettings } from '../detectors/settings.js';

/** The probability that two fingerprints are equal, and the least bytes of an entry that holds one. */
const COLLISION = 2 ** -64;
const FINGERPRINT_BYTES = 8;

/** The bound of a detector; undefined for one whose rate grows with what it takes. */
export function boundOf({ family, memoryBytes, parameters: { values } }: DetectorSettings): number | undefined {
  const bound = values.FPR ?? values.FPS;
  if (typeof bound === 'number') return bound;
  if (!family.comparesFingerprints || values.counting === 'entries32') return undefined;
  return (memoryBytes / FINGERPRINT_BYTES) * COLLISION;
}
