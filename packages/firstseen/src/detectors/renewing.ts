// Elements that restart their window although the detector has them, also without `refresh`: something else has decided that they count.

import { type Detector, familyOf } from './detector.js';

/** From now on, duplicates are added again, as with `refresh`; or only what is new. A detector without a window has nothing to restart. */
export function renewDuplicates(detector: Detector, isOn: boolean): void {
  familyOf(detector).rule.renew?.(isOn ? 1 : 0);
}
