// Rounds of G new elements, each followed by the same elements in the same order, R times in total. Every duplicate has
// gap G. A detector that remembers fewer than G elements, whether the latest ones or any, loses them all before they
// return. Phases of only duplicates and only new elements alternate.

import {
  fingerprintAt,
  OBSERVED_REGISTER,
  parameter,
  register,
  VERDICTS_OFFSET,
} from '../../../firstseen/assembly/lib/memory';
import { configureStream, finishBatch, identify, STREAM_KIND_PARAMETER } from '../lib/stream';
import { duplicateByte } from '../lib/truth';

/** Slots of the parameters. */
export const ADVERSARIAL_GAP_PARAMETER: u32 = STREAM_KIND_PARAMETER;
export const ADVERSARIAL_OCCURRENCES_PARAMETER: u32 = STREAM_KIND_PARAMETER + 1;

/** G and R. */
let gap: u64 = 0;
let occurrences: u64 = 0;

export function adversarialConfigure(): void {
  configureStream();
  gap = <u64>parameter(ADVERSARIAL_GAP_PARAMETER);
  occurrences = <u64>parameter(ADVERSARIAL_OCCURRENCES_PARAMETER);
}

export function adversarialNext(count: u32): void {
  const first = register(OBSERVED_REGISTER);
  // One division per batch: a division for each element would take longer than everything else.
  let offset = first % gap;
  let time = (first / gap) % occurrences;
  let base = (first / gap / occurrences) * gap;
  const duplicate = duplicateByte(gap);
  for (let i: u32 = 0; i < count; i++) {
    store<u64>(fingerprintAt(i), base + offset);
    store<u8>(VERDICTS_OFFSET + i, time == 0 ? 0 : duplicate);
    if (++offset < gap) continue;
    offset = 0;
    if (++time < occurrences) continue;
    time = 0;
    base += gap;
  }
  identify(0, count);
  finishBatch(count);
}
