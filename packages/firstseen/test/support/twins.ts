// A detector compared with its twin.

import { expect } from 'vitest';
import { resolveSettings } from '../../src/detectors/settings.js';
import type { Twin } from '../reference/twin.js';
import { type Answers, answersOf, type Case, createDetector } from './cases.js';
import { kernelNames } from './kernels.js';

/** A twin's answers until it is full and refuses an element. */
function twinAnswers(twin: Twin, elements: BigUint64Array): Answers {
  const verdicts: number[] = [];
  for (const element of elements) {
    try {
      verdicts.push(twin.observe(element));
    } catch {
      return { verdicts: Uint8Array.from(verdicts), isRefused: true };
    }
  }
  return { verdicts: Uint8Array.from(verdicts), isRefused: false };
}

/** Compares both builds of the kernel with the twin of a case. */
export async function expectTwinAnswers({ options, row }: Case, elements: BigUint64Array): Promise<void> {
  const twin = row.create(resolveSettings(options));
  const expected = twinAnswers(twin, elements);
  for (const kernel of kernelNames) {
    const detector = await createDetector(options, kernel);
    expect(answersOf(detector, elements)).toEqual(expected);
    expect(detector.stats().load).toBeCloseTo(twin.load(), 12);
  }
}
