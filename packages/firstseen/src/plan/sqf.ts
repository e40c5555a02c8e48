import { type Candidate, type FamilyPlan, inLayouts, numberOf } from './contract.js';
import { evictingCourse } from './evicting.js';
import { signatureGroups } from './signatures.js';

/** r, r' and k worth trying: the published ones, and longer signatures for lower rates. */
const SHAPES = [
  [2, 1, 4],
  [3, 1, 4],
  [4, 1, 4],
  [4, 2, 4],
  [8, 4, 4],
  [8, 4, 8],
  [16, 8, 4],
  [16, 8, 8],
  [24, 16, 8],
  [32, 24, 8],
] as const;

function candidates(): Candidate[] {
  const sets = SHAPES.flatMap(([r, reduced, k]) =>
    ['modulo', 'bits'].map((quotient) => ({ r, "r'": reduced, k, quotient })),
  );
  return inLayouts(['classic'], sets);
}

/** A row is a bucket of signatures that evicts at random (dutta-2013, algorithm 1). */
export const sqf: FamilyPlan = {
  name: 'sqf',
  candidates,
  course: (settings, grid) =>
    evictingCourse(
      { buckets: numberOf(settings, 'R_T'), slots: numberOf(settings, 'k'), values: signatureGroups(settings) },
      grid,
    ),
};
