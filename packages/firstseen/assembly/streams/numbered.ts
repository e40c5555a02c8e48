// Independent uniform draws from a universe, numbered in the order of first occurrence. If n of U elements have been
// seen, the next one is a seen element with probability n / U, and all n are equally likely: a draw below n is its
// number, any other draw is a new element. So the truth is known without any memory; only gaps must be looked up.

import { fingerprintAt, OBSERVED_SLOT, setState, state, VERDICTS_OFFSET } from '../lib/memory';
import { BLOCK, below, configureStream, drawOf, finishBatch, identify, KIND_SLOT, kindParameter } from '../lib/stream';
import { isByGap, tellTruth } from '../lib/truth';

/** State slot: the number of elements seen so far, which is the number of the next new element. */
const NEXT: u32 = KIND_SLOT;

/** U. */
let universe: u64 = 0;

export function numberedConfigure(): void {
  configureStream();
  universe = <u64>kindParameter(0);
}

export function numberedNext(count: u32): void {
  const first = state(OBSERVED_SLOT);
  let next = state(NEXT);
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
  setState(NEXT, next);
  finishBatch(count);
}
