import { expect, it } from 'vitest';
import { drawClusters } from '../../../src/motifs/clusters.js';

const options = {
  records: 2000,
  recordBytes: 64,
  clusters: 4,
  apartBits: 128,
  withinBits: 20,
  centresFirst: true,
  seed: 3,
};

function distance(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, byte, i) => sum + (byte ^ (b[i] as number)).toString(2).replaceAll('0', '').length, 0);
}

function recordOf({ records }: { records: Uint8Array }, i: number): Uint8Array {
  return records.subarray(64 * i, 64 * (i + 1));
}

it('puts centres at the requested distance, and records within the requested distance of their centre', () => {
  const drawn = drawClusters(options);
  const centres = [0, 1, 2, 3].map((i) => recordOf(drawn, i));
  expect([...drawn.labels.subarray(0, 4)]).toEqual([0, 1, 2, 3]);
  for (const [i, a] of centres.entries()) for (const b of centres.slice(i + 1)) expect(distance(a, b)).toBe(128);
  const distances = [...drawn.labels].map((label, i) => distance(recordOf(drawn, i), centres[label] as Uint8Array));
  // Every number of flipped bits from 0 to the maximum occurs, each in about one of 21 records.
  expect(new Set(distances.slice(4)).size).toBe(21);
  expect(Math.max(...distances)).toBe(20);
  const mean = distances.reduce((sum, each) => sum + each, 0) / distances.length;
  expect(Math.abs(mean - 10)).toBeLessThan((4 * Math.sqrt((21 ** 2 - 1) / 12)) / Math.sqrt(2000));
});

it('draws the same records from the same seed, and other records from another seed', () => {
  expect(drawClusters(options)).toEqual(drawClusters(options));
  expect(drawClusters({ ...options, seed: 4 })).not.toEqual(drawClusters(options));
});
