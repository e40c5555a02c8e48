// Stores the span of the value that ranks a record, in place of a time. An empty span is a missing value.

import { KEYED, RANK_TOO_LONG, TIME_UNREADABLE } from '../lib/classes';
import { TIMES_OFFSET } from '../lib/memory';
import { endOfRest, finishRest } from './except';
import { missingClass, setPart, storeParts, storeText, storeWhole } from './keys';
import { recordCount } from './records';
import { hasRank, hasTime, keyCount, PARTS_OFFSET } from './settings';
import { storeTimePart } from './times';

/** Longer values are refused, because an entry on disk has to fit in the smallest buffer. */
export const SCAN_MAX_RANK_BYTES: u32 = 4096;

/** Stores the span [start, end) as that of the current record's value; returns the record's class. */
export function storeRank(start: u32, end: u32): u32 {
  if (end - start > SCAN_MAX_RANK_BYTES) return RANK_TOO_LONG;
  store<u32>(TIMES_OFFSET + (recordCount << 3), start);
  store<u32>(TIMES_OFFSET + (recordCount << 3), end, 4);
  return KEYED;
}

/** Stores what the last part of the current record is, after its key; returns the record's class. */
export function storeLastPart(): u32 {
  if (hasTime) return storeTimePart();
  if (!hasRank) return KEYED;
  const part = PARTS_OFFSET + (keyCount << 3);
  return storeRank(load<u32>(part), load<u32>(part, 4));
}

/** Stores the fingerprint of a row's key, and its time or rank; returns the row's class. */
export function storeRow(start: u32, end: u32): u32 {
  const recordClass = keyCount == 0 ? storeWhole(start, end) : storeParts();
  return recordClass == KEYED ? storeLastPart() : recordClass;
}

/** As `storeRow`, for a row whose fields were cut. @param end one past the row's content */
export function storeRest(end: u32): u32 {
  const recordClass = storeText(finishRest(end), endOfRest());
  return recordClass == KEYED ? storeLastPart() : recordClass;
}

/** Tells if a row that has only the first `found` of the wanted columns lacks no more than its rank, which is then empty. */
export function lacksRankOnly(found: u32): bool {
  if (!hasRank || missingClass(found) != TIME_UNREADABLE) return false;
  setPart(keyCount, 0, 0);
  return true;
}
