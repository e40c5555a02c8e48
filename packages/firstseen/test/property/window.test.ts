// Checks the guarantees of apbf's window against an exact record of the stream.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Detector, kernelOf } from '../../src/detectors/detector.js';
import { type DetectorOptions, resolveSettings } from '../../src/detectors/settings.js';
import { ApbfTwin } from '../reference/apbf.js';
import { numberOf } from '../reference/twin.js';
import { contentsOf, createDetector } from '../support/cases.js';
import { inLongForm } from '../support/form.js';
import { kernelNames } from '../support/kernels.js';
import { allDistinct, Random, recency } from '../support/streams.js';

const MEMORY_BYTES = 8192;

const layouts = ['classic', 'blocked'] as const;
const kinds = layouts.flatMap((layout) => [false, true].map((refresh) => ({ layout, refresh })));

/** The positions that break the guarantee, and the number of repeats that it covered. */
function brokenPromises(elements: BigUint64Array, verdicts: Uint8Array, window: number, refresh: boolean) {
  const last = new Map<bigint, number>();
  const broken: number[] = [];
  let covered = 0;
  for (const [position, element] of elements.entries()) {
    const before = last.get(element);
    const isDistinct = verdicts[position] === 0;
    if (before !== undefined && position - before <= window) {
      covered++;
      if (isDistinct) broken.push(position);
    }
    if (refresh || isDistinct) last.set(element, position);
  }
  return { broken, covered };
}

describe.each(kinds)('a window of elements, %o', ({ layout, refresh }) => {
  test('no element is reported distinct within the window after its last add', async () => {
    const shapes = fc.record({
      k: fc.integer({ min: 1, max: 8 }),
      l: fc.integer({ min: 1, max: 7 }),
      window: fc.integer({ min: 1, max: 400 }),
      reach: fc.integer({ min: 1, max: 600 }),
      seed: fc.nat(1000),
    });
    let coveredRepeats = 0;
    await fc.assert(
      fc.asyncProperty(shapes, async ({ k, l, window, reach, seed }) => {
        const parameters = { k, l, g: Math.ceil(window / l) };
        const detector = await createDetector({ layout, refresh, window, memory: MEMORY_BYTES, seed, parameters });
        const elements = recency(3000, reach, seed);
        const { broken, covered } = brokenPromises(elements, detector.observeBatch(elements), window, refresh);
        coveredRepeats += covered;
        expect(broken).toEqual([]);
      }),
      { numRuns: inLongForm(40, 10), seed: 5 },
    );
    expect(coveredRepeats).toBeGreaterThan(inLongForm(10_000, 2000));
  });

  test('an element is forgotten after its own generation and l more have ended', async () => {
    const window = 60;
    const detector = await createDetector({ layout, refresh, window, memory: '4MiB', seed: 1 });
    const g = numberOf(detector.settings, 'g');
    const [first] = allDistinct(1) as unknown as [bigint];
    detector.observeBatch(BigUint64Array.of(first));
    detector.observeBatch(allDistinct(window, 1));
    expect(detector.testBatch(BigUint64Array.of(first))[0]).toBe(1);
    detector.observeBatch(allDistinct(2 * g, 1 + window));
    expect(detector.testBatch(BigUint64Array.of(first))[0]).toBe(0);
  });
});

/** Times that usually advance a little, sometimes jump, and sometimes go back. */
function unevenTimes(length: number, step: number, seed: number): Float64Array {
  const random = new Random(seed);
  let now = 1.7e12;
  return Float64Array.from({ length }, () => {
    if (random.below(100) === 0) now += random.below(40 * step);
    now += random.below(step);
    return random.below(10) === 0 ? now - random.below(20 * step) : now;
  });
}

function observeTimed(detector: Detector, elements: BigUint64Array, times: Float64Array, cuts: readonly number[]) {
  const kernel = kernelOf(detector);
  const verdicts = new Uint8Array(elements.length);
  let start = 0;
  for (const end of [...cuts, elements.length].sort((a, b) => a - b)) {
    kernel.fingerprints.set(elements.subarray(start, end));
    kernel.times.set(times.subarray(start, end));
    detector.observePlacedTimed(end - start);
    verdicts.set(kernel.verdicts.subarray(0, end - start), start);
    start = end;
  }
  return verdicts;
}

