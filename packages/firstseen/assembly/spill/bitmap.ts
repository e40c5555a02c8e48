// The bitmaps of a run that spills: one bit for each key. A part of a bitmap is in memory.

import { DISTINCT, DUPLICATE, UNCHOSEN } from '../lib/classes';
import { DUPLICATES_REGISTER, OBSERVED_REGISTER, register, setRegister, VERDICTS_OFFSET } from '../lib/memory';

let windowAddress: u32 = 0;
let windowFirst: u64 = 0;
let windowNumbers: u64 = 0;

/** Says which bits of a bitmap are in memory: those of `numbers` keys from the key numbered `first` on. */
export function spillWindow(address: u32, first: f64, numbers: f64): void {
  windowAddress = address;
  windowFirst = <u64>first;
  windowNumbers = <u64>numbers;
}

/** Tells if the bit of a key is in memory. A number before the window is a large unsigned distance. */
export function isInWindow(number: u64): bool {
  return number - windowFirst < windowNumbers;
}

/** Sets the bit of a key, which is in memory. */
export function setBit(number: u64): void {
  const bit = number - windowFirst;
  const byte = windowAddress + <u32>(bit >> 3);
  store<u8>(byte, load<u8>(byte) | ((<u8>1) << (<u8>(bit & 7))));
}

function isSet(bit: u64): bool {
  return ((load<u8>(windowAddress + <u32>(bit >> 3)) >> <u8>(bit & 7)) & 1) != 0;
}

/** Writes the verdicts [from, count) of the batch. The first is that of the key numbered `number`, all in the window. */
export function spillVerdicts(from: u32, count: u32, number: f64): void {
  let bit = <u64>number - windowFirst;
  let duplicates: u64 = 0;
  for (let i = from; i < count; i++) {
    const isPassed = isSet(bit++);
    store<u8>(VERDICTS_OFFSET + i, isPassed ? DISTINCT : DUPLICATE);
    duplicates += isPassed ? 0 : 1;
  }
  setRegister(OBSERVED_REGISTER, register(OBSERVED_REGISTER) + (count - from));
  setRegister(DUPLICATES_REGISTER, register(DUPLICATES_REGISTER) + duplicates);
}

/** Makes those of these records unchosen that are distinct and have no bit. */
export function spillChoose(from: u32, count: u32, number: f64): void {
  let bit = <u64>number - windowFirst;
  for (let i = from; i < count; i++) {
    if (!isSet(bit++) && load<u8>(VERDICTS_OFFSET + i) == DISTINCT) store<u8>(VERDICTS_OFFSET + i, UNCHOSEN);
  }
}
