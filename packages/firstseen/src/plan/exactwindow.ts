// An exact window is a ring of many generations without false positives, whose age counts all elements and not only the adds.

import { type FamilyPlan, inLayouts, numberOf } from './contract.js';
import { ringCourse } from './ring.js';

/** Generations into which the model divides the window. */
const GENERATIONS = 63;
/** Chance that two keys share a fingerprint. */
const COLLISION = 2 ** -64;

export const exactwindow: FamilyPlan = {
  name: 'exactwindow',
  elementParameters: ['W'],
  candidates: ({ windowElements }) =>
    inLayouts(['classic'], [windowElements === undefined ? {} : { W: windowElements }]),
  *course(settings, grid) {
    const [capacity, W] = [numberOf(settings, 'n'), numberOf(settings, 'W')];
    // The planner knows no times: without a window of elements, everything is kept.
    const window = W > 0 ? W : Number.POSITIVE_INFINITY;
    const refreshes = settings.parameters.values.refresh === 'yes';
    const ring = {
      ...{ k: 1, l: GENERATIONS, g: window / GENERATIONS, bits: Number.POSITIVE_INFINITY, addsPerPlace: undefined },
      ...{ refreshes, countsAll: true, different: (adds: number) => adds, bias: 1 },
    };
    const course = Number.isFinite(window) ? yield* ringCourse(ring, grid) : undefined;
    const heldElements = grid.positions.map((position, i) =>
      Math.min(grid.distinct[i] as number, grid.stream.distinctIn(Math.min(position, window))),
    );
    return {
      load: heldElements.map((elements) => Math.min(1, elements / capacity)),
      falsePositive: heldElements.map((elements) => elements * COLLISION),
      late: new Float64Array(heldElements.length),
      miss: (i, c) => course?.miss(i, c) ?? 0,
      ...(window < capacity ? {} : { refusesAfterElements: capacity }),
    };
  },
};
