import { mapInSteps } from '../base/steps.js';
import type { FamilyPlan } from './contract.js';
import { numberOf } from './contract.js';

/** Chance that two keys share a fingerprint. */
const COLLISION = 2 ** -64;

export const exact: FamilyPlan = {
  name: 'exact',
  candidates: () => [{ layout: 'classic', parameters: {} }],
  // It takes no more when it is full, so `auto` relies on an estimate with it.
  autoCandidates: ({ promise }) => (promise === 'expected stream' ? [{ layout: 'classic', parameters: {} }] : []),
  *course(settings, { distinct }) {
    const capacity = numberOf(settings, 'n');
    return {
      load: yield* mapInSteps(distinct, (held) => Math.min(1, held / (settings.memoryBytes / 8))),
      falsePositive: distinct.map((held) => Math.min(capacity, held) * COLLISION),
      miss: () => 0,
      refusesAfterElements: capacity,
    };
  },
};
