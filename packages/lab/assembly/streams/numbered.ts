// Independent uniform draws from a universe, numbered in the order of first occurrence. If n of U elements have been
// seen, the next one is a seen element with probability n / U, and all n are equally likely: a draw below n is its
// number, any other draw is a new element. So the truth is known without any memory; only gaps must be looked up.

import {
  fingerprintAt,
  OBSERVED_REGISTER,
  parameter,
  register,
  setRegister,
  VERDICTS_OFFSET,
} from '../../../firstseen/assembly/lib/memory';
import {
  BLOCK,
  below,
  configureStream,
  drawOf,
  finishBatch,
  identify,
  KIND_REGISTER,
  STREAM_KIND_PARAMETER,
} from '../lib/stream';
import { isByGap, tellTruth } from '../lib/truth';

/** Slots of the parameters. */
export const NUMBERED_UNIVERSE_PARAMETER: u32 = STREAM_KIND_PARAMETER;

/** Register: elements seen so far, which is the next new one's number. */
const NEXT: u32 = KIND_REGISTER;

/** U. */
let universe: u64 = 0;

export function numberedConfigure(): void {
  configureStream();
  universe = <u64>parameter(NUMBERED_UNIVERSE_PARAMETER);
}

export function numberedNext(count: u32): void {
  const first = register(OBSERVED_REGISTER);
  let next = register(NEXT);
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const end = min(start + BLOCK, count);
    for (let i = start; i < end; i++) {
      const draw = below(drawOf(first + i, 0), universe);
      const isNew = u32(draw >= next);
      store<u64>(fingerprintAt(i), min(draw, next));
      store<u8>(VERDICTS_OFFSET + i, isNew ^ 1);
      next += isNew;
    }
    if (isByGap) tellTruth(start, end);
    identify(start, end);
  }
  setRegister(NEXT, next);
  finishBatch(count);
}
