// Elements of a program as batches of the kernel, and their verdicts.

import { copyPart } from '../base/bytes.js';
import type { FirstseenError } from '../base/errors.js';
import type { Kernel } from '../kernel/kernel.js';
import { batchVerdicts } from './refusals.js';

/** The elements of a batch, and why there are no more of them, if that is an error. */
export interface PlacedElements {
  count: number;
  error?: unknown;
}

/** The function that answers a batch of the kernel, and its errors. */
export interface Answering {
  kernel: Kernel;
  /** Writes the kernel's verdicts on its batch of this number of elements; returns how many were answered. */
  answer: (count: number) => number;
  /** Returns the reason why an element was not answered. */
  refusal: () => FirstseenError;
}

/** Places elements, from an index on, as the batch of the kernel: one at least, unless it is refused. */
type Place = (start: number) => PlacedElements;

/** The memory for the answers to elements. */
export interface Answers {
  verdicts: Uint8Array;
  /** Gets the fingerprints of the elements that were answered. */
  fingerprints?: BigUint64Array | undefined;
  /** The number of elements. */
  elements: number;
}

/** Answers elements in batches, up to the first that is refused. @returns how many were answered, and why no more */
export function answerUpTo(
  { kernel, answer, refusal }: Answering,
  place: Place,
  { verdicts, fingerprints, elements }: Answers,
): PlacedElements {
  for (let start = 0; start < elements; ) {
    const { count, error } = place(start);
    const answerCount = answer(count);
    copyPart(kernel.verdicts, 0, answerCount, verdicts, start);
    fingerprints?.set(kernel.fingerprints.subarray(0, answerCount), start);
    start += answerCount;
    if (answerCount < count) return { count: start, error: refusal() };
    if (error !== undefined) return { count: start, error };
  }
  return { count: elements };
}

/** Answers elements in batches; the elements before one that is refused are answered. */
export function answerBatches(answering: Answering, place: Place, answers: Answers): Uint8Array {
  const { error } = answerUpTo(answering, place, answers);
  if (error !== undefined) throw error;
  return answers.verdicts;
}

/** Answers the first fingerprints of an array that needs no check. @returns how many were answered, and why no more */
export function answerChecked(answering: Answering, fingerprints: BigUint64Array, answers: Answers): PlacedElements {
  const { kernel } = answering;
  const place = (start: number) => {
    const batch = fingerprints.subarray(start, Math.min(answers.elements, start + kernel.batchCapacity));
    kernel.fingerprints.set(batch);
    return { count: batch.length };
  };
  return answerUpTo(answering, place, answers);
}

/** Answers fingerprints. @throws FirstseenError E_PARAMETER when the arrays have another type, or `verdicts` is shorter. */
export function answerFingerprints(answering: Answering, fingerprints: BigUint64Array, given?: Uint8Array): Uint8Array {
  const verdicts = batchVerdicts(fingerprints, given, answering.kernel.bytes);
  const { error } = answerChecked(answering, fingerprints, { verdicts, elements: fingerprints.length });
  if (error !== undefined) throw error;
  return verdicts;
}
