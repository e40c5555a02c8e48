// Streams over which rivals are compared with the formulas of their papers.

import { standardError } from '../../../../firstseen/test/support/rates.js';
import { Random } from '../../../../firstseen/test/support/streams.js';
import type { RivalParameters, RivalRequest, RivalRow } from '../../../src/rivals/contract.js';

export const SEED = 57;

/** The share of new elements that are reported duplicate, after a number of elements of which all are different. */
export function measuredRate(
  row: RivalRow,
  parameters: RivalParameters,
  request: RivalRequest,
  { warmElements = 4 * request.window.mostElements, elements = 40_000 } = {},
): { rate: number; memoryBits: number } {
  const rival = row.create(parameters, request, SEED);
  let falsePositives = 0;
  for (let i = 1; i <= warmElements + elements; i++) {
    const isDuplicate = rival.observe(i, i);
    if (i > warmElements && isDuplicate) falsePositives++;
  }
  return { rate: falsePositives / elements, memoryBits: rival.memoryBits };
}

/** The deviation of a measured rate from a predicted one, in standard errors of the measurement. */
export function deviationOf(rate: number, predicted: number, elements = 40_000): number {
  return Math.abs(rate - predicted) / standardError(predicted, elements);
}

/** Counts the repeats that are reported distinct, of elements that occur twice, at most the length of the window apart. */
export function missesInWindow(row: RivalRow, parameters: RivalParameters, request: RivalRequest): number {
  const { length } = request.window;
  const rival = row.create(parameters, request, SEED);
  const random = new Random(SEED);
  const onceAt: (number | undefined)[] = [];
  let misses = 0;
  for (let now = 1; now <= 10 * length; now++) {
    // One in eight repeats an element of the window that has come once; one in sixteen is as far back as the window allows.
    const back = random.below(2) === 0 ? length : 1 + random.below(length);
    const repeated = random.below(8) === 0 ? onceAt[now - back] : undefined;
    if (repeated === undefined) {
      onceAt[now] = now;
      rival.observe(now, now);
    } else {
      onceAt[now - back] = undefined;
      if (!rival.observe(repeated, now)) misses++;
    }
  }
  return misses;
}

export function elementsWindow(length: number): RivalRequest['window'] {
  return { unit: 'elements', length, mostElements: length };
}
