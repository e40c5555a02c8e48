// Cells beyond 2^32 bits: an address that overflows 32 bits would leave parts of the memory unused.

import { expect, test } from 'vitest';
import { kernelOf } from '../../src/detectors/detector.js';
import type { DetectorOptions } from '../../src/detectors/settings.js';
import { createDetector } from '../support/cases.js';
import { sampleNote, sampleOf } from '../support/form.js';
import { uniform } from '../support/streams.js';

const QUARTERS = 4;
const ELEMENTS = 100_000;

/** Number of ones in each quarter of the bytes. The number of bytes is a multiple of 16. */
function onesByQuarter(bytes: Uint8Array): number[] {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const size = words.length / QUARTERS;
  return Array.from({ length: QUARTERS }, (_, quarter) =>
    countOnes(words.subarray(quarter * size, (quarter + 1) * size)),
  );
}

function countOnes(words: Uint32Array): number {
  let ones = 0;
  for (let i = 0; i < words.length; i++) {
    for (let word = words[i] as number; word !== 0; word &= word - 1) ones++;
  }
  return ones;
}

const rows: { options: DetectorOptions; bitsEach: number }[] = [
  { options: { algorithm: 'bloom', parameters: { k: 1 } }, bitsEach: 1 },
  { options: { algorithm: 'bsbf', parameters: { k: 1 } }, bitsEach: 1 },
  { options: { algorithm: 'rlbsbf', parameters: { k: 2 } }, bitsEach: 2 },
  { options: { algorithm: 'rsbf', parameters: { k: 2 } }, bitsEach: 2 },
  { options: { algorithm: 'sbf', parameters: { Max: 1, K: 1, P: 4 } }, bitsEach: 1 },
  { options: { algorithm: 'sqf', parameters: { quotient: 'modulo' } }, bitsEach: 1 },
  // A slot of two bits holds 1, 2 or 3.
  { options: { algorithm: 'qht', parameters: { s: 2, k: 1 } }, bitsEach: 4 / 3 },
];

test.each(sampleOf(rows, 1))(
  `$options.algorithm with $bitsEach bits per element uses all of 768 MiB${sampleNote}`,
  async ({ options, bitsEach }) => {
    const detector = await createDetector({ ...options, layout: 'classic', memory: '768MiB' });
    detector.observeBatch(uniform(ELEMENTS, 2 ** 32));
    const expected = (ELEMENTS * bitsEach) / QUARTERS;
    for (const ones of onesByQuarter(kernelOf(detector).cells)) {
      expect(Math.abs(ones - expected)).toBeLessThan(5 * Math.sqrt(expected));
    }
  },
);
