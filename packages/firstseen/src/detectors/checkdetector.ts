// What is refused where a detector is expected.

import { FirstseenError, invalidOption } from '../base/errors.js';
import { Detector } from './detector.js';

/** @throws FirstseenError E_PARAMETER unless the value is a detector. */
export function checkDetector(option: string, value: unknown): Detector {
  if (value instanceof Detector) return value;
  const remedy = 'pass what create or load resolves to';
  throw invalidOption({ option, given: value, expected: 'a detector', remedy });
}

/** Whether a value is a detector on several threads, which takes batches in turns. */
function isThreaded(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'threads' in value && 'observeBatch' in value;
}

/**
 * For what takes each key at once, as claims and streams of items do.
 * @throws FirstseenError E_PARAMETER unless the value is a detector on one thread.
 */
export function checkSoloDetector(option: string, value: unknown): Detector {
  if (!isThreaded(value)) return checkDetector(option, value);
  throw new FirstseenError('E_PARAMETER', 'a detector on threads takes batches only, and has no claims', {
    ...{ option, given: value, expected: 'a detector that create or load has made' },
    remedy: 'save it, and load the snapshot with load, which makes a detector on one thread',
  });
}
