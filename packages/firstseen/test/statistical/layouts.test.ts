// The rates of the blocked layout are close to those of the classic layout.

import { expect, test } from 'vitest';
import type { LayoutName } from '../../src/detectors/contract.js';
import { Detector } from '../../src/detectors/detector.js';
import type { DetectorOptions } from '../../src/detectors/settings.js';
import { countErrors, falseNegativeRate, falsePositiveRate, noErrors } from '../support/rates.js';
import { UniformStream, universeOf } from '../support/streams.js';

const LENGTH = 2_000_000;
const { elements, truth } = new UniformStream(universeOf(LENGTH, 0.6), 2).next(LENGTH);

async function ratesOf(options: DetectorOptions, layout: LayoutName): Promise<{ fpr: number; fnr: number }> {
  const detector = await Detector.create({ ...options, layout, seed: 3 });
  const counts = noErrors();
  countErrors(counts, truth, detector.observeBatch(elements));
  return { fpr: falsePositiveRate(counts), fnr: falseNegativeRate(counts) };
}

test.each<DetectorOptions>([
  { algorithm: 'bloom', parameters: { k: 2 } },
  { algorithm: 'sbf', parameters: { Max: 1, K: 2, P: 4 } },
  { algorithm: 'rsbf', parameters: { k: 2 } },
  { algorithm: 'bsbf', parameters: { k: 2 } },
  { algorithm: 'bsbfsd', parameters: { k: 2 } },
  { algorithm: 'rlbsbf', parameters: { k: 2 } },
])('$algorithm with $parameters has rates in both layouts within 5 % of each other', async (options) => {
  for (const memory of ['256KiB', '1MiB']) {
    const classic = await ratesOf({ ...options, memory }, 'classic');
    const blocked = await ratesOf({ ...options, memory }, 'blocked');
    // More than a hundredth of all distinct elements: neither rate is close to zero, so that their ratio is meaningful.
    expect(classic.fpr).toBeGreaterThan(0.01);
    expect(Math.abs(blocked.fpr - classic.fpr)).toBeLessThan(0.05 * classic.fpr);
    expect(Math.abs(blocked.fnr - classic.fnr)).toBeLessThanOrEqual(0.05 * classic.fnr);
  }
});
