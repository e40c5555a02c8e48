// What a detector refuses: times that it cannot have, and elements that have no room.

import { isBytes, isDetached, isWords, overlap } from '../base/bytes.js';
import { formatCounted } from '../base/count.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import type { DetectorSettings } from './settings.js';

/** The end of the year 5138. Up to then, seconds and milliseconds since 1970 can be distinguished. */
export const MAX_TIME_MILLISECONDS = 10 ** 14;

/** Tells if a value is a time from 0 to the year 5138. */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < MAX_TIME_MILLISECONDS;
}

/** @throws FirstseenError E_PARAMETER unless the value is a time from 0 to the year 5138. */
export function checkTime(option: string, given: unknown): asserts given is number {
  if (isTime(given)) return;
  const expected = `a number of milliseconds since 1970, 0 or more and less than ${MAX_TIME_MILLISECONDS}`;
  throw invalidOption({ option, given, expected });
}

/** @throws FirstseenError E_PARAMETER when the window is not a duration. */
export function checkTimed({ family, parameters }: DetectorSettings): void {
  if (parameters.isTimed) return;
  throw new FirstseenError('E_PARAMETER', `a time was given, but the window of this ${family.name} is not a duration`, {
    option: 'window',
    remedy: phrase`create the detector with ${optionName('window')} 1h, or another duration`,
  });
}

/** Returns the reason why the arrays of a batch cannot be used in memory; undefined if they can. */
function memoryProblem(fingerprints: BigUint64Array, verdicts: Uint8Array, memory: Uint8Array): string | undefined {
  if (isDetached(fingerprints) || isDetached(verdicts)) return 'the buffer of fingerprints or verdicts is detached';
  const isInside = fingerprints.buffer === memory.buffer || verdicts.buffer === memory.buffer;
  if (isInside) return 'fingerprints or verdicts are in the memory of the detector';
  return overlap(fingerprints, verdicts) ? 'fingerprints and verdicts overlap in memory' : undefined;
}

/** @throws FirstseenError E_PARAMETER for an array of another type. */
export function checkFingerprints(fingerprints: unknown): void {
  if (isWords(fingerprints)) return;
  throw new FirstseenError('E_PARAMETER', 'fingerprints have the wrong type', {
    remedy: 'pass a BigUint64Array of fingerprints',
  });
}

/**
 * The array for the verdicts of a batch: the one that was given, or a new one.
 * @param memory the memory of the detector
 * @throws FirstseenError E_PARAMETER when the arrays of a batch have another type, are detached, overlap or are in the memory of the
 * detector, or `verdicts` is shorter than `fingerprints`.
 */
export function batchVerdicts(
  fingerprints: BigUint64Array,
  target: Uint8Array | undefined,
  memory: Uint8Array,
): Uint8Array {
  checkFingerprints(fingerprints);
  const verdicts = target ?? new Uint8Array(fingerprints.length);
  if (!isBytes(verdicts)) {
    throw new FirstseenError('E_PARAMETER', 'verdicts have the wrong type', {
      remedy: 'pass a BigUint64Array of fingerprints and a Uint8Array of verdicts',
    });
  }
  refuseMemory(memoryProblem(fingerprints, verdicts, memory));
  checkVerdicts(verdicts, fingerprints.length, 'fingerprints');
  return verdicts;
}

/**
 * @param memory the memory of the detector
 * @throws FirstseenError E_PARAMETER when the verdicts of keys have another type, are detached or in the memory of the detector, or are
 * fewer than the keys.
 */
export function checkKeyVerdicts(verdicts: Uint8Array, keys: number, memory: Uint8Array): void {
  if (isBytes(verdicts)) {
    if (isDetached(verdicts)) refuseMemory('the buffer of verdicts is detached');
    if (verdicts.buffer === memory.buffer) refuseMemory('verdicts are in the memory of the detector');
  }
  checkVerdicts(verdicts, keys, 'keys');
}

function refuseMemory(problem: string | undefined): void {
  if (problem === undefined) return;
  throw new FirstseenError('E_PARAMETER', problem, { remedy: 'pass arrays with memory of their own' });
}

/** @throws FirstseenError E_PARAMETER when `verdicts` has another type, or is shorter than there are elements. */
function checkVerdicts(verdicts: Uint8Array, elements: number, what: string): void {
  if (isBytes(verdicts) && verdicts.length >= elements) return;
  const given = isBytes(verdicts) ? `has ${verdicts.length} bytes` : 'is not a Uint8Array';
  throw new FirstseenError('E_PARAMETER', `verdicts ${given}, but there are ${elements} ${what}`, {
    remedy: `pass a Uint8Array of as many bytes as ${what}`,
  });
}

/** The error for an element that does not fit. @param held keys that claims hold, for which room is kept */
export function fullError(settings: DetectorSettings, held = 0): FirstseenError {
  const besides = held > 0 ? ` besides ${formatCounted(held, 'key')} that claims hold` : '';
  const problem = `${settings.family.name} is full: ${settings.memoryBytes} bytes have no room for another element${besides}`;
  return new FirstseenError('E_FULL', problem, {
    option: 'memory',
    given: settings.memoryBytes,
    remedy: phrase`give more ${optionName('memory')}, or choose an ${optionName('algorithm')} that forgets`,
  });
}
