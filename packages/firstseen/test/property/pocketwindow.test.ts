// Checks the guarantees of pocketwindow against an exact record of the stream, and its elements that find no room.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Detector, kernelOf } from '../../src/detectors/detector.js';
import { maxWindowElements } from '../../src/detectors/pocketwindow.js';
import { type DetectorOptions, resolveSettings } from '../../src/detectors/settings.js';
import { planSettings } from '../../src/plan/autosettings.js';
import { load } from '../../src/snapshot/load.js';
import { save } from '../../src/snapshot/snapshots.js';
import { PocketwindowTwin } from '../reference/pocketwindow.js';
import { numberOf } from '../reference/twin.js';
import { contentsOf, createDetector } from '../support/cases.js';
import { inLongForm } from '../support/form.js';
import { kernelNames } from '../support/kernels.js';
import { allDistinct, Random, recency } from '../support/streams.js';

const MEMORY_BYTES = 16_384;

function unstoredOf(detector: Detector): number {
  return detector.stats().unstored as number;
}

/** Repeats that a window in adds covers, and the positions of those that were reported distinct. */
function coveredRepeats(elements: BigUint64Array, verdicts: Uint8Array, window: number, refresh: boolean) {
  const last = new Map<bigint, number>();
  const broken: number[] = [];
  let covered = 0;
  let adds = 0;
  for (const [position, element] of elements.entries()) {
    const before = last.get(element);
    const isDistinct = verdicts[position] === 0;
    if (before !== undefined && adds - before <= window) {
      covered++;
      if (isDistinct) broken.push(position);
    }
    if (refresh || isDistinct) last.set(element, adds++);
  }
  return { broken, covered };
}

describe.each([false, true])('a window of elements, refresh %s', (refresh) => {
  test('no element is reported distinct within the window after its last add', async () => {
    const shapes = fc.record({
      window: fc.integer({ min: 1, max: 900 }),
      reach: fc.integer({ min: 1, max: 1500 }),
      seed: fc.nat(1000),
    });
    let repeats = 0;
    await fc.assert(
      fc.asyncProperty(shapes, async ({ window, reach, seed }) => {
        const options: DetectorOptions = { algorithm: 'pocket', refresh, window, memory: MEMORY_BYTES, seed };
        const detector = await createDetector(options);
        const elements = recency(5000, reach, seed);
        const { broken, covered } = coveredRepeats(elements, detector.observeBatch(elements), window, refresh);
        repeats += covered;
        expect(unstoredOf(detector)).toBe(0);
        expect(broken).toEqual([]);
      }),
      { numRuns: inLongForm(40, 10), seed: 5 },
    );
    expect(repeats).toBeGreaterThan(10_000);
  });

  test('an element is forgotten after seven generations', async () => {
    const detector = await createDetector({ algorithm: 'pocket', refresh, window: 60, memory: '4MiB', seed: 1 });
    detector.observeBatch(allDistinct(61));
    expect(detector.testBatch(allDistinct(1))[0]).toBe(1);
    detector.observeBatch(allDistinct(10, 61));
    expect(detector.testBatch(allDistinct(1))[0]).toBe(0);
  });
});

test.each([8, 13, 22])('the largest window keeps what it says, with %i bits of a remainder', async (r) => {
  const memory = inLongForm(2 ** 20, 2 ** 18);
  const options: DetectorOptions = { algorithm: 'pocketwindow', parameters: { r }, memory, seed: 3 };
  const detector = await createDetector(options);
  const window = numberOf(detector.settings, 'W');
  const { k } = detector.settings.parameters.values;
  expect(window).toBe(maxWindowElements({ r, k: Number(k) }, memory));
  const length = 12 * window;
  detector.observeBatch(allDistinct(length));
  // Two in a million at most, as the documentation says. With Poisson counts, 1 in 1,000 such runs has 4 above 10 / sqrt(10).
  const most = 2e-6 * length;
  expect(unstoredOf(detector)).toBeLessThanOrEqual(most + 3 * Math.sqrt(most) + 2);
});

