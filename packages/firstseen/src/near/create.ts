// Creates detectors of near-duplicates.

import { checkObject } from '../base/check.js';
import { copied } from '../base/copied.js';
import { runInTurns } from '../base/steps.js';
import { type ClockOptions, givenClock, withoutClock } from '../detectors/clock.js';
import { givenWholeModule, type ModuleOptions, withoutModule } from '../kernel/given.js';
import { NearDetector } from './detector.js';
import { type NearOptions, nearInSteps } from './settings.js';

/**
 * Creates an empty detector of near-duplicate documents (docs/NEAR.md).
 * @throws FirstseenError E_PARAMETER, E_ALGORITHM, E_MEMORY or E_BOUND when the request is impossible; the message says which
 * bound it breaks.
 */
export async function createNear(options: NearOptions & ModuleOptions & ClockOptions = {}): Promise<NearDetector> {
  const copy = copied(checkObject(options));
  const host = { ...givenWholeModule(copy), ...givenClock(copy) };
  const settings = await runInTurns(nearInSteps(withoutClock(withoutModule(copy))));
  return NearDetector.ofSettings(settings, host);
}
