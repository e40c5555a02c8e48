// Independent draws from several classes: a draw first selects a class by its share, and then one of its elements, all
// equally likely.

import { parameter } from '../../../firstseen/assembly/lib/memory';
import { below, configureStream, drawOf, Numbers, nextNumbers, STREAM_KIND_PARAMETER, tables } from '../lib/stream';

/** Slots of the parameters. */
export const MIXED_CLASSES_PARAMETER: u32 = STREAM_KIND_PARAMETER;

/** A class in the table: the largest draw that selects it or one before it, its first number, its number of elements. */
export const MIXED_CLASS_BYTES: u32 = 24;
export const MIXED_FIRST: u32 = 8;
export const MIXED_ELEMENTS: u32 = 16;

/** The address of the last class. Draws that select no other class select it. */
let last: u32 = 0;

class Mixed extends Numbers {
  number(index: u64): u64 {
    const draw = drawOf(index, 0);
    let at = tables;
    while (at < last && draw > load<u64>(at)) at += MIXED_CLASS_BYTES;
    return load<u64>(at, MIXED_FIRST) + below(drawOf(index, 1), load<u64>(at, MIXED_ELEMENTS));
  }
}

export function mixedConfigure(): void {
  configureStream();
  last = tables + (<u32>parameter(MIXED_CLASSES_PARAMETER) - 1) * MIXED_CLASS_BYTES;
}

export function mixedNext(count: u32): void {
  nextNumbers<Mixed>(count);
}
