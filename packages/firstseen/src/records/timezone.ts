// Time zones as tables: which offset from UTC a local time has.

import { lastWhole } from '../base/bisection.js';
import { invalidOption } from '../base/errors.js';

/** A zone's offset, and the local time from which it holds, both in seconds. */
export interface ZonePart {
  fromLocalSeconds: number;
  offsetSeconds: number;
}

const FIXED_OFFSET = /^([+-])(\d{2}):?(\d{2})$/;
/** No zone changes its offset twice in fewer days. */
const STEP_SECONDS = 14 * 86400;
/** 2100-01-01. Later times have the last offset before it. */
const TABLE_END_SECONDS = 4_102_444_800;

function formatterOf(zone: string): Intl.DateTimeFormat {
  const numeric = 'numeric';
  try {
    return new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', year: numeric, month: numeric, day: numeric },
      ...{ hour: numeric, minute: numeric, second: numeric },
    });
  } catch {
    const expected = 'an offset such as +02:00, or the name of a time zone such as Europe/Berlin or UTC';
    throw invalidOption({ code: 'E_USAGE', option: 'timeZone', given: zone, expected });
  }
}

function offsetAt(formatter: Intl.DateTimeFormat, seconds: number): number {
  const parts = formatter.formatToParts(seconds * 1000).map(({ type, value }) => [type, Number(value)]);
  const { year, month, day, hour, minute, second } = Object.fromEntries(parts) as Record<string, number>;
  const local = Date.UTC(year as number, (month as number) - 1, day, hour, minute, second);
  return local / 1000 - seconds;
}

/** The second at which the offset changes, between one with the offset `before` and a later one with another. */
function changeBetween(formatter: Intl.DateTimeFormat, from: number, to: number, before: number): number {
  return lastWhole([from, to], (second) => offsetAt(formatter, second) === before) + 1;
}

/**
 * The parts of a zone from 1970 to 2100, in ascending order; the first also holds before it begins. A local time that occurs twice
 * is the earlier one, and one that is skipped is read with the offset before it, as in the proposal Temporal.
 * @param zone an offset such as +02:00, or a name such as Europe/Berlin
 * @throws FirstseenError E_USAGE for anything else.
 */
export function zoneParts(zone: string): ZonePart[] {
  const [, sign, hours, minutes] = FIXED_OFFSET.exec(zone) ?? [];
  if (sign !== undefined && Number(hours) < 24 && Number(minutes) < 60) {
    const offsetSeconds = Number(hours) * 3600 + Number(minutes) * 60;
    return [{ fromLocalSeconds: 0, offsetSeconds: sign === '-' ? -offsetSeconds : offsetSeconds }];
  }
  const formatter = formatterOf(zone);
  let offsetBefore = offsetAt(formatter, 0);
  const parts: ZonePart[] = [{ fromLocalSeconds: 0, offsetSeconds: offsetBefore }];
  for (let at = 0; at < TABLE_END_SECONDS; at += STEP_SECONDS) {
    const offset = offsetAt(formatter, at + STEP_SECONDS);
    if (offset === offsetBefore) continue;
    const change = changeBetween(formatter, at, at + STEP_SECONDS, offsetBefore);
    parts.push({ fromLocalSeconds: change + Math.max(offsetBefore, offset), offsetSeconds: offset });
    offsetBefore = offset;
  }
  return parts;
}
