// A second implementation of a stream's kernel, in BigInt: a number for each position, and the truth from a map of last
// positions.

import type { Identity } from '../../../src/lab/contract.js';
import { GOLDEN, mix64 } from '../random.js';

const DRAW_STREAM = 0x082efa98ec4e6c89n;
const IDENTITY_STREAM = 0x452821e638d01377n;
const LANES = 64n;

/** Draw number `lane` of element number `index`. */
export type Draw = (index: number, lane: number) => bigint;

/** The input of a kind's twin: its kernel's slots and tables, and the draws. */
export interface NumbersRequest {
  parameters: readonly number[];
  tables: DataView;
  draw: Draw;
}

/** The number of each position, requested in order. */
export type Numbers = (index: number) => bigint;

export interface Expected {
  fingerprints: bigint[];
  /** 0 for a new element, else its gap. */
  gaps: number[];
}

export function drawsOf(seed: number): Draw {
  const key = mix64(BigInt(seed) ^ DRAW_STREAM);
  return (index, lane) => mix64(key + (BigInt(index) * LANES + BigInt(lane)) * GOLDEN);
}

export function expectedOf(
  numbers: Numbers,
  length: number,
  { seed, identity }: { seed: number; identity: Identity },
): Expected {
  const key = mix64(BigInt(seed) ^ IDENTITY_STREAM);
  const last = new Map<bigint, number>();
  const expected: Expected = { fingerprints: [], gaps: [] };
  for (let index = 0; index < length; index++) {
    const number = numbers(index);
    const before = last.get(number);
    last.set(number, index);
    expected.gaps.push(before === undefined ? 0 : index - before);
    expected.fingerprints.push(identity === 'hashed' ? mix64(number ^ key) : number);
  }
  return expected;
}

/** The byte with which a stream reports a gap. */
export function truthByte(gap: number, isByGap: boolean): number {
  if (gap === 0 || !isByGap) return Math.min(1, gap);
  return 1 + Math.ceil(Math.log2(gap));
}
