// Independent draws in which rank i + 1 has a probability proportional to (i + 1)^-s, by rejection from a step
// function. The ranks are divided into segments no longer than a 64th of their first rank. A draw first selects a
// segment by the alias method (Walker 1977), in proportion to its length times the weight of its first rank. It then
// selects a rank of the segment, which is accepted with probability (rank / first)^-s = (1 + x)^-s, x < 1/64. So the
// shares are exactly those of Zipf's law for any exponent, and a draw needs no power: for such small x, eight terms of
// the binomial series are exact to the last digits, and the series is evaluated only if the minimum probability of the
// segment has not already decided.

import { parameter } from '../../../firstseen/assembly/lib/memory';
import { below, configureStream, drawOf, Numbers, nextNumbers, STREAM_KIND_PARAMETER, tables } from '../lib/stream';

/** Slots of the parameters. The coefficients take one slot each. */
export const ZIPF_SEGMENTS_PARAMETER: u32 = STREAM_KIND_PARAMETER;
export const ZIPF_COEFFICIENTS_PARAMETER: u32 = STREAM_KIND_PARAMETER + 1;

/** A segment in the table: threshold of the alias method, first rank, length, least probability of acceptance, alias. */
export const ZIPF_SEGMENT_BYTES: u32 = 40;
export const ZIPF_FIRST_RANK: u32 = 8;
export const ZIPF_LENGTH: u32 = 16;
export const ZIPF_MIN_CHANCE: u32 = 24;
export const ZIPF_ALIAS: u32 = 32;

/**
 * Each attempt is accepted with a probability of over (65/64)^-s; the chance that this many attempts all fail is
 * negligible.
 */
const MAX_ATTEMPTS: u32 = 32;

const FRACTION: f64 = 1.0 / 9007199254740992.0;

let segments: u64 = 0;
/** Coefficients of (1 + x)^-s from x on; the first is 1. */
let c1: f64 = 0;
let c2: f64 = 0;
let c3: f64 = 0;
let c4: f64 = 0;
let c5: f64 = 0;
let c6: f64 = 0;
let c7: f64 = 0;

function chanceAt(x: f64): f64 {
  return 1.0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * (c5 + x * (c6 + x * c7))))));
}

class Zipf extends Numbers {
  number(index: u64): u64 {
    let rank: u64 = 0;
    for (let attempt: u32 = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const place = drawOf(index, 2 * attempt);
      // The integer part of place * segments / 2^64 selects a column; the fractional part decides between it and its alias.
      const column = tables + <u32>below(place, segments) * ZIPF_SEGMENT_BYTES;
      const isOwn = place * segments < load<u64>(column);
      const segment = select(column, load<u32>(column, ZIPF_ALIAS), isOwn);
      const spot = drawOf(index, 2 * attempt + 1);
      const length = load<u64>(segment, ZIPF_LENGTH);
      const first = load<u64>(segment, ZIPF_FIRST_RANK);
      const offset = below(spot, length);
      rank = first + offset;
      const coin = <f64>((spot * length) >> 11) * FRACTION;
      if (coin < load<f64>(segment, ZIPF_MIN_CHANCE)) break;
      if (coin < chanceAt(<f64>offset / <f64>first)) break;
    }
    return rank - 1;
  }
}

export function zipfConfigure(): void {
  configureStream();
  segments = <u64>parameter(ZIPF_SEGMENTS_PARAMETER);
  c1 = parameter(ZIPF_COEFFICIENTS_PARAMETER);
  c2 = parameter(ZIPF_COEFFICIENTS_PARAMETER + 1);
  c3 = parameter(ZIPF_COEFFICIENTS_PARAMETER + 2);
  c4 = parameter(ZIPF_COEFFICIENTS_PARAMETER + 3);
  c5 = parameter(ZIPF_COEFFICIENTS_PARAMETER + 4);
  c6 = parameter(ZIPF_COEFFICIENTS_PARAMETER + 5);
  c7 = parameter(ZIPF_COEFFICIENTS_PARAMETER + 6);
  // The host writes aliases as segment numbers. Converting them to addresses saves a multiplication for each draw.
  for (let i: u32 = 0; i < <u32>segments; i++) {
    const alias = tables + i * ZIPF_SEGMENT_BYTES + ZIPF_ALIAS;
    store<u32>(alias, tables + load<u32>(alias) * ZIPF_SEGMENT_BYTES);
  }
}

export function zipfNext(count: u32): void {
  nextNumbers<Zipf>(count);
}
