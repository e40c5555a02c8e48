import { describe, expect, test } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { exactCapacity } from '../../../src/detectors/exact.js';
import { createDetector } from '../../support/cases.js';
import { kernelNames } from '../../support/kernels.js';
import { allDistinct, exactVerdicts, fingerprintOf, uniform } from '../../support/streams.js';

/** Sizes whose tables start with 128 to 1023 slots and double zero to four times, including odd numbers of slots. */
const memories = [1024, 5000, 8191, 8192, 10_007, 65_536, 100_003];

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the capacity', () => {
  test('is seven eighths of the slots, less one', () => {
    expect(exactCapacity(1024)).toBe(111);
    expect(exactCapacity(8192)).toBe(1024 - 128 - 1);
    // 1250 slots: two halves of 625.
    expect(exactCapacity(10_007)).toBe(1250 - 156 - 1);
    expect(exactCapacity(2 ** 32 - 8)).toBeGreaterThan(2 ** 28);
  });
});

describe.each(kernelNames)('with the %s kernel', (kernel) => {
  describe.each(memories)('a set in %i bytes', (memory) => {
    const capacity = exactCapacity(memory);

    test('holds exactly as many elements as its capacity, and refuses the next', async () => {
      const detector = await createDetector({ algorithm: 'exact', memory }, kernel);
      expect(detector.settings.parameters.values.n).toBe(capacity);
      const elements = allDistinct(capacity);
      expect(detector.observeBatch(elements).every((verdict) => verdict === 0)).toBe(true);
      expect(detector.observeBatch(elements).every((verdict) => verdict === 1)).toBe(true);
      const error = thrownBy(() => detector.observeBatch(allDistinct(1, capacity)));
      expect(error).toBeInstanceOf(FirstseenError);
      expect(error).toMatchObject({ code: 'E_FULL', message: expect.stringContaining(`${memory} bytes`) });
    });

    test('answers like a set while it grows', async () => {
      const detector = await createDetector({ algorithm: 'exact', memory }, kernel);
      const elements = uniform(3 * capacity, capacity);
      expect(detector.observeBatch(elements)).toEqual(exactVerdicts(elements));
    });

    test('answers for duplicates when full, up to the element that it refuses', async () => {
      const detector = await createDetector({ algorithm: 'exact', memory }, kernel);
      detector.observeBatch(allDistinct(capacity));
      const before = detector.stats();
      const [known, fresh] = [fingerprintOf(capacity >> 1), fingerprintOf(capacity + 1)];
      const verdicts = new Uint8Array(4).fill(9);
      const error = thrownBy(() => detector.observeBatch(BigUint64Array.of(known, known, fresh, known), verdicts));
      expect(error).toMatchObject({ code: 'E_FULL' });
      expect([...verdicts]).toEqual([1, 1, 9, 9]);
      expect(detector.stats()).toMatchObject({
        observed: before.observed + 2,
        duplicates: before.duplicates + 2,
        load: before.load,
      });
      expect([...detector.testBatch(BigUint64Array.of(known, fresh))]).toEqual([1, 0]);
    });
  });

  test('fingerprint 0, which marks an empty slot, is an ordinary element', async () => {
    const detector = await createDetector({ algorithm: 'exact', memory: 1024 }, kernel);
    expect([...detector.testBatch(BigUint64Array.of(0n))]).toEqual([0]);
    expect([...detector.observeBatch(BigUint64Array.of(0n, 5n, 0n, 5n))]).toEqual([0, 0, 1, 1]);
    expect([...detector.testBatch(BigUint64Array.of(0n))]).toEqual([1]);
  });

  test('load is the fraction of slots in use', async () => {
    const detector = await createDetector({ algorithm: 'exact', memory: 8192 }, kernel);
    detector.observeBatch(allDistinct(256));
    expect(detector.stats().load).toBe(0.25);
  });
});
