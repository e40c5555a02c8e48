// The rate of false positives that a detector was made for.

import type { DetectorSettings } from '../../detectors/settings.js';
import { boundOf } from '../../plan/bound.js';
import { targetFprOf } from '../../plan/overload.js';
import type { DetectorRequest } from '../store/request.js';

/** The rate that was asked for, or the one that the detector keeps on every stream; undefined if there is neither. */
export function plannedFprOf({ filter, options }: DetectorRequest, settings: DetectorSettings): number | undefined {
  return filter?.errorRate ?? targetFprOf(options, settings) ?? boundOf(settings);
}
