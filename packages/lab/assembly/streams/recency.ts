// Each element is new with a fixed probability, and otherwise repeats one of the last W positions, all equally likely.
// That decision is the truth; only gaps must be looked up.

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
import { isByGap, tellTruth } from '../lib/truth';

/** Slots of the parameters. */
export const RECENCY_WINDOW_PARAMETER: u32 = STREAM_KIND_PARAMETER;
export const RECENCY_NEW_SHARE_PARAMETER: u32 = STREAM_KIND_PARAMETER + 1;

/** Register: new elements so far, which is the next one's number. */
const NEXT: u32 = KIND_REGISTER;

/** W. */
let window: u64 = 0;
let newShare: f64 = 0;

export function recencyConfigure(): void {
  configureStream();
  window = <u64>parameter(RECENCY_WINDOW_PARAMETER);
  newShare = parameter(RECENCY_NEW_SHARE_PARAMETER);
}

/** The address of the number at a slot of the ring. Position p of the last W positions is in slot p mod W. */
function ringAt(slot: u64): u32 {
  return tables + ((<u32>slot) << 3);
}

/**
 * Lists and touches the elements from `index` on. The first one belongs to `slot` of the ring. For each: the position to repeat,
 * with 1 as its detail if the element is new.
 */
function prepare(index: u64, slot: u64, count: u32): void {
  let at: u32 = WORKSPACE_OFFSET;
  for (let i: u32 = 0; i < count; i++) {
    const position = index + i;
    let own = slot + i;
    if (own >= window) own -= window;
    const back = 1 + below(drawOf(position, 1), min(window, position));
    const source = own >= back ? own - back : own + window - back;
    const isNew = position == 0 || chance(drawOf(position, 0), newShare, 1.0);
    at = listLocation(at, ringAt(source), u32(isNew));
  }
  touchListed(at);
}

export function recencyNext(count: u32): void {
  const first = register(OBSERVED_REGISTER);
  let next = register(NEXT);
  let slot = first % window;
  const block = <u32>min<u64>(BLOCK, window);
  for (let start: u32 = 0; start < count; start += block) {
    const size = min(block, count - start);
    prepare(first + start, slot, size);
    let at: u32 = WORKSPACE_OFFSET;
    for (let i = start; i < start + size; i++) {
      const isNew = locationDetail(at);
      const number = select(next, load<u64>(locationWord(at)), isNew);
      next += isNew;
      store<u64>(ringAt(slot), number);
      store<u64>(fingerprintAt(i), number);
      store<u8>(VERDICTS_OFFSET + i, isNew ^ 1);
      slot = slot + 1 == window ? 0 : slot + 1;
      at += LOCATION_BYTES;
    }
    if (isByGap) tellTruth(start, start + size);
    identify(start, start + size);
  }
  setRegister(NEXT, next);
  finishBatch(count);
}
