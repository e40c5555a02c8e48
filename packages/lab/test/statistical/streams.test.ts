// Checks the distributions of the streams: the shares of numbers, and the gaps against the model by which the planner
// predicts.

import { distinctShare } from 'firstseen/internal';
import type { StreamModel } from 'firstseen/plan';
import { describe, expect, test } from 'vitest';
import { inLongForm, isLongForm, sampleNote, sampleOf } from '../../../firstseen/test/support/form.js';
import type { StreamSpec } from '../../src/contract.js';
import { openStream } from '../../src/measure/stream.js';

/** Maximum deviation of a count from its expectation, in standard deviations. */
const MAX_DEVIATIONS = 5;

function specOf(kind: string, lengthElements: number, settings: StreamSpec['settings']): StreamSpec {
  return { kind, lengthElements, seed: 20, settings };
}

/** How often each number occurred; numbers from `most` on are counted together. */
async function numberCounts(spec: StreamSpec, most: number): Promise<Float64Array> {
  const stream = await openStream(spec, { identity: 'identifier', isByGap: false });
  const words = new Uint32Array(stream.fingerprints.buffer, stream.fingerprints.byteOffset);
  const counts = new Float64Array(most + 1);
  for (let count = await stream.next(spec.lengthElements); count > 0; count = await stream.next(spec.lengthElements)) {
    for (let i = 0; i < count; i++) {
      const number = words[2 * i + 1] === 0 ? Math.min(most, words[2 * i] as number) : most;
      counts[number] = (counts[number] as number) + 1;
    }
  }
  return counts;
}

interface TruthCounts {
  model: StreamModel;
  distinct: number;
  /** Number of duplicates by class: class c has gaps above 2^(c-1), up to 2^c. */
  classes: number[];
}

async function truthCounts(spec: StreamSpec, isByGap: boolean): Promise<TruthCounts> {
  const stream = await openStream(spec, { identity: 'hashed', isByGap });
  const counts = new Float64Array(66);
  for (let count = await stream.next(spec.lengthElements); count > 0; count = await stream.next(spec.lengthElements)) {
    for (let i = 0; i < count; i++) {
      const truth = stream.truth[i] as number;
      counts[truth] = (counts[truth] as number) + 1;
    }
  }
  const [distinct = 0, ...classes] = counts;
  return { model: await stream.resolved.model(), distinct, classes };
}

function expectCount(found: number, expected: number, slack = 0): void {
  const most = MAX_DEVIATIONS * Math.sqrt(Math.max(1, expected)) + slack;
  expect(Math.abs(found - expected), `${found} found, ${expected.toFixed(1)} expected`).toBeLessThan(most);
}

/** Expected duplicates with gaps above `from`, up to `to`; near the start of the stream there can be fewer. */
function duplicatesBetween({ lengthElements, fresh, distinctIn }: StreamModel, from: number, to: number): number {
  const behind = (lengthElements - to) * (fresh(from) - fresh(to));
  return behind + (to - from) * fresh(from) - (distinctIn(to) - distinctIn(from));
}

test('uniform draws are equally likely', async () => {
  const counts = await numberCounts(specOf('uniform', 1_000_000, { universeElements: 100 }), 100);
  for (const count of counts.subarray(0, 100)) expectCount(count, 10_000);
  expect(counts[100]).toBe(0);
});

test.each(sampleOf([0.3, 0.8, 1, 1.2, 2.5], 2))(
  `ranks have Zipf-distributed shares for exponent %d${sampleNote}`,
  async (exponent) => {
    const length = 1_000_000;
    const universe = 300_000;
    const counts = await numberCounts(specOf('zipf', length, { exponent, universeElements: universe }), universe);
    const weights = Float64Array.from({ length: universe }, (_, i) => (i + 1) ** -exponent);
    const total = weights.reduce((sum, weight) => sum + weight);
    const sumOf = (values: Float64Array, from: number, to: number) =>
      values.subarray(from, to).reduce((sum, value) => sum + value, 0);
    // Single ranks at the start, where segments begin to be longer than one, and parts of long segments.
    for (let from = 0; from < 200; from++) {
      expectCount(counts[from] as number, (length * (weights[from] as number)) / total);
    }
    for (let from = 200; from < universe; from = Math.ceil(from * 1.005)) {
      const to = Math.min(universe, Math.ceil(from * 1.005));
      expectCount(sumOf(counts, from, to), (length * sumOf(weights, from, to)) / total);
    }
    expect(counts[universe]).toBe(0);
  },
);

