// Each of D elements once and N - D draws from them, all in random order. The positions of the D guaranteed copies are a
// random subset, chosen one position after another (Knuth, TAOCP 2, section 3.4.2, algorithm S): if m of them are left for
// the n positions that are left, the next position has one with probability m / n. Their elements are a permutation that is
// computed, not stored. The first occurrence of an element may be a draw, so the truth is looked up.

import {
  fingerprintAt,
  OBSERVED_REGISTER,
  parameter,
  register,
  setRegister,
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
import { tellTruth } from '../lib/truth';

/** Slots of the parameters. */
export const SHUFFLED_LENGTH_PARAMETER: u32 = STREAM_KIND_PARAMETER;
export const SHUFFLED_DISTINCT_PARAMETER: u32 = STREAM_KIND_PARAMETER + 1;

/** Register: guaranteed copies so far. */
const PLACED: u32 = KIND_REGISTER;

/** Lanes of the draws of an element. Those from KEY_LANE on are used for element 0 only. */
const PLACE_LANE: u32 = 0;
const DRAW_LANE: u32 = 1;
const KEY_LANE: u32 = 2;

/** N and D. */
let length: u64 = 0;
let distinct: u64 = 0;

/** The permutation works on numbers of this many bits. */
let bits: u64 = 0;
let mask: u64 = 0;
let key0: u64 = 0;
let key1: u64 = 0;
let key2: u64 = 0;

export function shuffledConfigure(): void {
  configureStream();
  length = <u64>parameter(SHUFFLED_LENGTH_PARAMETER);
  distinct = <u64>parameter(SHUFFLED_DISTINCT_PARAMETER);
  bits = max<u64>(1, 64 - clz(distinct - 1));
  mask = ((<u64>1) << bits) - 1;
  key0 = drawOf(0, KEY_LANE);
  key1 = drawOf(0, KEY_LANE + 1);
  key2 = drawOf(0, KEY_LANE + 2);
}

/** One round of a bijection: an odd multiplier and a shift to the right can both be undone. */
function round(value: u64, key: u64): u64 {
  const mixed = ((value ^ (key >> 32)) * (key | 1)) & mask;
  return mixed ^ (mixed >> ((bits + 1) >> 1));
}

/** The element of guaranteed copy number `copy`. Numbers beyond D are mapped again until they are below it. */
function permuted(copy: u64): u64 {
  let value = copy;
  do {
    value = round(round(round(value, key0), key1), key2);
  } while (value >= distinct);
  return value;
}

export function shuffledNext(count: u32): void {
  const first = register(OBSERVED_REGISTER);
  let placed = register(PLACED);
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const end = min(start + BLOCK, count);
    for (let i = start; i < end; i++) {
      const index = first + i;
      const isPlaced = below(drawOf(index, PLACE_LANE), length - index) < distinct - placed;
      const number = isPlaced ? permuted(placed) : below(drawOf(index, DRAW_LANE), distinct);
      placed += u64(isPlaced);
      store<u64>(fingerprintAt(i), number);
    }
    tellTruth(start, end);
    identify(start, end);
  }
  setRegister(PLACED, placed);
  finishBatch(count);
}
