// What is noted for a report in fixed memory: the largest clusters with the error of their counts, a sample of pairs, and places.

import { expect, test } from 'vitest';
import { LargestClusters } from '../../../src/review/clusters.js';
import { excerptOf, shortened } from '../../../src/review/excerpt.js';
import type { ReviewedRecord } from '../../../src/review/facts.js';
import { InputCounts } from '../../../src/review/inputs.js';
import { PairSample } from '../../../src/review/pairs.js';
import { KeptPlaces } from '../../../src/review/places.js';
import { normalBelow, Similarities } from '../../../src/review/similarities.js';
import { Random } from '../../support/streams.js';

const members = (name: string) => () => ({ first: { name }, member: { name: `${name}'` } });

/** Clusters of which the first are the largest. */
function* skewed(count: number): Generator<number> {
  const random = new Random(5);
  for (let i = 0; i < count; i++) yield Math.floor(1 / (1 - (random.nextWord() / 2 ** 32) * 0.9999));
}

test('the counts of the largest clusters are too low by at most the error that is told, and no larger one is missing', () => {
  const clusters = new LargestClusters(50, 30);
  const truth = new Map<number, number>();
  for (const cluster of skewed(100_000)) {
    truth.set(cluster, (truth.get(cluster) ?? 0) + 1);
    clusters.add(cluster, members(String(cluster)));
  }
  const { clusters: largest, errorRecords, capacity } = clusters.review();
  expect(capacity).toBe(50);
  expect(errorRecords).toBeGreaterThan(0);
  expect(errorRecords).toBeLessThanOrEqual(100_000 / 51);
  for (const { first, leastDropped } of largest) {
    const count = truth.get(Number(first.name)) as number;
    expect(leastDropped).toBeLessThanOrEqual(count);
    expect(leastDropped + errorRecords).toBeGreaterThanOrEqual(count);
  }
  const shown = new Set(largest.map(({ first }) => first.name));
  const least = Math.min(...largest.map(({ leastDropped }) => leastDropped));
  for (const [cluster, count] of truth) {
    if (!shown.has(String(cluster))) expect(count).toBeLessThanOrEqual(least + errorRecords);
  }
});

test('the members of few clusters are held, among them those of the largest', () => {
  const clusters = new LargestClusters(10_000, 30);
  let made = 0;
  for (const [i, cluster] of [...skewed(20_000)].entries()) {
    // Each second record is the only one of its cluster.
    clusters.add(i % 2 === 0 ? cluster : -i, () => {
      made++;
      return members(String(cluster))();
    });
  }
  const { clusters: largest } = clusters.review();
  expect(largest.map(({ first }) => first.name).slice(0, 3)).toEqual(['1', '2', '3']);
  expect(made).toBeLessThan(1000);
});

test('a table with room for all clusters counts exactly', () => {
  const clusters = new LargestClusters(3);
  for (const cluster of [1, 2, 1, 3, 1, 2]) clusters.add(cluster, members(String(cluster)));
  const { clusters: largest, errorRecords } = clusters.review();
  expect(largest.map(({ first, leastDropped }) => [first.name, leastDropped])).toEqual([
    ['1', 3],
    ['2', 2],
    ['3', 1],
  ]);
  expect(errorRecords).toBe(0);
});

function recordOf(number: number, characters = 10): ReviewedRecord {
  return { input: 'in', number, excerpt: { text: 'x'.repeat(characters), bytes: characters, isCut: false } };
}

/** A sample of kept records 0 to 9,999, of which each tenth has one duplicate that comes at the end. */
function sampled(maxBytes: number) {
  const sample = new PairSample(maxBytes);
  for (let i = 0; i < 10_000; i++) sample.keep(i, () => recordOf(i, 100));
  for (let i = 0; i < 10_000; i += 10) {
    sample.drop(
      i,
      () => ({ dropped: recordOf(i), similarity: 0.9 }),
      () => ({ input: 'in', number: i }),
    );
  }
  return sample.review();
}

test('all pairs are drawn from when all records are held, and each pair belongs together', () => {
  const { pairs, keptShare, withoutKept } = sampled(2 ** 24);
  expect([pairs.length, keptShare, withoutKept]).toEqual([20, 1, 0]);
  for (const { kept, dropped } of pairs) expect(kept.number).toBe(dropped.number);
  const numbers = pairs.map(({ kept }) => kept.number as number);
  expect(numbers.filter((number) => number < 5000).length).toBeGreaterThan(3);
  expect(numbers.filter((number) => number >= 5000).length).toBeGreaterThan(3);
});

test('a sample in less memory says its share, and draws the rest of its pairs from those without a text of the kept record', () => {
  const { pairs, keptShare, withoutKept } = sampled(32 * 1024);
  expect(keptShare).toBeLessThanOrEqual(1 / 64);
  expect(pairs).toHaveLength(20);
  expect(withoutKept).toBeGreaterThan(0);
  for (const { kept, dropped } of pairs) expect(kept.number).toBe(dropped.number);
  expect(pairs.filter(({ kept }) => kept.excerpt === undefined)).toHaveLength(withoutKept);
});

