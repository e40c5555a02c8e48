// Elements that recur several times close together and then never again. A elements are active. Each position repeats a
// random one of them. With a fixed probability, this is its last occurrence, and a new element replaces it. So the
// sizes of bursts and the gaps have geometric distributions; the mean gap is A. The truth is stored with the active
// element.

import { LOCATION_BYTES, listLocation, locationDetail, locationWord } from '../../../firstseen/assembly/lib/batch';
import {
  fingerprintAt,
  OBSERVED_REGISTER,
  parameter,
  register,
  setRegister,
  VERDICTS_OFFSET,
  WORKSPACE_OFFSET,
} from '../../../firstseen/assembly/lib/memory';
import { chance } from '../../../firstseen/assembly/lib/random';
import {
  BLOCK,
  below,
  configureStream,
  drawOf,
  finishBatch,
  identify,
  KIND_REGISTER,
  STREAM_KIND_PARAMETER,
  tables,
  touchListed,
} from '../lib/stream';
import { duplicateByte } from '../lib/truth';

/** Slots of the parameters. */
export const BURSTS_ACTIVE_PARAMETER: u32 = STREAM_KIND_PARAMETER;
export const BURSTS_LAST_SHARE_PARAMETER: u32 = STREAM_KIND_PARAMETER + 1;

/** Register: the number of the next element to become active. */
const NEXT: u32 = KIND_REGISTER;

/** An active element: its number, and one more than its last position, 0 before the first. */
const ACTIVE_BYTES: u32 = 16;
const LAST: u32 = 8;

/** A. */
let active: u64 = 0;
let lastShare: f64 = 0;

export function burstsConfigure(): void {
  configureStream();
  active = <u64>parameter(BURSTS_ACTIVE_PARAMETER);
  lastShare = parameter(BURSTS_LAST_SHARE_PARAMETER);
  for (let i: u32 = 0; i < <u32>active; i++) store<u64>(tables + i * ACTIVE_BYTES, i);
  setRegister(NEXT, active);
}

/**
 * Lists and touches, for each element, the active element that it repeats. The detail is 1 if this is the last
 * occurrence.
 */
function prepare(index: u64, count: u32): void {
  let at: u32 = WORKSPACE_OFFSET;
  for (let i: u32 = 0; i < count; i++) {
    const place = tables + <u32>below(drawOf(index + i, 0), active) * ACTIVE_BYTES;
    at = listLocation(at, place, u32(chance(drawOf(index + i, 1), lastShare, 1.0)));
  }
  touchListed(at);
}

export function burstsNext(count: u32): void {
  const first = register(OBSERVED_REGISTER);
  let next = register(NEXT);
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const size = min(BLOCK, count - start);
    prepare(first + start, size);
    let at: u32 = WORKSPACE_OFFSET;
    for (let i = start; i < start + size; i++) {
      const element = locationWord(at);
      const isLast = locationDetail(at);
      const number = load<u64>(element);
      const last = load<u64>(element, LAST);
      const position = first + i + 1;
      store<u64>(fingerprintAt(i), number);
      store<u8>(VERDICTS_OFFSET + i, last == 0 ? 0 : duplicateByte(position - last));
      store<u64>(element, select(next, number, isLast));
      store<u64>(element, select(<u64>0, position, isLast), LAST);
      next += isLast;
      at += LOCATION_BYTES;
    }
    identify(start, start + size);
  }
  setRegister(NEXT, next);
  finishBatch(count);
}
