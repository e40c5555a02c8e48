// The rate of false positives that a detector keeps.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { boundOf } from '../../plan/bound.js';
import type { DetectorRequest } from './request.js';

const PROPOSED_FPR = '1e-3';

/**
 * Refuses a detector that may call every new key a duplicate, unless its parameters were given: `sqf` without a rate is that of its paper,
 * whose rows hold every signature once they are full.
 * @throws FirstseenError E_PARAMETER
 */
export function checkRate({ options: { fpr, parameters = {} } }: DetectorRequest, settings: DetectorSettings): void {
  const isGiven = fpr !== undefined || Object.keys(parameters).length > 0;
  if (isGiven || (boundOf(settings) ?? 0) < 1) return;
  const problem = `${settings.family.name} without a rate has the parameters of its paper, and calls all new keys duplicates once it is full`;
  throw new FirstseenError('E_PARAMETER', problem, {
    option: 'fpr',
    remedy: phrase`give ${optionName('fpr')} ${PROPOSED_FPR}, or its parameters`,
  });
}
