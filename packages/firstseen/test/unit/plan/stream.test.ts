import { describe, expect, test } from 'vitest';
import { streamOf } from '../../../src/plan/goal.js';
import { GapSample } from '../../../src/plan/sample.js';
import { curveStream, gapListStream, uniformStream, universeOf } from '../../../src/plan/stream.js';
import { recency, uniform } from '../../support/streams.js';

function sampled(elements: BigUint64Array): GapSample {
  const sample = new GapSample();
  for (const element of elements) sample.add(element);
  return sample;
}

describe('a stream', () => {
  test('of uniform draws has the requested distinct elements', () => {
    const universe = universeOf(1_000_000, 600_000);
    expect(uniformStream(1_000_000, universe).distinctIn(1_000_000)).toBeCloseTo(600_000, 0);
  });

  test('of a list of gaps has a freshness that drops at each gap', () => {
    const stream = gapListStream({ lengthElements: 1000, gapsElements: [10, 100, 100, 500], duplicateShare: 0.8 });
    expect([9, 10, 99, 100, 499, 500, 900].map(stream.fresh)).toEqual(
      [1, 0.8, 0.8, 0.4, 0.4, 0.2, 0.2].map((fresh) => expect.closeTo(fresh, 12)),
    );
  });

  test('has as many distinct elements as the sum of its freshness', () => {
    const points = [
      { gapElements: 10, fresh: 0.5 },
      { gapElements: 100, fresh: 0.25 },
    ];
    const stream = curveStream({ description: '', lengthElements: 10_000, points, tailExponent: -0.5 });
    let sum = 0;
    for (let gap = 0; gap < 5000; gap += 0.5) sum += (stream.fresh(gap) + stream.fresh(gap + 0.5)) / 4;
    expect(stream.distinctIn(5000)).toBeCloseTo(sum, 0);
  });

  test('cannot have more distinct elements than elements', () => {
    expect(() => streamOf({ lengthElements: 10, distinctElements: 11 })).toThrow(
      expect.objectContaining({ code: 'E_PARAMETER' }),
    );
  });
});

describe('a sample', () => {
  test('of uniform draws estimates their freshness', () => {
    const universe = 40_000;
    const measured = sampled(uniform(100_000, universe)).stream('');
    const exact = uniformStream(100_000, universe);
    for (const gap of [100, 5000, 30_000, 80_000]) expect(measured.fresh(gap)).toBeCloseTo(exact.fresh(gap), 1.7);
    expect(measured.distinctIn(100_000) / exact.distinctIn(100_000)).toBeCloseTo(1, 1.7);
  });

  test('of recent repeats continues beyond its end without more of them', () => {
    const measured = sampled(recency(100_000, 1000)).stream('', 10_000_000);
    expect(measured.fresh(10_000_000)).toBeCloseTo(0.5, 1.5);
    expect(measured.distinctIn(10_000_000) / 5e6).toBeCloseTo(1, 1.5);
  });

  test('without an element is refused', () => {
    expect(() => new GapSample().stream('')).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
  });
});
