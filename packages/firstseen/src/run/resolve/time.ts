// Settles the options of times: where the times of records are, and the clock of a window.

import { formatDuration } from '../../base/duration.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { unfitOption } from '../../base/unfitoption.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { witnessWindow } from '../../detectors/witness.js';
import type { Timing } from '../../framing/batch.js';
import { fieldPlace, withoutFields } from '../../records/fieldplace.js';
import type { FormatName } from '../../records/formats.js';
import type { ScanSettings } from '../../records/settings.js';
import { timeProgram } from '../../records/timeformat.js';
import { fieldsOfTime, formatOfTimes } from '../../records/timekeys.js';
import type { ResolvedClock } from '../resolved.js';
import type { SettledOptions, TimeOptions } from '../settled.js';

const TIME_KEY = optionName('timeKey');

/** @throws FirstseenError E_USAGE for setting back the clock of a window without one. */
function checkClockReset({ isClockReset }: TimeOptions, { parameters }: DetectorSettings): void {
  if (!isClockReset || parameters.isTimed) return;
  const reset = optionName('isClockReset');
  throw new FirstseenError('E_USAGE', phrase`${reset} has no effect, because the window is not a duration`, {
    option: 'isClockReset',
    remedy: phrase`leave it out, or give a ${optionName('window')} such as 1h`,
  });
}

/** @throws FirstseenError E_USAGE when strangers can write a time with which nothing of the window remains. */
function checkUntrustedTimes({ timeKey, maxLead }: TimeOptions, { parameters }: DetectorSettings): void {
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

/** The source of times. @throws FirstseenError E_USAGE when there is a time key but the window is not a duration. */
function timingOf({ timeKey, now = Date.now, maxLead }: TimeOptions, settings: DetectorSettings): Timing {
  const { isTimed } = settings.parameters;
  if (timeKey === undefined) return isTimed ? now : 'none';
  if (isTimed) return { latest: () => now() + maxLead };
  const remedy = phrase`give a ${optionName('window')} such as 1h, or leave ${TIME_KEY} out`;
  throw unfitOption('timeKey', 'the window is not a duration', { given: timeKey, remedy });
}

/** The time of a window. @throws FirstseenError E_USAGE for options of times that do not fit it. */
export function clockOf({ time, detector }: SettledOptions, settings: DetectorSettings): ResolvedClock {
  checkClockReset(time, settings);
  if (detector.isUntrusted) checkUntrustedTimes(time, settings);
  return { ...time, maxLeadMilliseconds: time.maxLead, timing: timingOf(time, settings) };
}

/** @throws FirstseenError E_USAGE for an option about times that is given without the key of the time. */
function checkTimeKey(option: string, given: string | undefined): void {
  if (given === undefined) return;
  throw new FirstseenError('E_USAGE', phrase`${optionName(option)} was given without ${TIME_KEY}`, {
    ...{ option, given },
    remedy: phrase`give ${TIME_KEY}, or leave ${optionName(option)} out`,
  });
}

/** Returns the scanner's settings for the time of a record. */
export function timeSettings(
  { timeKey, timeFormat, timeZone, timeUntil }: TimeOptions,
  format: FormatName,
): Pick<ScanSettings, 'times' | 'timeProgram'> {
  if (timeKey === undefined) {
    for (const [option, value] of Object.entries({ timeFormat, timeZone, timeUntil })) checkTimeKey(option, value);
    return {};
  }
  const fields = fieldsOfTime(timeKey);
  const program = timeProgram(formatOfTimes(fields, timeFormat), { zone: timeZone, until: timeUntil });
  const times = fields.map((field) => {
    const place = fieldPlace(format, field, 'timeKey');
    if (place !== undefined) return place;
    throw withoutFields('timeKey', field, `records of format ${format}`);
  });
  return { times, timeProgram: program };
}
