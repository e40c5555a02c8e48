import { describe, expect, test } from 'vitest';
import { kernelOf } from '../../../src/detectors/detector.js';
import { createDetector } from '../../support/cases.js';
import { uniform } from '../../support/streams.js';

/** The first register of the family's own: the number of ones in filter 0. */
const FIRST_COUNT_REGISTER = 8;

function countOnes(words: BigUint64Array): number {
  return words.reduce((sum, word) => sum + word.toString(2).replaceAll('0', '').length, 0);
}

describe.each(['rlbsbf', 'rsbf', 'bsbf', 'bsbfsd'] as const)('%s', (algorithm) => {
  test.each([1, 2, 3, 64])('keeps the true number of ones of each of %i filters, in the classic layout', async (k) => {
    const memory = 5003;
    const detector = await createDetector({ algorithm, layout: 'classic', memory, parameters: { k } });
    const kernel = kernelOf(detector);
    const wordsPerFilter = Math.floor(kernel.cellsBytes / 8 / k);
    for (let part = 0; part < 3; part++) {
      detector.observeBatch(uniform(10_000, 30_000, part));
      const cells = new BigUint64Array(kernel.bytes.buffer, kernel.cellsOffset, kernel.cellsBytes / 8);
      const counted = Array.from({ length: k }, (_, i) =>
        countOnes(cells.subarray(i * wordsPerFilter, (i + 1) * wordsPerFilter)),
      );
      expect([...kernel.registers.subarray(FIRST_COUNT_REGISTER, FIRST_COUNT_REGISTER + k)].map(Number)).toEqual(
        counted,
      );
      const ones = counted.reduce((sum, count) => sum + count, 0);
      expect(detector.stats().load).toBeCloseTo(ones / (k * wordsPerFilter * 64), 12);
    }
  });
});
