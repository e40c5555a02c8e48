// FPBuffering (deng-2006, section 5.2): buffering that reports an element that is not in the buffer as a duplicate with
// probability q. Only the report changes; the element enters the buffer in either case.

import { BufferingRule, bufferIsValid, configureBuffer, observeBuffer, testBuffer } from '../lib/buffers';
import { BUFFER_MILESTONES_PARAMETER, entriesLoad } from '../lib/entries';
import { OBSERVED_REGISTER, parameter, register } from '../lib/memory';
import { chance, draw, mix64 } from '../lib/random';
import { Clock, Lru, Replacement } from '../lib/replacement';

/** The slot of the parameter q. */
export const FPBUFFER_GUESS_RATE_PARAMETER: u32 = BUFFER_MILESTONES_PARAMETER + 1;

let q: f64 = 0;

/**
 * Returns 1 with probability q, else 0. The draw includes the element's hash: all elements of a batch that is only
 * tested have the same position in the stream, and would otherwise all get the same answer.
 */
function guess(index: u64, hash: u64): u32 {
  return u32(chance(mix64(draw(index, 0) ^ hash), q, 1.0));
}

class FpbufferRule<R extends Replacement> extends BufferingRule<R> {
  observe(at: u32, index: u64): u32 {
    return this.enter(at) || guess(index, this.hash(at));
  }

  test(at: u32): u32 {
    return this.holds(at) || guess(register(OBSERVED_REGISTER), this.hash(at));
  }
}

export function fpbufferConfigure(): void {
  configureBuffer();
  q = parameter(FPBUFFER_GUESS_RATE_PARAMETER);
}

export function fpbufferObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeBuffer<FpbufferRule<Lru>, FpbufferRule<Clock>>(fingerprints, verdicts, count);
}

export function fpbufferTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testBuffer<FpbufferRule<Lru>, FpbufferRule<Clock>>(fingerprints, verdicts, count);
}

export function fpbufferCheck(): u32 {
  return bufferIsValid();
}

export function fpbufferLoad(): f64 {
  return entriesLoad();
}

/** The same: entries are counted as they are taken. */
export function fpbufferFullness(): f64 {
  return entriesLoad();
}
