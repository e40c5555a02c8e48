// Independent uniform draws from the numbers of a universe.

import { below, configureStream, drawOf, kindParameter, Numbers, nextNumbers } from '../lib/stream';

let universe: u64 = 0;

class Uniform extends Numbers {
  number(index: u64): u64 {
    return below(drawOf(index, 0), universe);
  }
}

export function uniformConfigure(): void {
  configureStream();
  universe = <u64>kindParameter(0);
}

export function uniformNext(count: u32): void {
  nextNumbers<Uniform>(count);
}
