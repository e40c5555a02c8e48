// Streams of new elements through families that forget. An element that is taken for a repeat may be left out of the memory, so a false
// positive must not be the cause of later ones: each tenth of a stream has the same share of them.

import { expect, test } from 'vitest';
import { Detector } from '../../src/detectors/detector.js';
import type { DetectorName } from '../../src/kernel/abi.js';
import { standardError } from '../support/rates.js';
import { randomElements } from '../support/streams.js';

const TENTHS = 10;
const TENTH_ELEMENTS = 20_000;
/** The detectors are full before this tenth. */
const FIRST_TENTH = 5;
/** A share that differs from another one by more standard errors differs by chance in 1 test of 15,000. */
const MAX_STANDARD_ERRORS = 4;

/** The share of each tenth of a stream of new elements that is taken for repeats. */
async function sharesOf(algorithm: DetectorName): Promise<number[]> {
  const detector = await Detector.create({ algorithm, memory: '32KiB', seed: 5 });
  const elements = randomElements(TENTHS * TENTH_ELEMENTS, 5);
  return Array.from({ length: TENTHS }, (_, i) => {
    const tenth = elements.subarray(i * TENTH_ELEMENTS, (i + 1) * TENTH_ELEMENTS);
    return detector.observeBatch(tenth).reduce((sum, verdict) => sum + verdict, 0) / TENTH_ELEMENTS;
  });
}

test.each(['sbf', 'buffer', 'fpbuffer', 'dsqf', 'qht', 'apbf', 'pocket'] as const)(
  '%s takes no more of the last new elements for repeats than of earlier ones',
  async (algorithm) => {
    const shares = await sharesOf(algorithm);
    const [first, last] = [shares[FIRST_TENTH] as number, shares[TENTHS - 1] as number];
    const error = Math.SQRT2 * standardError(Math.max(first, 1 / TENTH_ELEMENTS), TENTH_ELEMENTS);
    expect(last - first).toBeLessThan(MAX_STANDARD_ERRORS * error);
  },
);
