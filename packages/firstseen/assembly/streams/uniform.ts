// Independent uniform draws from the numbers of a universe.

import { parameter } from '../lib/memory';
import { below, configureStream, drawOf, Numbers, nextNumbers, STREAM_KIND_PARAMETER } from '../lib/stream';

/** Slots of the parameters. */
export const UNIFORM_UNIVERSE_PARAMETER: u32 = STREAM_KIND_PARAMETER;

let universe: u64 = 0;

class Uniform extends Numbers {
  number(index: u64): u64 {
    return below(drawOf(index, 0), universe);
  }
}

export function uniformConfigure(): void {
  configureStream();
  universe = <u64>parameter(UNIFORM_UNIVERSE_PARAMETER);
}

export function uniformNext(count: u32): void {
  nextNumbers<Uniform>(count);
}