describe('a window in time without room for all', () => {
  const options: DetectorOptions = { algorithm: 'pocket', window: '10s', memory: 4096, seed: 4 };
  const latest = (count: number, from = 20_000) => allDistinct(count, from - count);
  const foundOf = (detector: Detector, elements: BigUint64Array) =>
    detector.testBatch(elements).reduce((sum, verdict) => sum + verdict, 0);

  test('keeps what arrived last, counts what left early, and tells the same after a load', async () => {
    const detector = await createDetector(options);
    const { k, r } = detector.settings.parameters.values;
    const most = maxWindowElements({ k: Number(k), r: Number(r) }, 4096);
    detector.advance(1000);
    detector.observeBatch(allDistinct(20_000));
    // What was not stored, and up to a level, is missing of as many as the window has in elements.
    expect(foundOf(detector, latest(most))).toBeGreaterThanOrEqual(most - unstoredOf(detector) - 1);
    expect(foundOf(detector, allDistinct(20_000 - 2 * most))).toBeLessThan(5);
    const { shortened } = detector.stats();
    expect(shortened).toBeGreaterThan(10);
    const loaded = await load(await save(detector), { clock: 'manual' });
    expect(loaded.stats()).toEqual(detector.stats());
    expect(loaded.observeBatch(allDistinct(3000, 19_000))).toEqual(detector.observeBatch(allDistinct(3000, 19_000)));
  });

  test('keeps the order of arrival when generations end', async () => {
    const detector = await createDetector(options);
    detector.advance(1000);
    detector.observeBatch(allDistinct(20_000));
    const held = foundOf(detector, allDistinct(20_000));
    detector.advance(1000 + 1700);
    detector.observeBatch(allDistinct(10, 20_000));
    // One level has left, not all of the generation before.
    expect(foundOf(detector, allDistinct(20_010))).toBeGreaterThan(0.7 * held);
    detector.advance(1000 + 12_000);
    expect(foundOf(detector, allDistinct(20_000))).toBe(0);
  });

  test('sums what its partitions count', async () => {
    const detector = await createDetector({ ...options, memory: 16_384, partitions: 4 });
    detector.observeBatch(allDistinct(40_000));
    const one = await createDetector(options);
    one.observeBatch(allDistinct(10_000));
    const { shortened = 0 } = one.stats();
    expect(Math.abs((detector.stats().shortened as number) - 4 * shortened)).toBeLessThan(0.5 * shortened);
  });
});

describe.each([false, true])('many elements at few times, refresh %s', (refresh) => {
  test('nothing leaves the window early as long as the memory has room', async () => {
    let covered = 0;
    for (let seed = 1; seed <= inLongForm(6, 1); seed++) {
      const options: DetectorOptions = { algorithm: 'pocket', refresh, window: '60s', memory: 16_384, seed };
      const detector = await createDetector(options);
      const { k, r } = detector.settings.parameters.values;
      const most = maxWindowElements({ k: Number(k), r: Number(r) }, 16_384);
      const random = new Random(seed);
      const last = new Map<bigint, number>();
      /** Those that may be in the memory, the earliest first. */
      const held = new Map<bigint, number>();
      const all: bigint[] = [];
      let now = 1.7e12;
      const broken: bigint[] = [];
      const early: bigint[] = [];
      for (let burst = 0; burst < 400; burst++) {
        // Bursts of up to half of the memory, at one time, and long pauses.
        now += random.below(3) === 0 ? random.below(70_000) : random.below(9000);
        detector.advance(now);
        for (const [element, at] of held) {
          if (now - at <= 80_000) break;
          held.delete(element);
        }
        const count = Math.min(random.below(Math.floor(most / 2)), most - held.size);
        const fresh = allDistinct(count, all.length)[Symbol.iterator]();
        const elements = BigUint64Array.from({ length: count }, () => {
          const isNew = all.length === 0 || random.below(2) === 0;
          if (isNew) all.push(fresh.next().value as bigint);
          return (isNew ? all.at(-1) : all.at(-1 - random.below(Math.min(all.length, 2000)))) as bigint;
        });
        const verdicts = detector.observeBatch(elements);
        for (const [i, element] of elements.entries()) {
          const before = last.get(element);
          const isDistinct = verdicts[i] === 0;
          if (before !== undefined && now - before <= 60_000) {
            covered++;
            if (isDistinct) broken.push(element);
          }
          // A generation of ten seconds is not whole when an element is added.
          if (!isDistinct && before !== undefined && now - before > 70_000) early.push(element);
          if (!refresh && !isDistinct) continue;
          last.set(element, now);
          held.delete(element);
          held.set(element, now);
        }
      }
      expect(detector.stats().shortened).toBe(0);
      expect(unstoredOf(detector)).toBe(0);
      expect(broken).toEqual([]);
      expect(early).toEqual([]);
    }
    expect(covered).toBeGreaterThan(inLongForm(20_000, 10_000));
  });
});

