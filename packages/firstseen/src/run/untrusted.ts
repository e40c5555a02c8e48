// Input that strangers have written: the detector has a secret, and times in records cannot empty its window.

import { formatDuration } from '../base/duration.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { witnessWindow } from '../detectors/witness.js';
import { RANDOM_SECRET } from '../fingerprint/secret.js';
import type { PlannedOptions } from '../plan/auto.js';
import type { SharedOptions } from './options.js';
import type { TimeOptions } from './settled.js';

/** The options of a detector, which gets a random secret if the input comes from strangers and no secret was given. */
export function keyedIfUntrusted<Own extends Pick<PlannedOptions, 'secret'>>(
  own: Own,
  { isUntrusted = false, secretFile }: Pick<SharedOptions, 'isUntrusted' | 'secretFile'>,
): Own {
  if (!isUntrusted || secretFile !== undefined || own.secret !== undefined) return own;
  return { ...own, secret: RANDOM_SECRET };
}

/** @throws FirstseenError E_USAGE when strangers can write a time with which nothing of the window remains. */
export function checkUntrustedTimes({ timeKey, maxLead }: TimeOptions, { parameters }: DetectorSettings): void {
  if (timeKey === undefined || !parameters.isTimed) return;
  const windowMilliseconds = witnessWindow(parameters).size;
  if (maxLead < windowMilliseconds) return;
  const option = 'maxLead';
  const [lead, window] = [formatDuration(maxLead / 1000), formatDuration(windowMilliseconds / 1000)];
  throw new FirstseenError(
    'E_USAGE',
    phrase`${optionName('isUntrusted')} was given, but a record may be ${lead} ahead of the clock (${optionName(option)}), which empties the window of ${window}`,
    { option, given: lead, remedy: phrase`give a ${optionName(option)} far below the window` },
  );
}
