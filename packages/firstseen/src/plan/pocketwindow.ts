// The course of pockets with a window: a ring of generations without false positives of its own, as long as all elements fit.

import { shapesWorthTrying } from '../detectors/pocket.js';
import { maxWindowElements, WINDOW_GENERATIONS } from '../detectors/pocketwindow.js';
import { POCKET_BYTES } from '../kernel/abi.js';
import { type FamilyPlan, inLayouts, numberOf } from './contract.js';
import { matchesOf } from './pocket.js';
import { ringCourse } from './ring.js';

export const pocketwindow: FamilyPlan = {
  name: 'pocketwindow',
  elementParameters: ['W'],
  candidates({ windowElements, memoryBytes, isMeasured = false }) {
    const shapes = shapesWorthTrying(isMeasured).map(({ r, k }) => ({ r, k }));
    if (windowElements === undefined) return inLayouts(['blocked'], shapes);
    const large = shapes.filter((shape) => maxWindowElements(shape, memoryBytes) >= windowElements);
    return inLayouts(
      ['blocked'],
      large.flatMap((shape) => [shape, { ...shape, W: windowElements }]),
    );
  },
  *course(settings, grid) {
    const [k, W] = [numberOf(settings, 'k'), numberOf(settings, 'W')];
    const capacity = k * Math.floor(settings.memoryBytes / POCKET_BYTES);
    const matches = matchesOf(settings);
    // The planner knows no times: without a window of elements, everything is kept.
    const g = W > 0 ? Math.ceil(W / WINDOW_GENERATIONS) : Number.POSITIVE_INFINITY;
    const refreshes = settings.parameters.values.refresh === 'yes';
    const different = (adds: number) => (refreshes ? grid.stream.distinctIn(adds) : adds);
    const ring = { k: 1, l: WINDOW_GENERATIONS, g, bits: Number.POSITIVE_INFINITY, addsPerPlace: undefined };
    const course = W > 0 ? yield* ringCourse({ ...ring, refreshes, different, bias: 1 }, grid) : undefined;
    const load = grid.distinct.map((elements) =>
      Math.min(1, Math.min(elements, different((WINDOW_GENERATIONS + 0.5) * g)) / capacity),
    );
    return {
      load,
      falsePositive: load.map((share) => -Math.expm1(-share * matches)),
      late: course?.late ?? new Float64Array(load.length),
      miss: (i, c) => course?.miss(i, c) ?? 0,
    };
  },
};
