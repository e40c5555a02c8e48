// Elements that restart their window although the detector has them, also without `refresh`: something else has decided that they count.

import { APBF_REFRESH_PARAMETER, POCKETWINDOW_REFRESH_PARAMETER } from '../kernel/abi.js';
import { type Detector, familyOf } from './detector.js';

/** The parameters of families whose memory is the same with refresh and without it. */
const refreshParameters: Readonly<Record<string, number>> = {
  apbf: APBF_REFRESH_PARAMETER,
  pocketwindow: POCKETWINDOW_REFRESH_PARAMETER,
};

/** Adds duplicates again from now on, as with `refresh`, or only new elements. It has no effect without a window. */
export function renewDuplicates(detector: Detector, isOn: boolean): void {
  const { kernel, rule } = familyOf(detector);
  const { family, parameters } = detector.settings;
  const refresh = refreshParameters[family.name];
  if (refresh === undefined) rule.renew?.(isOn ? 1 : 0);
  else {
    kernel.setParameters(isOn ? [[refresh, 1]] : parameters.kernel);
    rule.configure();
  }
}
