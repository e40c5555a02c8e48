// Rules that every detector follows, whatever its algorithm.

import { describe, expect, test, vi } from 'vitest';
import { type Detector, familyOf } from '../../src/detectors/detector.js';
import { resolveSettings } from '../../src/detectors/settings.js';
import { allCases, chosenProduct, contentsOf, createDetector, partitionedCases } from '../support/cases.js';
import { sampleNote } from '../support/form.js';
import { kernelNames } from '../support/kernels.js';
import { allDistinct, fingerprintOf, recency, uniform } from '../support/streams.js';

/** Below the capacity of the smallest exact detector, so that none is full. */
const FEW = 100;

const recent = recency(FEW, 20);
const drawn = uniform(FEW, FEW);
const tested = uniform(1000, 2 * FEW);
const filling = allDistinct(3000);

/** The answer to one fingerprint. */
function observe(detector: Detector, fingerprint: bigint): number | undefined {
  return detector.observeBatch(BigUint64Array.of(fingerprint))[0];
}

describe(`every family${sampleNote}`, () => {
  const cases = chosenProduct([...allCases(), ...partitionedCases()], kernelNames);
  describe.each(cases)('$name with the $value kernel', ({ options, row, value: kernel }) => {
    test('reports any first element distinct, unless the algorithm guesses', async () => {
      if (row.guessesMisses) return;
      for (const first of [0n, 1n, fingerprintOf(3), 2n ** 64n - 1n]) {
        expect(observe(await createDetector(options, kernel), first)).toBe(0);
      }
    });

    test('recognizes an immediate repeat, unless the algorithm can forget it', async () => {
      const detector = await createDetector(options, kernel);
      const leavesRepeats = row.leavesRepeats?.(resolveSettings(options)) ?? false;
      const expectRepeats = () => {
        const missed = drawn.filter((element) => {
          const wasAdded = observe(detector, element) === 0 || !leavesRepeats;
          const repeat = observe(detector, element);
          return wasAdded && repeat !== 1;
        });
        expect([...missed]).toEqual([]);
      };
      expectRepeats();
      if (row.forgetsAtOnce?.(resolveSettings(options))) return;
      // The same for a full detector, as far as it can be filled.
      if (row.falsePositiveBound?.(resolveSettings(options), 3000) !== 0) detector.observeBatch(filling);
      expectRepeats();
    });

    test('test changes nothing', async () => {
      const detector = await createDetector(options, kernel);
      detector.observeBatch(recent);
      const before = contentsOf(detector);
      detector.testBatch(tested);
      detector.test('some key');
      expect(contentsOf(detector)).toBe(before);
    });

    test('test followed by add equals observe', async () => {
      const whole = await createDetector(options, kernel);
      const halves = await createDetector(options, kernel);
      const keys = Array.from({ length: 2 * FEW }, (_, i) => `key ${(i * i) % FEW}`);
      const verdicts = keys.map((key) => {
        const verdict = halves.test(key);
        halves.add(key);
        return verdict;
      });
      expect(keys.map((key) => whole.observe(key))).toEqual(verdicts);
      expect(contentsOf(whole)).toBe(contentsOf(halves));
    });

    test('tells what needs no pass over the memory without one', async () => {
      const detector = await createDetector(options, kernel);
      detector.observeBatch(recent);
      const { load: _load, partitions: _partitions, ...others } = detector.stats();
      const count = vi.spyOn(familyOf(detector).rule, 'load');
      expect(detector.statsWithoutLoad()).toEqual(others);
      expect(count).not.toHaveBeenCalled();
    });

    test('counts the elements observed and the duplicates reported', async () => {
      const detector = await createDetector(options, kernel);
      expect(detector.stats()).toMatchObject({ observed: 0, duplicates: 0, load: 0 });
      const verdicts = detector.observeBatch(recent);
      const duplicates = verdicts.reduce((sum, verdict) => sum + verdict, 0);
      expect(detector.stats()).toMatchObject({
        algorithm: options.algorithm,
        layout: options.layout,
        seed: '42',
        observed: FEW,
        duplicates,
        memoryBytes: options.memory,
        parameters: resolveSettings(options).parameters.values,
      });
      expect(duplicates).toBeGreaterThan(0);
      expect(detector.stats().load).toBeGreaterThan(0);
      expect(detector.stats().load).toBeLessThanOrEqual(1);
    });
  });
});
