// The streams in place of the crawl have what they were made from: the share of distinct elements, and the misses of buffering.

import { distinctShare, FINE, familyPlans, gridOf, predictionOf, resolveSettings } from 'firstseen/internal';
import { describe, expect, test } from 'vitest';
import { deng2006Tables } from '../../../src/published/deng2006.js';
import { runsOf } from '../../../src/reproduce/trial.js';
import { streamModel } from '../../../src/streams/registry.js';

const settings = { scale: 1, seeds: 1, data: {} };

describe.each(deng2006Tables)('$title', ({ stream, rows }) => {
  const trial = { stream, identity: 'hashed', algorithm: 'buffer', memoryBytes: 2048, parameters: {} } as const;

  test('has its share of distinct elements', async () => {
    const [run] = runsOf(trial, settings);
    if (!run) throw new Error('no run');
    expect(distinctShare(await streamModel(run.stream))).toBeCloseTo(stream.distinctShare as number, 3);
  });

  test('is missed by buffering as printed', async () => {
    const [run] = runsOf(trial, settings);
    if (!run) throw new Error('no run');
    const grid = gridOf(await streamModel(run.stream), FINE);
    const plan = familyPlans.find(({ name }) => name === 'buffer');
    const buffering = rows.filter(({ algorithm }) => algorithm === 'buffer');
    for (const { memoryBytes: memory, parameters = {}, fnrPercent = 0 } of buffering) {
      const resolved = resolveSettings({ algorithm: 'buffer', layout: 'classic', memory, parameters });
      const course = plan?.course(resolved, grid);
      if (!course) throw new Error('no prediction');
      const percent = 100 * predictionOf(course, grid).fnr;
      expect(percent, `in ${memory} bytes`).toBeGreaterThan(fnrPercent - 0.2);
      expect(percent, `in ${memory} bytes`).toBeLessThan(fnrPercent + 0.2);
    }
  });
});
