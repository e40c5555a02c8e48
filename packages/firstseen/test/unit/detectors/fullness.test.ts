// How full a detector is: what its memory holds, by another count than that of its kernel.

import { expect, test } from 'vitest';
import { families } from '../../../src/detectors/descriptions.js';
import { fullnessOf } from '../../../src/detectors/fullness.js';
import type { DetectorOptions } from '../../../src/detectors/settings.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { createDetector } from '../../support/cases.js';
import { allDistinct } from '../../support/streams.js';

/** Families whose load settles at what their rules make of it, or whose window turns by itself. */
const settling = ['sbf', 'rsbf', 'bsbf', 'bsbfsd', 'rlbsbf', 'apbf'];

test('every family tells how full it is, or that its load settles', async () => {
  for (const { name, holdsDocuments } of families) {
    if (holdsDocuments) continue;
    const detector = await createDetector({ algorithm: name, memory: '64KiB' });
    const fullness = fullnessOf(detector, 0);
    expect([name, fullness === undefined]).toEqual([name, settling.includes(name)]);
    if (fullness) expect([name, fullness.share]).toEqual([name, 0]);
    detector.close();
  }
});

/** Tables that are larger than the sample, and how much of them is in use by a pass over all of it. */
const sampled: readonly DetectorOptions[] = [
  { algorithm: 'qht' },
  { algorithm: 'qht', layout: 'classic' },
  { algorithm: 'qht', parameters: { eviction: 'fifo' } },
  { algorithm: 'pocket' },
  { algorithm: 'sqf' },
  { algorithm: 'sqf', partitions: 4 },
  { algorithm: 'qht', partitions: 4 },
  { algorithm: 'buffer' },
  { algorithm: 'fpbuffer' },
  { algorithm: 'dsqf' },
];

test.each(sampled)(
  '$algorithm $layout $parameters $partitions tells nearly what a pass over its memory does',
  async (options) => {
    const detector = await createDetector({ memory: '512KiB', ...options });
    let from = 0;
    for (let i = 0; i < 6; i++) {
      detector.observeBatch(allDistinct(60_000, from));
      from += 60_000;
      const { load } = detector.stats();
      // A sample has at least 5,000 slots, and a partition differs by as much again.
      const share = fullnessOf(detector, 0)?.share ?? Number.NaN;
      expect(Math.abs(share - load)).toBeLessThan(0.05);
      expect(fullnessOf(detector, 0)?.whenFull).toBe('forgets');
    }
    detector.close();
  },
);

test('an exact set is full when it refuses a key, and the room for claims counts', async () => {
  const detector = await createDetector({ algorithm: 'exact', memory: '8KiB' });
  const n = Number(detector.settings.parameters.values.n);
  detector.observeBatch(allDistinct(n / 2));
  expect(fullnessOf(detector, 0)).toEqual({ share: Math.floor(n / 2) / n, whenFull: 'refuses' });
  expect(fullnessOf(detector, 0, n - Math.floor(n / 2))?.share).toBeCloseTo(1, 12);
  expect(() => detector.observeBatch(allDistinct(n, 1))).toThrow(/full/);
  expect(fullnessOf(detector, 0)?.share).toBe(1);
});

test('with partitions, the fullest one counts', async () => {
  const detector = await createDetector({ algorithm: 'exact', memory: '64KiB', partitions: 4 });
  expect(() => detector.observeBatch(allDistinct(16_000))).toThrow(/full/);
  expect(fullnessOf(detector, 0)).toEqual({ share: 1, whenFull: 'refuses' });
});

test.each(['no', 'yes'])(
  'an exact window empties with time, though nothing is observed, with refresh %s',
  async (refresh) => {
    const window = { algorithm: 'exactwindow', memory: '64KiB', window: '100s', parameters: { refresh } } as const;
    const detector = await createDetector(window);
    const n = Number(detector.settings.parameters.values.n);
    for (let second = 0; second < 10; second++) {
      detector.advance(second * 1000);
      detector.observeBatch(allDistinct(100, 100 * second));
      if (refresh === 'yes') detector.observeBatch(allDistinct(100, 100 * second));
    }
    const before = save(detector);
    const shareAt = (milliseconds: number) => fullnessOf(detector, milliseconds)?.share;
    expect(shareAt(0)).toBeCloseTo(1000 / n, 12);
    expect(shareAt(100_000)).toBeCloseTo(1000 / n, 12);
    // With refresh, entries of elements that were added again count until the next element comes.
    if (refresh === 'no') expect(shareAt(100_001)).toBeCloseTo(900 / n, 12);
    expect(shareAt(109_000)).toBeCloseTo((refresh === 'no' ? 100 : 200) / n, 12);
    expect(shareAt(200_000)).toBe(0);
    // It was only asked.
    expect(save(detector)).toEqual(before);
    expect(fullnessOf(detector, 0)?.whenFull).toBe('refuses');
  },
);

test('a window of elements that the memory holds settles, and one that it does not hold refuses', async () => {
  const exactwindow = { algorithm: 'exactwindow', memory: '8KiB' } as const;
  const fits = await createDetector({ ...exactwindow, window: 300 });
  fits.observeBatch(allDistinct(2000));
  expect(fullnessOf(fits, 0)).toEqual({ share: 300 / Number(fits.settings.parameters.values.n), whenFull: 'forgets' });
  const tooSmall = await createDetector({ ...exactwindow, window: 10_000 });
  expect(() => tooSmall.observeBatch(allDistinct(2000))).toThrow(/full/);
  expect(fullnessOf(tooSmall, 0)).toEqual({ share: 1, whenFull: 'refuses' });
});

test('pockets with a window in time are full when the oldest leave early, and empty with time', async () => {
  const detector = await createDetector({ algorithm: 'pocketwindow', memory: '64KiB', window: '60s' });
  detector.advance(1);
  let from = 0;
  while (detector.stats().shortened === 0) {
    detector.observeBatch(allDistinct(100, from));
    from += 100;
  }
  const full = fullnessOf(detector, 1);
  expect(full?.whenFull).toBe('shortens');
  // A seventh of the entries has left.
  expect(full?.share).toBeGreaterThan(6 / 7 - 0.05);
  expect(full?.share).toBeLessThan(1.05);
  const shares = [0, 10, 30, 60, 90].map((seconds) => fullnessOf(detector, seconds * 1000)?.share as number);
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  expect(shares.at(-1)).toBe(0);
});

test('a Bloom filter is full at the capacity of its rate', async () => {
  const detector = await createDetector({ algorithm: 'bloom', memory: '8KiB', fpr: 0.01 });
  const n = Number(detector.settings.parameters.values.n);
  detector.observeBatch(allDistinct(2 * n));
  const fullness = fullnessOf(detector, 0);
  expect(fullness?.whenFull).toBe('misreports');
  expect(fullness?.share).toBeGreaterThan(1.5);
  expect(fullness?.share).toBeLessThan(2);
});
