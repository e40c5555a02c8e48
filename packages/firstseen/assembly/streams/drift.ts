// Uniform draws from a moving universe: a window over the numbers that slides at a fixed rate. Numbers that have left
// the window do not return.

import { below, configureStream, drawOf, kindParameter, Numbers, nextNumbers } from '../lib/stream';

let universe: u64 = 0;
/** How far the window moves with each element. */
let rate: f64 = 0;

class Drift extends Numbers {
  number(index: u64): u64 {
    return <u64>(<f64>index * rate) + below(drawOf(index, 0), universe);
  }
}

export function driftConfigure(): void {
  configureStream();
  universe = <u64>kindParameter(0);
  rate = kindParameter(1);
}

export function driftNext(count: u32): void {
  nextNumbers<Drift>(count);
}
