import type { DetectorSettings } from '../detectors/settings.js';
import { type FamilyPlan, numberOf } from './contract.js';
import { type ClearingRule, filterCourse, filterPlan, type Moment, type StreamProgress } from './filters.js';

/** Every element, duplicate or not, clears one random bit in each filter: the rule of the published tables. */
const table: ClearingRule = { cleared: () => 1 };

/** Returns the chance that an element enters the reservoir. */
function reservoirShare({ positionElements, filterBits }: StreamProgress): number {
  return Math.min(1, filterBits / positionElements);
}

/** An exchange clears one bit that is set for each clear one that it sets, where another rule clears any. */
function exchanged({ meetsClear, load }: Moment): number {
  return meetsClear / Math.max(load, Number.EPSILON);
}

/** bera-2012, algorithm 1: the reservoir clears a random bit in each filter, until every element is exchanged. */
function beraRule(threshold: number): ClearingRule {
  const isExchanging = (progress: StreamProgress) => reservoirShare(progress) <= threshold;
  return {
    entering: (progress) => (isExchanging(progress) ? 1 : reservoirShare(progress)),
    cleared(moment, _filters, progress) {
      if (reservoirShare(progress) === 1) return 0;
      return isExchanging(progress) ? exchanged(moment) : reservoirShare(progress);
    },
  };
}

/** dutta-2012, algorithm 1, both comparisons with one number: an element that enters the reservoir clears nothing. */
function duttaRule(threshold: number): ClearingRule {
  return {
    entering: (progress) => 1 - Math.max(0, threshold - reservoirShare(progress)),
    cleared: (moment, _filters, progress) => (1 - Math.max(threshold, reservoirShare(progress))) * exchanged(moment),
  };
}

function ruleOf(settings: DetectorSettings): ClearingRule {
  const { variant } = settings.parameters.values;
  if (variant === 'table') return table;
  return variant === 'bera-2012' ? beraRule(numberOf(settings, 'p*')) : duttaRule(numberOf(settings, 'p*'));
}

export const rsbf: FamilyPlan = {
  ...filterPlan('rsbf', table, { filterCounts: [1, 2, 3, 4], parameters: { variant: 'table' } }),
  course: (settings, grid) => filterCourse(settings, grid, ruleOf(settings)),
};
