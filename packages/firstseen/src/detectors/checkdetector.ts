// What is refused where a detector is expected.

import { FirstseenError, invalidOption } from '../base/errors.js';
import { Detector, familyOf, isDetector } from './detector.js';

/** @throws FirstseenError E_PARAMETER unless the value is a detector. */
export function checkDetector(option: string, value: unknown): Detector {
  if (typeof value === 'object' && value !== null) {
    if (isDetector(value)) return value;
    refuseOther(option, value);
  }
  const remedy = 'pass what create or load resolves to';
  throw invalidOption({ option, given: value, expected: 'a detector', remedy });
}

/**
 * Refuses a value that is like a detector, but of which nothing can be read.
 * @throws FirstseenError E_PARAMETER for a proxy of a detector, and for a detector of another copy of the library.
 */
export function refuseOther(option: string, value: object): void {
  const expected = 'a detector of this copy of firstseen';
  if (value instanceof Detector) {
    const remedy = 'pass the detector itself, and keep it out of what makes proxies, such as a reactive state';
    throw invalidOption({ option, given: value, givenText: 'a proxy of a detector', expected, remedy });
  }
  const hasMethods = ['observe', 'observeBatch', 'testBatch', 'fingerprint'].every((name) => name in value);
  if (!hasMethods) return;
  const remedy =
    'use one copy: npm ls firstseen lists all copies, npm dedupe unites those whose versions allow it; to go on without, save the detector with its own copy and load the snapshot with this one';
  throw invalidOption({ option, given: value, givenText: 'a detector of another copy of firstseen', expected, remedy });
}

/** Tells if a value is a detector on several threads, which takes batches in turns. */
function isThreaded(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'threads' in value && 'observeBatch' in value;
}

/**
 * Checks the detector of a part that takes each key at once, as claims and streams of items do.
 * @throws FirstseenError E_PARAMETER unless the value is a detector on one thread.
 */
export function checkSoloDetector(option: string, value: unknown): Detector {
  if (!isThreaded(value)) return checkDetector(option, value);
  throw new FirstseenError('E_PARAMETER', 'a detector on threads takes batches only, and has no claims', {
    ...{ option, given: value, expected: 'a detector that create or load has made' },
    remedy: 'save it, and load the snapshot with load, which makes a detector on one thread',
  });
}

/** @throws FirstseenError E_CLOSED for a detector that was closed, or that its pool has evicted or deleted. */
export function checkOpen(detector: Detector): void {
  familyOf(detector);
}
