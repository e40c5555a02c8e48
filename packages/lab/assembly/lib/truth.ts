// The truth of a stream: 0 for each new element, 1 for each duplicate, or, if gaps are requested, one more than the
// class of the duplicate's gap. Numbers are looked up in a bitmap over all numbers, or, if gaps are requested, in a
// table of last positions. Cache misses overlap as they do in detectors.

import { fingerprintAt, OBSERVED_REGISTER, register, VERDICTS_OFFSET } from '../../../firstseen/assembly/lib/memory';
import { keepTouched } from '../../../firstseen/assembly/lib/touched';

let region: u32 = 0;
export let isByGap: bool = false;

export function configureTruth(offset: u32, byGap: bool): void {
  region = offset;
  isByGap = byGap;
}

/** The truth of a duplicate with this gap: class c contains gaps above 2^(c-1), up to 2^c. */
export function duplicateByte(gap: u64): u32 {
  return isByGap ? 1 + <u32>(64 - clz(gap - 1)) : 1;
}

/** The address of the bitmap's word that contains a number's bit. */
function wordOf(number: u64): u32 {
  return region + ((<u32>(number >> 6)) << 3);
}

/** The address of a 32-bit value: one more than the last position of a number, 0 if it has not occurred. */
function lastOf(number: u64): u32 {
  return region + ((<u32>number) << 2);
}

function touchWords(start: u32, end: u32): void {
  let sum: u64 = 0;
  for (let i = start; i < end; i++) sum += load<u64>(wordOf(load<u64>(fingerprintAt(i))));
  keepTouched(sum);
}

function touchLasts(start: u32, end: u32): void {
  let sum: u64 = 0;
  for (let i = start; i < end; i++) sum += load<u32>(lastOf(load<u64>(fingerprintAt(i))));
  keepTouched(sum);
}

function tellByBits(start: u32, end: u32): void {
  touchWords(start, end);
  for (let i = start; i < end; i++) {
    const number = load<u64>(fingerprintAt(i));
    const at = wordOf(number);
    const word = load<u64>(at);
    store<u8>(VERDICTS_OFFSET + i, (word >> (number & 63)) & 1);
    store<u64>(at, word | ((<u64>1) << (number & 63)));
  }
}

function tellByLasts(start: u32, end: u32): void {
  const first = register(OBSERVED_REGISTER);
  touchLasts(start, end);
  for (let i = start; i < end; i++) {
    const at = lastOf(load<u64>(fingerprintAt(i)));
    const last = <u64>load<u32>(at);
    const position = first + i + 1;
    store<u8>(VERDICTS_OFFSET + i, last == 0 ? 0 : duplicateByte(position - last));
    store<u32>(at, <u32>position);
  }
}

/** Determines the truth of a block of numbers of the batch, and records the numbers. */
export function tellTruth(start: u32, end: u32): void {
  if (isByGap) tellByLasts(start, end);
  else tellByBits(start, end);
}
