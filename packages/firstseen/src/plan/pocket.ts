// The course of pockets. All entries together behave as one memory that forgets the oldest first. It is not sharp: the
// entries of a generation leave in any order, and full pockets have entries of different ages.

import { mapInSteps } from '../base/steps.js';
import { shapesWorthTrying } from '../detectors/pocket.js';
import { maxHeldShare } from '../detectors/pocketwindow.js';
import { type DetectorSettings, resolveSettings } from '../detectors/settings.js';
import { POCKET_BYTES } from '../kernel/abi.js';
import { type Candidate, type FamilyPlan, inLayouts, numberOf, type PlanGoal } from './contract.js';
import { missByGap } from './grid.js';

/**
 * Ages of new entries that are tried where candidates are measured. Gaps do not show what they change (qht.ts), so the course is
 * that of age 0.
 */
const ENTRY_AGES = [2, 4];

/** Part of the entries that are in their second pocket once all are full: measured, for any number of slots. */
const SECOND_SHARE = 0.2;

/**
 * Misses after as many different elements as a part u of the capacity: the normal distribution with this mean and variance, for k
 * slots. Fitted to measurements with k from 24 to 77.
 */
const meanOf = (slots: number) => 1.005 - 0.9 / slots;
const varianceOf = (slots: number) => 0.0023 + 0.12 / slots;

/** The normal distribution (Abramowitz and Stegun 1964, 26.2.17; error below 1e-7). */
function normalBelow(x: number): number {
  if (x < 0) return 1 - normalBelow(-x);
  const t = 1 / (1 + 0.2316419 * x);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

/** Returns the number of entries of two full pockets that equal an element that is not in them. */
export function matchesOf(settings: DetectorSettings): number {
  const [r, k, quotients, second] = ['r', 'k', 'Q', 'Q2'].map((letter) => numberOf(settings, letter)) as [
    number,
    number,
    number,
    number,
  ];
  return (k * ((1 - SECOND_SHARE) / (quotients - second) + SECOND_SHARE / second)) / 2 ** r;
}

function candidates({ isMeasured = false }: PlanGoal): Candidate[] {
  // The model is fitted to shapes with more quotients than slots.
  const shapes = shapesWorthTrying(isMeasured);
  const aged = isMeasured ? shapes.flatMap((shape) => ENTRY_AGES.map((j) => ({ ...shape, j }))) : [];
  return inLayouts(['blocked'], [...shapes.map(({ r, k }) => ({ r, k })), ...aged]);
}

export const pocket: FamilyPlan = {
  name: 'pocket',
  candidates,
  autoCandidates: candidates,
  *course(settings, grid) {
    const k = numberOf(settings, 'k');
    const capacity = k * Math.floor(settings.memoryBytes / POCKET_BYTES);
    const matches = matchesOf(settings);
    const deviation = Math.sqrt(varianceOf(k));
    const load = yield* mapInSteps(grid.distinct, (elements) => Math.min(1, elements / capacity));
    return {
      load,
      falsePositive: load.map((share) => -Math.expm1(-share * matches)),
      miss: missByGap(grid, (gap) => {
        const elementsBetween = grid.stream.distinctIn(Math.max(0, gap - 1));
        return normalBelow((elementsBetween / capacity - meanOf(k)) / deviation);
      }),
    };
  },
};

/**
 * Returns the bytes in which pockets remember so many different elements: at most one repeat in 10,000 passes. The rate
 * of false positives is that of the full memory.
 */
export function memoryToRemember(elements: number, fpr: number): number {
  const slots = numberOf(resolveSettings({ algorithm: 'pocket', fpr }), 'k');
  return Math.ceil(elements / (slots * maxHeldShare(slots))) * POCKET_BYTES;
}