test('a detector of another family has no such count', async () => {
  expect((await createDetector({ algorithm: 'pocket', memory: 4096 })).stats()).not.toHaveProperty('unstored');
});

test.each([
  [{ window: 100_000 }, 'window', /holds a window of/],
  [{ window: 60, windowSlack: 0.1 }, 'windowSlack', /at least 0\.167/],
  [{ window: 7, windowSlack: 0.2 }, 'windowSlack', /left out, because so short a window/],
  [{ window: 60, parameters: { j: 2 } }, 'parameters', /j/],
] as const)('%o is refused', (options, option, message) => {
  const resolve = () => resolveSettings({ algorithm: 'pocket', memory: MEMORY_BYTES, ...options } as DetectorOptions);
  expect(resolve).toThrow(message);
  expect(resolve).toThrow(expect.objectContaining({ option: expect.stringContaining(option) }));
});

describe.each([false, true])('a window in time, refresh %s', (refresh) => {
  const options: DetectorOptions = { algorithm: 'pocket', refresh, window: '30s', memory: 4096, seed: 9 };

  test('answers like its twin, wherever the stream is cut, also without room', async () => {
    const elements = recency(6000, 3000);
    const random = new Random(6);
    let now = 1.7e12;
    const times = Float64Array.from(elements, () => {
      now += random.below(20);
      if (random.below(500) === 0) now += random.below(40_000);
      return random.below(10) === 0 ? now - random.below(5000) : now;
    });
    const twin = new PocketwindowTwin(resolveSettings(options));
    const expected = Uint8Array.from(elements, (element, position) => {
      twin.advance(times[position] as number);
      return twin.observe(element);
    });
    expect(twin.shortened).toBeGreaterThan(3);
    const states = new Set<string>();
    for (const kernel of kernelNames) {
      for (const cuts of [[], [1, 2, 500, 501, 5100]]) {
        const detector = await createDetector(options, kernel);
        const verdicts = new Uint8Array(elements.length);
        let start = 0;
        for (const end of [...cuts, elements.length]) {
          kernelOf(detector).fingerprints.set(elements.subarray(start, end));
          kernelOf(detector).times.set(times.subarray(start, end));
          detector.observePlacedTimed(end - start);
          verdicts.set(kernelOf(detector).verdicts.subarray(0, end - start), start);
          start = end;
        }
        expect(verdicts).toEqual(expected);
        expect(detector.stats().load).toBe(twin.load());
        expect(unstoredOf(detector)).toBe(twin.unstored);
        expect(detector.stats().shortened).toBe(twin.shortened);
        states.add(contentsOf(detector));
      }
    }
    expect(states.size).toBe(1);
  });
});

describe('a window without an algorithm', () => {
  test('takes apbf, or pocketwindow where apbf cannot keep the window', () => {
    const familyOf = (window: number) => planSettings({ window, fpr: 1e-6, memory: '1MiB' }).family.name;
    expect(familyOf(50_000)).toBe('apbf');
    expect(familyOf(200_000)).toBe('pocketwindow');
    expect(() => familyOf(300_000)).toThrow(/^1MiB in pockets of 39 slots holds a window of 223,416 elements, but/);
    const classic = () => planSettings({ window: 300_000, layout: 'classic', memory: '1MiB' });
    expect(classic).toThrow(/^1MiB in the classic layout holds a window of 166,615 elements/);
  });

  test('takes pocketwindow where apbf is not as sharp', () => {
    const settings = planSettings({ window: 220_000, windowSlack: 0.2, fpr: 1e-6, memory: '1MiB' });
    expect(settings.family.name).toBe('pocketwindow');
  });
});
