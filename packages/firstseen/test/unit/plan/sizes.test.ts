// The table of sizes, compared with what the planner predicts of pockets in these sizes.

import { expect, test } from 'vitest';
import { memoryToRemember } from '../../../src/plan/registry.js';
import { sizesText } from '../../../src/plan/sizes.js';
import { inLongForm } from '../../support/form.js';
import { planSync } from '../../support/plan.js';

test.each(inLongForm([1e-3, 1e-5, 1e-7], [1e-5]))('the memory suffices at %d, and half of it does not', (fpr) => {
  const elements = inLongForm(1e6, 2e4);
  const predictedIn = (memory: number) => {
    const hints = { memory, fpr, distinctElements: elements, lengthElements: 2 * elements, layout: 'blocked' } as const;
    return planSync(hints).families.find(({ algorithm }) => algorithm === 'pocket')?.prediction;
  };
  const memory = memoryToRemember(elements, fpr);
  const enough = predictedIn(memory);
  expect(enough?.fpr).toBeLessThanOrEqual(fpr);
  expect(enough?.fnr).toBeLessThan(1e-4);
  expect(predictedIn(memory / 2)?.fnr).toBeGreaterThan(0.01);
});

test('the table grows with elements and with sharper rates', () => {
  const [header, ...rows] = sizesText().trimEnd().split('\n');
  expect(header?.trim().split(/\s+/)).toEqual(['elements', '1e-3', '1e-4', '1e-5', '1e-6', '1e-7']);
  expect(rows.map((row) => row.trim().split(/\s+/)[0])).toEqual([
    '1,000,000',
    '10,000,000',
    '100,000,000',
    '1,000,000,000',
    '10,000,000,000',
  ]);
  expect(memoryToRemember(1e9, 1e-3)).toBeGreaterThan(999 * memoryToRemember(1e6, 1e-3));
  expect(memoryToRemember(1e6, 1e-7)).toBeGreaterThan(memoryToRemember(1e6, 1e-6));
});
