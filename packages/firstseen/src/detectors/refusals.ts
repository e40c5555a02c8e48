// What a detector refuses: times that it cannot have, and elements that have no room.

import { FirstseenError, invalidOption, optionName, phrase } from '../errors.js';
import type { DetectorSettings } from './settings.js';

/** The end of the year 5138: as far as seconds and milliseconds since 1970 are told apart. */
const MOST_TIME_MILLISECONDS = 10 ** 14;

/** @throws FirstseenError E_PARAMETER when the window is not a duration, or the time is not from 0 to the year 5138. */
export function checkTime(timeMilliseconds: number, { family, parameters }: DetectorSettings): void {
  if (!parameters.isTimed) {
    throw new FirstseenError(
      'E_PARAMETER',
      `a time was given, but the window of this ${family.name} is not a duration`,
      {
        option: 'window',
        remedy: phrase`create the detector with ${optionName('window')} 1h, or another duration`,
      },
    );
  }
  if (!(typeof timeMilliseconds === 'number' && timeMilliseconds >= 0 && timeMilliseconds < MOST_TIME_MILLISECONDS)) {
    throw invalidOption({
      option: 'timeMilliseconds',
      given: timeMilliseconds,
      expected: `a number of milliseconds since 1970, 0 or more and less than ${MOST_TIME_MILLISECONDS}`,
    });
  }
}

/** @throws FirstseenError E_PARAMETER when the arrays of a batch have another type, or `verdicts` is shorter than `fingerprints`. */
export function checkBatch(fingerprints: BigUint64Array, verdicts: Uint8Array): void {
  if (!(fingerprints instanceof BigUint64Array && verdicts instanceof Uint8Array)) {
    throw new FirstseenError('E_PARAMETER', 'fingerprints or verdicts have the wrong type', {
      remedy: 'pass a BigUint64Array of fingerprints and a Uint8Array of verdicts',
    });
  }
  if (verdicts.length >= fingerprints.length) return;
  throw new FirstseenError(
    'E_PARAMETER',
    `verdicts has ${verdicts.length} bytes, but there are ${fingerprints.length} fingerprints`,
    { remedy: 'pass as many bytes as fingerprints' },
  );
}

/** The error for an element that does not fit. */
export function fullError(settings: DetectorSettings): FirstseenError {
  const problem = `${settings.family.name} is full: ${settings.memoryBytes} bytes have no room for another element`;
  return new FirstseenError('E_FULL', problem, {
    option: 'memory',
    given: settings.memoryBytes,
    remedy: phrase`give more ${optionName('memory')}, or choose an ${optionName('algorithm')} that forgets`,
  });
}