test('the sample holds no more than its bytes', () => {
  const sample = new PairSample(2 ** 16);
  let made = 0;
  for (let i = 0; i < 2000; i++) {
    sample.keep(i, () => {
      made++;
      return recordOf(i, 10_000);
    });
  }
  const held = Array.from({ length: 2000 }, (_, i) => sample.keptOf(i)).filter((kept) => kept !== undefined);
  expect(held.length).toBeGreaterThan(0);
  expect(held.length * 20_000).toBeLessThanOrEqual(2 ** 16);
  expect(made).toBeLessThan(100);
});

test('each of the duplicates of a kept record is as likely to be shown', () => {
  const counts = new Map<number, number>();
  for (let cluster = 0; cluster < 2000; cluster++) {
    const sample = new PairSample();
    sample.keep(cluster, () => recordOf(0));
    for (let i = 1; i <= 4; i++)
      sample.drop(
        cluster,
        () => ({ dropped: recordOf(i) }),
        () => ({}),
      );
    const number = sample.review().pairs[0]?.dropped.number as number;
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  // The standard deviation of each count is 19.4.
  for (let i = 1; i <= 4; i++) expect(Math.abs((counts.get(i) ?? 0) - 500)).toBeLessThan(100);
});

test('the input of each kept record is known, and the rest of the last ones', () => {
  const places = new KeptPlaces(10);
  for (let i = 0; i < 100; i++) places.add({ input: i < 60 ? 'a' : 'b', number: i + 1, name: `n${i}` });
  expect(places.of(-1)).toEqual({});
  expect(places.of(0)).toEqual({ input: 'a' });
  expect(places.of(59)).toEqual({ input: 'a' });
  expect(places.of(60)).toEqual({ input: 'b' });
  expect(places.of(89)).toEqual({ input: 'b' });
  expect(places.of(90)).toEqual({ input: 'b', number: 91, name: 'n90' });
  expect(places.of(99)).toEqual({ input: 'b', number: 100, name: 'n99' });
});

test('excerpts end at the end of a character', () => {
  const bytes = new TextEncoder().encode('aé€😀b');
  expect(excerptOf(bytes, 0, bytes.length, 100)).toEqual({ text: 'aé€😀b', bytes: 11, isCut: false });
  expect(excerptOf(bytes, 0, bytes.length, 9).text).toBe('aé€');
  expect(excerptOf(bytes, 0, bytes.length, 2).text).toBe('a');
  expect(shortened({ text: 'ab😀', bytes: 6, isCut: false }, 3)).toEqual({ text: 'ab', bytes: 6, isCut: true });
});

test('inputs are counted in their order', () => {
  const counts = new InputCounts();
  counts.add('b', { records: 2, dropped: 1, droppedAcross: 1 });
  counts.add('a', { records: 1, dropped: 0 });
  expect(counts.add('b', { records: 1, dropped: 1, droppedAcross: 0 })).toBe(3);
  expect(counts.review()).toEqual([
    { name: 'b', records: 3, dropped: 2, droppedAcross: 1 },
    { name: 'a', records: 1, dropped: 0 },
  ]);
});

test('the normal distribution has its known values', () => {
  const values = [
    [0, 0.5],
    [1, 0.8413447],
    [-1.959964, 0.025],
    [3, 0.9986501],
  ] as const;
  for (const [value, probability] of values) expect(normalBelow(value)).toBeCloseTo(probability, 6);
});

test('the expected number of documents on the wrong side follows from the errors of their estimates', () => {
  const similarities = new Similarities(0.8);
  for (let i = 0; i < 100; i++) similarities.add({ similarity: 0.8, standardError: 0.05, isDropped: true });
  similarities.add({ similarity: 1, standardError: 0, isDropped: true });
  similarities.add({ similarity: 0.75, standardError: 0.05, isDropped: false });
  similarities.add({ similarity: undefined, standardError: undefined, isDropped: false });
  const { bins, wronglyDropped, wronglyKept, withoutCandidate } = similarities.review(0.99);
  expect(wronglyDropped.of).toBe(101);
  expect(wronglyDropped.expected).toBeCloseTo(50, 4);
  expect([wronglyDropped.low, wronglyDropped.high].map(Math.round)).toEqual([40, 60]);
  expect(wronglyKept.expected).toBeCloseTo(0.1586553, 6);
  expect(withoutCandidate).toBe(1);
  expect(bins.at(-1)).toMatchObject({ kept: 0, dropped: 1 });
  expect(bins.reduce((sum, { kept, dropped }) => sum + kept + dropped, 0)).toBe(102);
});
