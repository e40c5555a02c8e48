import { describe, expect, test } from 'vitest';
import { streamOf } from '../../../src/plan/goal.js';
import { GapSample, streamOfSample } from '../../../src/plan/sample.js';
import { curveStream, gapListStream, uniformStream, universeOf } from '../../../src/plan/stream.js';
import { inLongForm } from '../../support/form.js';
import { allDistinct, fingerprintOf, randomElements, recency, uniform } from '../../support/streams.js';

function sampled(elements: BigUint64Array): GapSample {
  const sample = new GapSample();
  for (const element of elements) sample.add(element);
  return sample;
}

function addInBatches(sample: GapSample, elements: BigUint64Array): void {
  for (let start = 0; start < elements.length; start += 30_000)
    sample.addBatch(elements.subarray(start, start + 30_000));
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

  test('counts the different elements in stretches of every length', () => {
    // The first half is new, the second half repeats it: no stationary stream has these.
    const half = 20_000;
    const elements = BigUint64Array.from({ length: 2 * half }, (_, i) => fingerprintOf(i % half));
    const { distinctIn, novelty } = sampled(elements).stream('');
    for (const span of [7, 1023, half / 2, half, 2 * half])
      expect(distinctIn(span) / Math.min(span, half)).toBeCloseTo(1, 1.3);
    expect(novelty?.before(half)).toBeCloseTo(half, -3);
    expect(novelty?.shareAt(half / 2)).toBeCloseTo(1, 1);
    expect(novelty?.shareAt(2 * half)).toBeCloseTo(0, 1);
  });

  test('of recent repeats continues beyond its end without more of them', () => {
    const measured = sampled(recency(100_000, 1000)).stream('', 10_000_000);
    expect(measured.fresh(10_000_000)).toBeCloseTo(0.5, 1.3);
    expect(measured.distinctIn(10_000_000) / 5e6).toBeCloseTo(1, 1);
    expect(measured.knownElements).toBe(100_000);
  });

  test('that is shorter or longer than a stream has neither its trace nor its limit', () => {
    const whole = sampled(uniform(10_000, 5000)).stream('');
    expect(whole.trace?.elements).toBe(10_000);
    expect(whole.ideal?.recency.length).toBeGreaterThan(10);
    const longer = streamOf({ stream: whole, lengthElements: 20_000 });
    expect(longer).toMatchObject({ lengthElements: 20_000, knownElements: 10_000 });
    const shorter = streamOf({ stream: whole, lengthElements: 5000 });
    for (const stream of [longer, shorter]) expect(stream).not.toHaveProperty('trace');
    for (const stream of [longer, shorter]) expect(stream).not.toHaveProperty('ideal');
    expect(shorter).not.toHaveProperty('knownElements');
  });

  test('without an element is refused', () => {
    expect(() => new GapSample().stream('')).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
  });
});

describe('a sample of more elements than it follows', () => {
  /** Distinct elements that come twice, a quarter of the stream apart, and one element that comes all the time. */
  const length = 2_400_000;
  const all = allDistinct(length / 2);
  const elements = new BigUint64Array(length).fill(all[0] as bigint);
  for (let i = 1; i < length / 2; i += 2) elements[i] = all[i] as bigint;
  elements.copyWithin(length / 2, 0, length / 2);
  const distinct = length / 4 + 1;
  const inBatches = new GapSample();
  addInBatches(inBatches, elements);

  test('counts the distinct elements of the whole stream within its error', () => {
    expect(inBatches.distinctError).toBeCloseTo(1 / Math.sqrt(distinct / 2), 4);
    expect(Math.abs(inBatches.distinctElements / distinct - 1)).toBeLessThan(4 * inBatches.distinctError);
  });

  test('is the same element by element', () => {
    const part = elements.subarray(0, inLongForm(length, 600_000));
    const single = sampled(part);
    const together = new GapSample();
    addInBatches(together, part);
    expect(single.distinctElements).toBe(together.distinctElements);
    expect(single.stream('').fresh(1000)).toBe(together.stream('').fresh(1000));
  });

  test('that it leaves out from the beginning is the same', () => {
    const part = new GapSample({ oneIn: 2 });
    addInBatches(part, elements);
    expect(part.distinctElements).toBe(inBatches.distinctElements);
    expect(part.stream('').fresh(length / 4)).toBeCloseTo(inBatches.stream('').fresh(length / 4), 3);
  });

  test('finds gaps as long as half of the stream', () => {
    const stream = inBatches.stream('');
    expect(stream.fresh(length / 2 - 100_000) - stream.fresh(length - 1)).toBeGreaterThan(0.3);
    expect(stream.distinctIn(length) / distinct).toBeCloseTo(1, 1);
  });

  test.each(inLongForm([600_000, 1_000_000], [600_000]))('never counts more distinct elements than all %i', (count) => {
    const all = new GapSample();
    all.addBatch(randomElements(count, 1));
    expect(all.distinctElements).toBeLessThanOrEqual(count);
    expect(all.distinctElements / count).toBeGreaterThan(1 - 4 * all.distinctError);
  });

  test('follows identifiers as well as hashes', () => {
    const identifiers = sampled(BigUint64Array.from({ length: 700_000 }, (_, i) => BigInt(i)));
    expect(Math.abs(identifiers.distinctElements / 700_000 - 1)).toBeLessThan(4 * identifiers.distinctError);
  });
});

describe('the stream of a sample', () => {
  const sample = sampled(uniform(10_000, 5000));
  const whole = { name: 'in', isWhole: true };

  test('tells what was read', () => {
    const { description, lengthElements } = streamOfSample(sample, whole);
    expect(description).toBe(
      `as in all 10,000 elements of in, ${sample.distinctElements.toLocaleString('en-US')} distinct`,
    );
    expect(lengthElements).toBe(10_000);
  });

  test('tells what was extrapolated, and its bounds', () => {
    const { description } = streamOfSample(sample, { name: 'in', isWhole: false, lengthElements: 40_000 });
    const { distinctElements } = sample;
    expect(description).toContain('as in the first 10,000 elements of in');
    const [least, most] = [distinctElements, distinctElements + 30_000].map((count) => count.toLocaleString('en-US'));
    expect(description).toContain(`of at least ${least} and at most ${most}`);
  });

  test.each([
    [2, ', which are too few to plan by: read 1,000 or more'],
    [999, ', which are too few to plan by: read 1,000 or more'],
    [1000, ''],
  ])('of %i elements tells whether they are too few', (elements, warning) => {
    const { description } = streamOfSample(sampled(allDistinct(elements)), whole);
    expect(description).toBe(
      `as in all ${elements.toLocaleString('en-US')} elements of in, ${elements.toLocaleString('en-US')} distinct${warning}`,
    );
  });

  test('is refused beyond the octaves of which the slope is known', () => {
    const refused = () => streamOfSample(sample, { name: 'in', isWhole: false, lengthElements: 40_004 });
    expect(refused).toThrow(expect.objectContaining({ code: 'E_SAMPLE', remedy: 'read at least 10,001 elements' }));
  });
});
