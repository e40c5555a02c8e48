// Elements that the host writes to the batch, such as those of a file: numbers, or hashes of lines. The truth is an
// exact set of them, with linear probing in a table that the host has made large enough.

import { LOCATION_BYTES, listLocation, locationWord } from '../../../firstseen/assembly/lib/batch';
import {
  fingerprintAt,
  OBSERVED_REGISTER,
  parameter,
  register,
  VERDICTS_OFFSET,
  WORKSPACE_OFFSET,
} from '../../../firstseen/assembly/lib/memory';
import { mix64 } from '../../../firstseen/assembly/lib/random';
import {
  BLOCK,
  below,
  configureStream,
  finishBatch,
  identify,
  STREAM_KIND_PARAMETER,
  tables,
  touchListed,
} from '../lib/stream';
import { duplicateByte } from '../lib/truth';

/** Slots of the parameters. */
export const GIVEN_SLOTS_PARAMETER: u32 = STREAM_KIND_PARAMETER;

/** An entry: the number, and one more than its last position. The latter is 0 in an empty entry. */
export const GIVEN_ENTRY_BYTES: u32 = 16;
const LAST: u32 = 8;

let slots: u64 = 0;

export function givenConfigure(): void {
  configureStream();
  slots = <u64>parameter(GIVEN_SLOTS_PARAMETER);
}

/** Lists and touches, for each element, the entry where its search begins. */
function prepare(start: u32, end: u32): void {
  let at: u32 = WORKSPACE_OFFSET;
  for (let i = start; i < end; i++) {
    const home = <u32>below(mix64(load<u64>(fingerprintAt(i))), slots);
    at = listLocation(at, tables + home * GIVEN_ENTRY_BYTES, home);
  }
  touchListed(at);
}

/** The first entry from `home` on that holds the number or is empty. */
function findEntry(home: u32, number: u64): u32 {
  const end = tables + <u32>slots * GIVEN_ENTRY_BYTES;
  let entry = home;
  while (load<u64>(entry, LAST) != 0 && load<u64>(entry) != number) {
    entry += GIVEN_ENTRY_BYTES;
    if (entry == end) entry = tables;
  }
  return entry;
}

export function givenNext(count: u32): void {
  const first = register(OBSERVED_REGISTER);
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const end = min(start + BLOCK, count);
    prepare(start, end);
    let at: u32 = WORKSPACE_OFFSET;
    for (let i = start; i < end; i++) {
      const number = load<u64>(fingerprintAt(i));
      const entry = findEntry(locationWord(at), number);
      const last = load<u64>(entry, LAST);
      const position = first + i + 1;
      store<u8>(VERDICTS_OFFSET + i, last == 0 ? 0 : duplicateByte(position - last));
      store<u64>(entry, number);
      store<u64>(entry, position, LAST);
      at += LOCATION_BYTES;
    }
    identify(start, end);
  }
  finishBatch(count);
}
