// Independent draws in which rank i + 1 has a probability proportional to (i + 1)^-s, by rejection from a step
// function. The ranks are divided into segments no longer than a 64th of their first rank. A draw first selects a
// segment by the alias method (Walker 1977), in proportion to its length times the weight of its first rank. It then
// selects a rank of the segment, which is accepted with probability (rank / first)^-s = (1 + x)^-s, x < 1/64. So the
// shares are exactly those of Zipf's law for any exponent, and a draw needs no power: for such small x, eight terms of
// the binomial series are exact to the last digits, and the series is evaluated only if the minimum probability of the
// segment has not already decided.

import { below, configureStream, drawOf, kindParameter, Numbers, nextNumbers, tables } from '../lib/stream';

/** A segment in the table: threshold of the alias method, first rank, length, minimum probability, alias. */
const SEGMENT_BYTES: u32 = 40;
const FIRST_RANK: u32 = 8;
const LENGTH: u32 = 16;
const LEAST_CHANCE: u32 = 24;
const ALIAS: u32 = 32;

/**
 * Each attempt is accepted with a probability of over (65/64)^-s; the chance that this many attempts all fail is
 * negligible.
 */
const MOST_ATTEMPTS: u32 = 32;

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
    for (let attempt: u32 = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const place = drawOf(index, 2 * attempt);
      // The integer part of place * segments / 2^64 selects a column, the fractional part whether to take its alias.
      const column = tables + <u32>below(place, segments) * SEGMENT_BYTES;
      const isOwn = place * segments < load<u64>(column);
      const segment = select(column, load<u32>(column, ALIAS), isOwn);
      const spot = drawOf(index, 2 * attempt + 1);
      const length = load<u64>(segment, LENGTH);
      const first = load<u64>(segment, FIRST_RANK);
      const offset = below(spot, length);
      rank = first + offset;
      const coin = <f64>((spot * length) >> 11) * FRACTION;
      if (coin < load<f64>(segment, LEAST_CHANCE)) break;
      if (coin < chanceAt(<f64>offset / <f64>first)) break;
    }
    return rank - 1;
  }
}

export function zipfConfigure(): void {
  configureStream();
  segments = <u64>kindParameter(0);
  c1 = kindParameter(1);
  c2 = kindParameter(2);
  c3 = kindParameter(3);
  c4 = kindParameter(4);
  c5 = kindParameter(5);
  c6 = kindParameter(6);
  c7 = kindParameter(7);
  // The host writes aliases as numbers; addresses save a multiplication for each draw.
  for (let i: u32 = 0; i < <u32>segments; i++) {
    const alias = tables + i * SEGMENT_BYTES + ALIAS;
    store<u32>(alias, tables + load<u32>(alias) * SEGMENT_BYTES);
  }
}

export function zipfNext(count: u32): void {
  nextNumbers<Zipf>(count);
}