describe.each(kinds)('a window in time, %o', ({ layout, refresh }) => {
  const windowMilliseconds = 30_000;
  const options: DetectorOptions = { layout, refresh, window: '30s', memory: MEMORY_BYTES, seed: 9 };

  test('no element is reported distinct within the window; late elements count as arriving at the latest time', async () => {
    for (const seed of [1, 2, 3]) {
      const elements = recency(4000, 60, seed);
      const times = unevenTimes(elements.length, 1000, seed);
      const verdicts = observeTimed(await createDetector(options), elements, times, []);
      const last = new Map<bigint, number>();
      let clock = 0;
      let covered = 0;
      for (const [position, element] of elements.entries()) {
        clock = Math.max(clock, times[position] as number);
        const before = last.get(element);
        if (before !== undefined && clock - before <= windowMilliseconds) {
          covered++;
          expect(verdicts[position]).toBe(1);
        }
        if (refresh || verdicts[position] === 0) last.set(element, clock);
      }
      expect(covered).toBeGreaterThan(500);
    }
  });

  test('answers like its twin, wherever the stream is cut', async () => {
    const elements = recency(1200, 80);
    const times = unevenTimes(elements.length, 1500, 4);
    const twin = new ApbfTwin(resolveSettings(options));
    const expected = Uint8Array.from(elements, (element, position) => {
      twin.advance(times[position] as number);
      return twin.observe(element);
    });
    const states = new Set<string>();
    for (const kernel of kernelNames) {
      for (const cuts of [[], [1, 2, 500, 501, 1100], [...elements.keys()]]) {
        const detector = await createDetector(options, kernel);
        expect(observeTimed(detector, elements, times, cuts)).toEqual(expected);
        expect(detector.stats().load).toBe(twin.load());
        states.add(contentsOf(detector));
      }
    }
    expect(states.size).toBe(1);
  });

  test('answers like its twin when the clock advances over an empty ring, at the limits of its parameters', async () => {
    const most = layout === 'blocked' ? 15 : 64;
    for (const k of [1, 2, most - 1]) {
      const parameters = { k, l: most - k, g: 50, t: 2, refresh: refresh ? 'yes' : 'no' };
      const shaped: DetectorOptions = { algorithm: 'apbf', layout, parameters, memory: 1024 };
      const detector = await createDetector(shaped);
      const twin = new ApbfTwin(resolveSettings(shaped));
      for (let start = 0; start < 3000; start += 300) {
        // The clock advances up to the end of the window and beyond it.
        for (const time of [start + 200, start + 203]) for (const each of [detector, twin]) each.advance(time);
        const elements = recency(300, 30, start);
        const times = Float64Array.from(elements, (_, i) => start + 203 + i / 4);
        const expected = elements.map((element, i) => {
          twin.advance(Math.floor(times[i] as number));
          return BigInt(twin.observe(element));
        });
        expect(observeTimed(detector, elements, times, [100])).toEqual(Uint8Array.from(expected, Number));
      }
      expect(detector.stats().load).toBe(twin.load());
    }
  });

  test('one time for a whole batch equals the same time for each of its elements', async () => {
    const elements = recency(900, 80);
    const times = new Float64Array(elements.length);
    const whole = await createDetector(options);
    const verdicts: number[] = [];
    for (let start = 0; start < elements.length; start += 100) {
      times.fill(1.7e12 + start * 90, start, start + 100);
      whole.advance(1.7e12 + start * 90);
      verdicts.push(...whole.observeBatch(elements.subarray(start, start + 100)));
    }
    const each = await createDetector(options);
    expect([...observeTimed(each, elements, times, [])]).toEqual(verdicts);
    expect(contentsOf(each)).toBe(contentsOf(whole));
  });
});
