// An exact window against its twin where the contract suite does not lead: windows in time, memory that becomes full and free again,
// and snapshots in the middle.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kernelOf } from '../../src/detectors/detector.js';
import { type DetectorOptions, resolveSettings } from '../../src/detectors/settings.js';
import { load } from '../../src/snapshot/load.js';
import { save } from '../../src/snapshot/snapshots.js';
import { ExactwindowTwin } from '../reference/exactwindow.js';
import { createDetector } from '../support/cases.js';
import { inLongForm } from '../support/form.js';
import { kernelNames } from '../support/kernels.js';
import { allDistinct, Random } from '../support/streams.js';

const MEMORY_BYTES = 1500;

interface Step {
  element: bigint;
  time: number;
}

/** Repeats of recent elements, at times that pass unevenly and sometimes go back. */
function stepsOf({
  length,
  reach,
  pause,
  seed,
}: {
  length: number;
  reach: number;
  pause: number;
  seed: number;
}): Step[] {
  const random = new Random(seed);
  const ids = allDistinct(length);
  let now = 1.7e12;
  return Array.from(ids, (id, i) => {
    now += random.below(pause) * (random.below(50) === 0 ? 40 : 1);
    const isRepeat = i > 0 && random.below(3) > 0;
    const element = isRepeat ? (ids[Math.max(0, i - 1 - random.below(reach))] as bigint) : id;
    return { element, time: random.below(10) === 0 ? now - random.below(pause) : now };
  });
}

/** Answers one by one; 2 for a refusal. */
function twinAnswers(options: DetectorOptions, steps: readonly Step[]): { answers: number[]; load: number } {
  const settings = resolveSettings(options);
  const twin = new ExactwindowTwin(settings);
  const answers = steps.map(({ element, time }) => {
    if (settings.parameters.isTimed) twin.advance(time);
    try {
      return twin.observe(element);
    } catch {
      return 2;
    }
  });
  return { answers, load: twin.load() };
}

const shapes = fc.record({
  reach: fc.integer({ min: 1, max: 80 }),
  window: fc.integer({ min: 1, max: 120 }),
  isTimed: fc.boolean(),
  refresh: fc.boolean(),
  savedAt: fc.integer({ min: 0, max: 1500 }),
  seed: fc.nat(1000),
});

describe.each(kernelNames)('the %s kernel', (kernel) => {
  test('answers, refuses and goes on from a snapshot like its twin', async () => {
    let refusals = 0;
    let repeats = 0;
    await fc.assert(
      fc.asyncProperty(shapes, async ({ reach, window, isTimed, refresh, savedAt, seed }) => {
        const options = {
          algorithm: 'exact' as const,
          memory: MEMORY_BYTES,
          seed,
          refresh,
          window: isTimed ? `${5 * window}ms` : window,
        };
        const steps = stepsOf({ length: 1500, reach, pause: 10, seed });
        const expected = twinAnswers(options, steps);
        let detector = await createDetector(options, kernel);
        const answers: number[] = [];
        for (const [i, { element, time }] of steps.entries()) {
          if (i === savedAt && kernel === 'release') detector = await load(await save(detector), { clock: 'manual' });
          if (isTimed) detector.advance(time);
          try {
            answers.push(detector.observeBatch(BigUint64Array.of(element))[0] as number);
          } catch (error) {
            expect(error).toMatchObject({ code: 'E_FULL' });
            answers.push(2);
          }
        }
        expect(answers).toEqual(expected.answers);
        expect(detector.stats().load).toBe(expected.load);
        refusals += answers.filter((answer) => answer === 2).length;
        repeats += answers.filter((answer) => answer === 1).length;
      }),
      { numRuns: inLongForm(40, 10), seed: 29 },
    );
    expect(refusals).toBeGreaterThan(1000);
    expect(repeats).toBeGreaterThan(inLongForm(10_000, 2500));
  });

  test('takes the times of a batch one by one', async () => {
    for (const refresh of [false, true]) {
      const options = { algorithm: 'exact' as const, memory: '64KiB', refresh, window: '300ms' };
      const steps = stepsOf({ length: 5000, reach: 60, pause: 10, seed: 3 });
      const detector = await createDetector(options, kernel);
      const { fingerprints, times, verdicts } = kernelOf(detector);
      const answers: number[] = [];
      for (let start = 0; start < steps.length; start += 700) {
        const batch = steps.slice(start, start + 700);
        fingerprints.set(batch.map(({ element }) => element));
        times.set(batch.map(({ time }) => time));
        detector.observePlacedTimed(batch.length);
        answers.push(...verdicts.subarray(0, batch.length));
      }
      expect(answers).toEqual(twinAnswers(options, steps).answers);
    }
  });
});

test('a full window refuses an element with a time as it refuses one without', async () => {
  const detector = await createDetector({ algorithm: 'exact', memory: MEMORY_BYTES, window: '1h' });
  const capacity = Number(detector.settings.parameters.values.n);
  const { fingerprints, times } = kernelOf(detector);
  fingerprints.set(allDistinct(capacity + 5));
  times.fill(1.7e12, 0, capacity + 5);
  expect(() => detector.observePlacedTimed(capacity + 5)).toThrow(expect.objectContaining({ code: 'E_FULL' }));
  expect(detector.observed).toBe(capacity);
});

test('every repeat in the window is found, and none beyond it', async () => {
  const detector = await createDetector({ algorithm: 'exact', memory: '64KiB', window: 1000 });
  const elements = allDistinct(1002);
  detector.observeBatch(elements.subarray(0, 1000));
  expect(detector.observe('none of them')).toBe('distinct');
  const [first, second] = elements as unknown as [bigint, bigint];
  expect([...detector.testBatch(BigUint64Array.of(first, second))]).toEqual([0, 1]);
});
