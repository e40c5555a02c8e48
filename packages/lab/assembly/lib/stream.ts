// Shared code of the laboratory's streams. A stream has its own kernel. It generates its batch in place: first the
// numbers of the elements, then the truth of each element in the verdicts, then the values that detectors receive. All
// draws are counted, like those of detectors, so a stream does not depend on how it is cut into batches.

import { LOCATION_BYTES, locationWord } from '../../../firstseen/assembly/lib/batch';
import {
  cellsOffset,
  FAMILY_PARAMETER,
  FAMILY_REGISTER,
  fingerprintAt,
  OBSERVED_REGISTER,
  parameter,
  register,
  seed,
  setRegister,
  WORKSPACE_OFFSET,
} from '../../../firstseen/assembly/lib/memory';
import { GOLDEN, mix64, multiplyHigh } from '../../../firstseen/assembly/lib/random';
import { keepTouched } from '../../../firstseen/assembly/lib/touched';
import { configureTruth, tellTruth } from './truth';

/**
 * The next digits of the fraction of pi, so that a detector with the same seed never draws the same numbers as its
 * stream.
 */
const DRAW_STREAM: u64 = 0x082efa98ec4e6c89;
const IDENTITY_STREAM: u64 = 0x452821e638d01377;

/** Draws available to one element. */
const LANES: u64 = 64;

/** Parameter slots that every stream has; those of its kind follow. */
export const STREAM_HASHED_PARAMETER: u32 = FAMILY_PARAMETER;
export const STREAM_TRUTH_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const STREAM_BY_GAP_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const STREAM_KIND_PARAMETER: u32 = FAMILY_PARAMETER + 3;

/** The first register that the kind of stream may use. */
export const KIND_REGISTER: u32 = FAMILY_REGISTER;

/** The address at which the tables of the kind begin. */
export let tables: u32 = 0;

let isHashed: bool = false;
let drawKey: u64 = 0;
let identityKey: u64 = 0;

export function configureStream(): void {
  tables = cellsOffset();
  isHashed = parameter(STREAM_HASHED_PARAMETER) == 1.0;
  drawKey = mix64(seed() ^ DRAW_STREAM);
  identityKey = mix64(seed() ^ IDENTITY_STREAM);
  configureTruth(cellsOffset() + <u32>parameter(STREAM_TRUTH_PARAMETER), parameter(STREAM_BY_GAP_PARAMETER) == 1.0);
}

/** Draw number `lane` of element number `index`. */
export function drawOf(index: u64, lane: u32): u64 {
  return mix64(drawKey + (index * LANES + lane) * GOLDEN);
}

/** A number in [0, n) that uses all 64 bits of a draw. */
export function below(drawn: u64, n: u64): u64 {
  // If n fits in 32 bits, so do the products of the halves in 64, and two multiplications are enough.
  if (n <= u32.MAX_VALUE) return ((drawn >> 32) * n + (((drawn & 0xffffffff) * n) >> 32)) >> 32;
  return multiplyHigh(drawn, n);
}

/** A kind of stream whose numbers depend on their positions only. Concrete classes are bound at compile time. */
export abstract class Numbers {
  abstract number(index: u64): u64;
}

/** Elements of one block. All passes over a block end before the next block begins. Half or twice as many took slightly longer. */
export const BLOCK: u32 = 256;

/** Loads from the addresses listed in the workspace up to `end`, so that their cache misses overlap. */
export function touchListed(end: u32): void {
  let sum: u64 = 0;
  for (let at: u32 = WORKSPACE_OFFSET; at < end; at += LOCATION_BYTES) sum += load<u64>(locationWord(at));
  keepTouched(sum);
}

/**
 * Converts the numbers of the batch into the values that detectors receive: hashes by a bijection, so that the truth
 * stays exact.
 */
export function identify(start: u32, end: u32): void {
  if (!isHashed) return;
  const key = identityKey;
  for (let i = start; i < end; i++) store<u64>(fingerprintAt(i), mix64(load<u64>(fingerprintAt(i)) ^ key));
}

/** Ends a batch. */
export function finishBatch(count: u32): void {
  setRegister(OBSERVED_REGISTER, register(OBSERVED_REGISTER) + count);
}

/** Generates a batch of a kind whose numbers depend on their positions only. */
export function nextNumbers<N extends Numbers>(count: u32): void {
  const numbers = changetype<N>(0);
  const first = register(OBSERVED_REGISTER);
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const end = min(start + BLOCK, count);
    for (let i = start; i < end; i++) store<u64>(fingerprintAt(i), numbers.number(first + i));
    tellTruth(start, end);
    identify(start, end);
  }
  finishBatch(count);
}
