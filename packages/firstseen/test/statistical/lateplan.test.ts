// Compares the predicted share of what a window drops after its end with what the witness counts.

import { describe, expect, test } from 'vitest';
import { Detector } from '../../src/detectors/detector.js';
import { resolveSettings } from '../../src/detectors/settings.js';
import { FINE, gridOf } from '../../src/plan/grid.js';
import { planMeasured } from '../../src/plan/measured.js';
import { predictionOf } from '../../src/plan/predict.js';
import { familyPlans } from '../../src/plan/registry.js';
import { GapSample } from '../../src/plan/sample.js';
import { uniformStream } from '../../src/plan/stream.js';
import { planText } from '../../src/plan/text.js';
import { planSync } from '../support/plan.js';
import { uniform } from '../support/streams.js';

const LENGTH = 60_000;
/** The share of the duplicates in a cell of gaps, of which a window ends in one. */
const CELL = 1 / FINE.gapQuantiles;

const detectors = [
  { algorithm: 'pocketwindow', memory: '64KiB', window: 3000 },
  { algorithm: 'pocketwindow', memory: '64KiB', window: 3000, refresh: true },
  { algorithm: 'apbf', memory: '64KiB', window: 3000, fpr: 1e-4 },
  { algorithm: 'apbf', memory: '64KiB', window: 3000, windowSlack: 0.2, fpr: 1e-4 },
  { algorithm: 'exactwindow', memory: '128KiB', window: 3000 },
] as const;

describe('what a window drops after its end', () => {
  test.each(detectors.flatMap((options) => [400, 5000, 9000].map((universe) => [options, universe] as const)))(
    'of %o among draws of %d elements is predicted',
    async (options, universe) => {
      const settings = resolveSettings(options);
      const family = familyPlans.find(({ name }) => name === options.algorithm) as (typeof familyPlans)[number];
      const grid = gridOf(uniformStream(LENGTH, universe), FINE);
      const { lateDuplicateRate: predicted } = predictionOf(family.course(settings, grid), grid);
      const detector = await Detector.create({ ...options, witness: true });
      detector.observeBatch(uniform(LENGTH, universe));
      const measured = detector.stats().witness?.lateDuplicateRate?.estimate as number;
      const difference = Math.abs((predicted as number) - measured);
      expect(difference, `${predicted} is predicted, ${measured} measured`).toBeLessThan(CELL / 2 + 0.1 * measured);
    },
  );

  test('is in a plan, and is measured where the stream is a sample', async () => {
    const elements = uniform(20_000, 5000);
    const sample = new GapSample();
    sample.addBatch(elements);
    const plan = await planMeasured({
      memory: '64KiB',
      layout: 'blocked',
      windowElements: 3000,
      stream: sample.stream('draws'),
    });
    const { recommended, isAuto } = plan;
    expect(isAuto).toBe(true);
    const { algorithm, layout, parameters } = recommended;
    const detector = await Detector.create({ algorithm, layout, parameters, memory: '64KiB', witness: true });
    detector.observeBatch(elements);
    const measured = detector.stats().witness?.lateDuplicateRate?.estimate;
    expect(measured).toBeGreaterThan(0.01);
    expect(recommended.prediction.lateDuplicateRate).toBe(measured);
    expect(planText(plan)).toMatch(/^dropped after the window: [\d.]+ % \(\d+ in a million\) of the elements on this/m);
    expect(planSync({ memory: '64KiB', layout: 'blocked' }).recommended.prediction).not.toHaveProperty(
      'lateDuplicateRate',
    );
  });
});
