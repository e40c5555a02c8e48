// Streams and rates for the tests of plans by measurement.

import { expect } from 'vitest';
import { Detector } from '../../src/detectors/detector.js';
import { GapSample } from '../../src/plan/sample.js';
import { countErrors, falseNegativeRate, falsePositiveRate, noErrors } from './rates.js';
import { exactVerdicts } from './streams.js';

export function sampled(elements: BigUint64Array, oneIn = 1) {
  const sample = new GapSample({ oneIn });
  sample.addBatch(elements);
  return sample.stream('as in a test');
}

export async function ratesOf(elements: BigUint64Array, options: Parameters<typeof Detector.create>[0]) {
  const counts = noErrors();
  countErrors(counts, exactVerdicts(elements), (await Detector.create(options)).observeBatch(elements));
  return { fpr: falsePositiveRate(counts), fnr: falseNegativeRate(counts) };
}

export function expectNear(what: string, predicted: number, measured: number, relative: number): void {
  const allowed = Math.max(relative * measured, 0.0005);
  expect(Math.abs(predicted - measured), `${what}: ${predicted} for ${measured}`).toBeLessThan(allowed);
}

export const candidates = [
  { algorithm: 'bloom', layout: 'blocked', parameters: { k: 2 } },
  { algorithm: 'sbf', layout: 'classic', parameters: { K: 2, Max: 1, P: 3 } },
  { algorithm: 'rlbsbf', layout: 'blocked', parameters: { k: 2 } },
  { algorithm: 'qht', layout: 'classic', parameters: { s: 7, k: 4, eviction: 'fifo' } },
  { algorithm: 'qht', layout: 'blocked', parameters: { s: 10, eviction: 'lru' } },
  { algorithm: 'sqf', layout: 'classic', parameters: { r: 4, "r'": 2, k: 4 } },
  { algorithm: 'apbf', layout: 'classic', parameters: { k: 3, l: 2, g: 12_000 } },
] as const;
