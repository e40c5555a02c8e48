// Creates detectors at once.

import { defined } from '../base/defined.js';
import { tell } from '../base/diagnostics.js';
import { givenClock } from '../detectors/clock.js';
import { Detector } from '../detectors/detector.js';
import { homeAtOnce } from '../detectors/home.js';
import { detectorKernelAtHand } from '../kernel/detectorkernel.js';
import { givenModule } from '../kernel/given.js';
import { keySchemeOf } from '../records/keyscheme.js';
import { planner, planSettings } from './autosettings.js';
import { type CreateOptions, keyedParts } from './keys.js';

/**
 * As `create`, at once: with `module`, after the first `create`, and in Node from version 20.16 on. A plan is made at once.
 * @throws FirstseenError as `create`; E_COMPILE where the kernel is not compiled yet and can only be compiled asynchronously.
 */
export function createSync(options: CreateOptions = {}): Detector {
  const { own, promise, keys } = keyedParts(options);
  const scheme = defined({ keyScheme: keySchemeOf(keys) });
  const settings = { ...planSettings(own, promise), ...scheme };
  const { module = detectorKernelAtHand() } = givenModule(options);
  const detector = Detector.inHome(settings, homeAtOnce(settings, module), givenClock(options));
  if (options.onOverload !== undefined) planner.watchRate(detector, own, options.onOverload);
  tell('create', () => ({ detector }));
  return detector;
}
