// The fields of the time of a record: one, or several whose texts are joined by a blank.

import { keysOfTexts, type TextKeys } from './texts.js';
import type { TimeFormatName } from './timeformat.js';

/** The names of the fields, without a time key none. */
export function fieldsOfTime(timeKey: TextKeys | undefined): readonly string[] {
  return timeKey === undefined ? [] : keysOfTexts(timeKey);
}

/** The fields as states note them: one field is a text, as it was before there could be several. */
export function timeNote(timeKey: TextKeys | undefined): TextKeys | undefined {
  const [first, ...others] = fieldsOfTime(timeKey);
  return others.length === 0 ? first : timeKey;
}

/** The names of the fields in a sentence. */
export function shownFields(names: readonly string[]): string {
  return names.join(' and ');
}

/** The format of times that was asked for. A date and a time of day in two fields are never what `auto` reads in one. */
export function formatOfTimes(names: readonly string[], asked: string | undefined): string {
  const format = asked ?? ('auto' satisfies TimeFormatName);
  return names.length > 1 && format === 'auto' ? 'iso' : format;
}
