// Elements in arrays that need no check, because the program that calls has made them, as a server does.

import { type Answers, answerChecked, type PlacedElements } from './batches.js';
import { type Detector, familyOf, observingOf, testingOf } from './detector.js';
import { answerCheckedSpans } from './keyhasher.js';
import type { CheckedAnswers, GivenSpans } from './spans.js';

/** As `Detector.observeSpans`. @returns how many keys were answered, and why no more */
export function observeCheckedSpans(detector: Detector, spans: GivenSpans, answers: CheckedAnswers): PlacedElements {
  return answerCheckedSpans(observingOf(detector), familyOf(detector).hasher, spans, answers);
}

/** As `Detector.testSpans`. @returns how many keys were answered, and why no more */
export function testCheckedSpans(detector: Detector, spans: GivenSpans, answers: CheckedAnswers): PlacedElements {
  return answerCheckedSpans(testingOf(detector), familyOf(detector).hasher, spans, answers);
}

/** Writes the fingerprints of keys. @returns how many keys have one, and why no more */
export function hashCheckedSpans(detector: Detector, spans: GivenSpans, fingerprints: BigUint64Array): PlacedElements {
  const { kernel, hasher } = familyOf(detector);
  for (let start = 0; start < spans.count; ) {
    const { count, error } = hasher.hashSpans(spans, start);
    fingerprints.set(kernel.fingerprints.subarray(0, count), start);
    start += count;
    if (error !== undefined) return { count: start, error };
  }
  return { count: spans.count };
}

/** As `Detector.observeBatch`, for the first fingerprints of an array. @returns how many were answered, and why no more */
export function observeChecked(detector: Detector, fingerprints: BigUint64Array, answers: Answers): PlacedElements {
  return answerChecked(observingOf(detector), fingerprints, answers);
}
