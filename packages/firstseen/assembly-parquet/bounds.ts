// The least and the greatest value of a column, for the index.

import { Buffer, newBuffer, renew } from './memory';

/** The orders of values. */
export namespace orders {
  export const NONE: u32 = 0;
  export const SIGNED: u32 = 1;
  export const FLOATING: u32 = 2;
  export const BYTES: u32 = 3;
}

@unmanaged
export class Bounds {
  order: u32;
  hasAny: bool;
  least: Buffer;
  greatest: Buffer;
}

export function newBounds(order: u32): Bounds {
  const bounds = changetype<Bounds>(heap.alloc(offsetof<Bounds>()));
  bounds.order = order;
  bounds.hasAny = false;
  bounds.least = newBuffer();
  bounds.greatest = newBuffer();
  return bounds;
}

function keep(buffer: Buffer, at: usize, length: u32): void {
  renew(buffer, length);
  memory.copy(buffer.at, at, length);
  buffer.used = length;
}

function isBefore(bounds: Bounds, one: usize, oneLength: u32, other: usize, otherLength: u32): bool {
  if (bounds.order == orders.SIGNED) {
    if (oneLength == 8) return load<i64>(one) < load<i64>(other);
    return oneLength == 4 ? load<i32>(one) < load<i32>(other) : load<u8>(one) < load<u8>(other);
  }
  if (bounds.order == orders.FLOATING) {
    return oneLength == 4 ? load<f32>(one) < load<f32>(other) : load<f64>(one) < load<f64>(other);
  }
  const length = min(oneLength, otherLength);
  const difference = memory.compare(one, other, length);
  return difference != 0 ? difference < 0 : oneLength < otherLength;
}

function isNumber(bounds: Bounds, at: usize, length: u32): bool {
  if (bounds.order != orders.FLOATING) return true;
  return length == 4 ? load<f32>(at) == load<f32>(at) : load<f64>(at) == load<f64>(at);
}

/** Notes a value. */
export function note(bounds: Bounds, at: usize, length: u32): void {
  if (bounds.order == orders.NONE || !isNumber(bounds, at, length)) return;
  if (!bounds.hasAny) {
    keep(bounds.least, at, length);
    keep(bounds.greatest, at, length);
    bounds.hasAny = true;
    return;
  }
  const least = bounds.least;
  const greatest = bounds.greatest;
  if (isBefore(bounds, at, length, least.at, <u32>least.used)) keep(least, at, length);
  else if (isBefore(bounds, greatest.at, <u32>greatest.used, at, length)) keep(greatest, at, length);
}
