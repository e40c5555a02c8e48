import { expect, test } from 'vitest';
import { drawClusters } from '../../../src/motifs/clusters.js';
import { timeMotifs } from '../../../src/motifs/timing.js';
import { narang2011Scalings } from '../../../src/published/narang2011.js';
import { modelSeconds, narang2011ScalingSection } from '../../../src/reproduce/narangscaling.js';

test('the model gives back what it was made from, and goes on by the law of Amdahl', () => {
  // Three fifths on two threads: a fifth of the work is not divided.
  const rates = { one: 1, two: 0.6 };
  expect(modelSeconds(rates, { threads: 1, records: 1e6 })).toBeCloseTo(1, 10);
  expect(modelSeconds(rates, { threads: 2, records: 1e6 })).toBeCloseTo(0.6, 10);
  expect(modelSeconds(rates, { threads: 16, records: 5e6 })).toBeCloseTo(5 * (0.2 + 0.8 / 16), 10);
});

test('threads that are faster than twice as many leave nothing undivided', () => {
  expect(modelSeconds({ one: 1, two: 0.4 }, { threads: 4, records: 1e6 })).toBeCloseTo(0.25, 10);
});

test('slower on two threads than on one, everything counts as undivided', () => {
  expect(modelSeconds({ one: 1, two: 1.5 }, { threads: 16, records: 1e6 })).toBeCloseTo(1, 10);
});

test('the section has rows for what is measured and for what is a model', () => {
  expect(narang2011ScalingSection.rows.map(({ id }) => id)).toEqual([
    'narang-figure-11/strong-model',
    'narang-figure-11/weak-model',
    'narang-figure-11/data-threads=1',
    'narang-figure-11/data-threads=2',
    'narang-figure-11/data-model',
  ]);
});

test('the times of the text have the ratios of the text', () => {
  for (const { quotation, first, last } of narang2011Scalings) {
    const [stated] = /[\d.]+(?=x (?:with|increase))/.exec(quotation) ?? [];
    const ratio = last.seconds / first.seconds;
    expect(Math.max(ratio, 1 / ratio)).toBeCloseTo(Number(stated), 0);
  }
});

test.each([0, 4096])('every record after the first %d is timed', async (warmupRecords) => {
  const drawing = { records: 5000, recordBytes: 64, clusters: 2, apartBits: 128, withinBits: 20 };
  const { records: drawn } = drawClusters({ ...drawing, centresFirst: true, seed: 1 });
  const motifs = { recordBytes: 64, sets: 2, hashes: 8, addressBits: 12 };
  expect((await timeMotifs({ motifs, threads: 1, records: 12_345, warmupRecords, drawn })).records).toBe(12_345);
});
