// Whole records without some of their fields, as they are written, in formats of fields.

import { keepScratch, scratch } from './keys';
import { SPACE } from './objects';
import { noteCut } from './records';
import { exceptCount, exceptPlaces } from './settings';

/** The record without the fields that were cut so far, and the start of what was not copied yet. */
let restStart: u32 = 0;
let restEnd: u32 = 0;
let copied: u32 = 0;
/** The number of fields that were cut. */
let cutCount: u32 = 0;

/** Must be called before the first field of a record that begins at `start`. */
export function beginRest(start: u32): void {
  restStart = scratch();
  restEnd = restStart;
  copied = start;
  cutCount = 0;
}

function copyTo(end: u32): void {
  memory.copy(restEnd, copied, end - copied);
  restEnd += end - copied;
}

/** Leaves the bytes [start, end) out of the record. */
export function cutBytes(start: u32, end: u32): void {
  copyTo(start);
  copied = end;
  noteCut();
}

/** Leaves a field in [start, end) out if its column is one that the record is without. Columns must come in ascending order. */
export function cutColumn(column: u32, start: u32, end: u32): void {
  if (cutCount == exceptCount || column != load<u32>(exceptPlaces + (cutCount << 2))) return;
  cutBytes(start, end);
  cutCount++;
}

/** Tells if all columns were cut that the record is without. */
export function isCut(): bool {
  return cutCount == exceptCount;
}

/** Leaves out the blanks before the last field that was cut. */
export function cutBlanksBefore(): void {
  while (restEnd > restStart && load<u8>(restEnd - 1) <= SPACE) restEnd--;
}

/** Ends the record at `end`; returns the address of what it has without the fields. */
export function finishRest(end: u32): u32 {
  copyTo(end);
  keepScratch(restEnd);
  return restStart;
}

/** One past what the last record has without the fields. */
export function endOfRest(): u32 {
  return restEnd;
}