describe.each<[string, StreamSpec['settings']]>([
  ['uniform', { universeElements: 3000 }],
  ['shuffled', { distinctShare: 0.002 }],
  ['shuffled', { distinctShare: 0.6 }],
  ['zipf', { exponent: 0.7, universeElements: 3000 }],
  ['zipf', { exponent: 1.3, universeElements: 1e6 }],
  ['mixed', { classes: '10:0.2 1000:0.3 100000:0.3 10000000:0.2' }],
  ['recency', { distinctShare: 0.5, windowElements: 2000 }],
  ['recency', { distinctShare: 0.1, windowElements: 500 }],
  ['drift', { distinctShare: 0.3, universeElements: 5000 }],
  ['bursts', { distinctShare: 0.2, activeElements: 1000 }],
  ['adversarial', { gapElements: 1000, occurrences: 4 }],
])('%s %j', (kind, settings) => {
  test('has the gaps and the share of distinct elements of its model', async () => {
    const length = inLongForm(2_000_000, 400_000);
    const { model, distinct, classes } = await truthCounts(specOf(kind, length, settings), true);
    // The model describes a stream without a beginning, with a long window.
    const slack = 0.002 * length;
    expectCount(distinct, length * distinctShare(model), slack);
    classes.forEach((count, c) => {
      const to = Math.min(length, 2 ** c);
      const from = Math.min(length, c === 0 ? 0 : 2 ** (c - 1));
      expectCount(count, duplicatesBetween(model, from, to), slack);
    });
  });
});

// The short form has such a universe in unit/streams/streams.test.ts. This one takes a bit of memory for each of its elements.
test.runIf(isLongForm)('a universe of more than 2^32 has as many distinct elements as independent draws', async () => {
  const length = 2_000_000;
  // Numbers without their upper bits would have half as many duplicates again.
  const universeElements = 1.5 * 2 ** 32;
  const { distinct } = await truthCounts(specOf('uniform', length, { universeElements }), false);
  expectCount(length - distinct, length ** 2 / (2 * universeElements));
});

test.each(sampleOf([0.15, 0.6, 0.9], 1))(
  `a shuffled stream of %d distinct has each element, and draws for the rest${sampleNote}`,
  async (share) => {
    const length = 1_000_000;
    const distinct = share * length;
    const counts = await numberCounts(specOf('shuffled', length, { distinctShare: share }), distinct);
    expect(counts[distinct]).toBe(0);
    // The copies besides the guaranteed one have a Poisson distribution.
    const mean = length / distinct - 1;
    let chance = Math.exp(-mean);
    for (let copies = 1; copies <= 4; copies++) {
      expectCount(counts.subarray(0, distinct).filter((count) => count === copies).length, chance * distinct);
      chance *= mean / copies;
    }
  },
);

test('the positions of first occurrences in a shuffled stream are those of its model, from its beginning to its end', async () => {
  const length = 1_000_000;
  const stretches = 20;
  const spec = specOf('shuffled', length, { distinctShare: 0.4 });
  const stream = await openStream(spec, { identity: 'hashed', isByGap: false });
  const { distinctIn } = await stream.resolved.model();
  for (let i = 0; i < stretches; i++) {
    let fresh = 0;
    for (let left = length / stretches; left > 0; ) {
      const count = await stream.next(left);
      for (const truth of stream.truth.subarray(0, count)) fresh += 1 - truth;
      left -= count;
    }
    const [from, to] = [i, i + 1].map((end) => distinctIn((end * length) / stretches)) as [number, number];
    expectCount(fresh, to - from);
  }
});

test('new elements of a shuffled stream come in no order of their numbers', async () => {
  const length = 100_000;
  const stream = await openStream(specOf('shuffled', length, { distinctShare: 1 }), {
    identity: 'identifier',
    isByGap: false,
  });
  const numbers: number[] = [];
  for (let count = await stream.next(length); count > 0; count = await stream.next(length)) {
    for (const number of stream.fingerprints.subarray(0, count)) numbers.push(Number(number));
  }
  expect(new Set(numbers).size).toBe(length);
  expect(Math.max(...numbers.slice(0, 10_000))).toBeGreaterThan(0.99 * length);
  // Half of the neighbours rise. Runs of a random permutation have a variance of a twelfth of the length.
  const rises = numbers.filter((number, i) => i > 0 && number > (numbers[i - 1] as number)).length;
  expect(Math.abs(rises - length / 2)).toBeLessThan(MAX_DEVIATIONS * Math.sqrt(length / 12));
});
