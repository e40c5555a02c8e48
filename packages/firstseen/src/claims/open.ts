// The claims of each detector.

import { checkOpen, checkSoloDetector } from '../detectors/checkdetector.js';
import type { Detector } from '../detectors/detector.js';
import { Claims } from './claims.js';
import type { ClaimsOptions } from './options.js';

/** The claims of each detector, once there are any, so that all that claim keys of it share them. */
const claimsByDetector = new WeakMap<Detector, Claims>();

/** The claims of a detector, if there are any. */
export function claimsSoFar(detector: Detector): Claims | undefined {
  return claimsByDetector.get(detector);
}

/**
 * The claims of a detector, for those who need no options of their own.
 * @internal
 */
export function claimsOf(detector: Detector): Claims {
  const known = claimsByDetector.get(detector);
  if (known) return known;
  const claims = new Claims(detector);
  claimsByDetector.set(detector, claims);
  return claims;
}

/**
 * Tells if claims hold keys of a detector now.
 * @internal
 */
export function isHoldingKeys(detector: Detector): boolean {
  const claims = claimsSoFar(detector);
  return claims !== undefined && claims.stats().pending > 0;
}

/**
 * Claims on the keys of a detector, for records that are marked seen only once they are delivered. A detector has one table of
 * claims: all calls return it, and streams with `deliver` hold their keys in it. The first call sets its options.
 * @throws FirstseenError E_PARAMETER, also when an option differs from that of an earlier call, and for a detector on threads, which
 * takes batches in turns and so cannot hold keys; E_CLOSED when the detector was closed.
 */
export function createClaims(detector: Detector, options: ClaimsOptions = {}): Claims {
  const claims = claimsOf(checkSoloDetector('detector', detector));
  checkOpen(detector);
  claims.configure(options);
  return claims;
}
