// The witness of a detector with a window counts as missed only what the window covers.

import { describe, expect, test } from 'vitest';
import { type Detector, kernelOf } from '../../src/detectors/detector.js';
import type { DetectorOptions } from '../../src/detectors/settings.js';
import { MIN_WITNESS_BYTES } from '../../src/detectors/witness.js';
import { load } from '../../src/snapshot/load.js';
import { save } from '../../src/snapshot/snapshots.js';
import { createDetector } from '../support/cases.js';
import { Random, recency } from '../support/streams.js';

const SEED = 3;
const LENGTH = 20_000;
/** Repeats come from as far back as this, which is beyond every window here. */
const REACH = 3000;
const START_MILLISECONDS = 1.7e12;
const windows: readonly (readonly [string, DetectorOptions])[] = [
  ['apbf', { algorithm: 'apbf', memory: '64KiB' }],
  ['exactwindow', { algorithm: 'exactwindow', memory: '256KiB' }],
  ['pocketwindow', { algorithm: 'pocketwindow', memory: '64KiB' }],
];
const kinds = windows.flatMap(([name, options]) =>
  [false, true].flatMap((refresh) =>
    [300, '30s'].map((window) => ({
      name: `${name}, window ${window}, refresh ${refresh}`,
      options: { ...options, window, refresh, seed: SEED },
    })),
  ),
);

/** Times that advance by 100 ms on average, and sometimes go back. */
function timesOf(length: number): Float64Array {
  const random = new Random(SEED);
  let now = START_MILLISECONDS;
  return Float64Array.from({ length }, () => {
    now += random.below(201) + 0.25;
    return random.below(10) === 0 ? now - random.below(5000) : now;
  });
}

/** Observes the elements from `from` up to `to`, each at its time if the window is a duration. */
function observe(detector: Detector, elements: BigUint64Array, from: number, to: number): Uint8Array {
  const part = elements.subarray(from, to);
  if (!detector.settings.parameters.isTimed) return detector.observeBatch(part);
  const kernel = kernelOf(detector);
  const verdicts = new Uint8Array(part.length);
  const times = timesOf(to).subarray(from);
  for (let start = 0; start < part.length; start += kernel.batchCapacity) {
    const batch = part.subarray(start, start + kernel.batchCapacity);
    kernel.fingerprints.set(batch);
    kernel.times.set(times.subarray(start, start + batch.length));
    detector.observePlacedTimed(batch.length);
    verdicts.set(kernel.verdicts.subarray(0, batch.length), start);
  }
  return verdicts;
}

/** Repeats that were reported distinct, whatever the reason. */
function passedRepeats(elements: BigUint64Array, verdicts: Uint8Array): number {
  const seen = new Set<bigint>();
  return elements.reduce((count, element, i) => {
    const isRepeat = seen.has(element);
    seen.add(element);
    return count + Number(isRepeat && verdicts[i] === 0);
  }, 0);
}

describe.each(kinds)('$name', ({ options }) => {
  const elements = recency(LENGTH, REACH, SEED);

  test.each([
    ['all elements', '4MiB'],
    ['a sample', MIN_WITNESS_BYTES],
  ])('a repeat from beyond the window is not a false negative, by %s', async (_, memory) => {
    const detector = await createDetector({ ...options, witness: { memory } });
    expect(passedRepeats(elements, observe(detector, elements, 0, LENGTH))).toBeGreaterThan(1000);
    const { witness } = detector.stats();
    expect(witness?.falseNegativeRate.estimate).toBe(0);
    expect(witness?.byGap.every(({ falseNegatives }) => falseNegatives === 0)).toBe(true);
    expect(witness?.byGap.some(({ duplicates }) => duplicates > 0)).toBe(true);
  });

  test('a window that the detector breaks is measured', async () => {
    const detector = await createDetector({ ...options, witness: true });
    observe(detector, elements, 0, 500);
    // The cells forget what they should keep, the witness does not.
    const kernel = kernelOf(detector);
    kernel.cells.fill(0);
    if (options.algorithm === 'exactwindow') kernel.registers.fill(0n, 8, 11);
    observe(detector, elements, 500, 1000);
    expect(detector.stats().witness?.falseNegativeRate.estimate).toBeGreaterThan(0.05);
  });

  test('a saved witness goes on unchanged', async () => {
    const whole = await createDetector({ ...options, witness: true });
    observe(whole, elements, 0, 6000);
    const part = await createDetector({ ...options, witness: true });
    observe(part, elements, 0, 2500);
    const loaded = await load(await save(part), { clock: 'manual' });
    observe(loaded, elements, 2500, 6000);
    expect(loaded.stats()).toEqual(whole.stats());
  });
});
