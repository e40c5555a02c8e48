// Uniform draws from a universe that moves on: a window over the numbers that slides at a steady rate. What has left it does
// not come back.

import { parameter } from '../lib/memory';
import { below, configureStream, drawOf, Numbers, nextNumbers, STREAM_KIND_PARAMETER } from '../lib/stream';

/** Slots of the parameters. */
export const DRIFT_UNIVERSE_PARAMETER: u32 = STREAM_KIND_PARAMETER;
export const DRIFT_RATE_PARAMETER: u32 = STREAM_KIND_PARAMETER + 1;

let universe: u64 = 0;
/** Numbers by which the window moves with each element. */
let rate: f64 = 0;

class Drift extends Numbers {
  number(index: u64): u64 {
    return <u64>(<f64>index * rate) + below(drawOf(index, 0), universe);
  }
}

export function driftConfigure(): void {
  configureStream();
  universe = <u64>parameter(DRIFT_UNIVERSE_PARAMETER);
  rate = parameter(DRIFT_RATE_PARAMETER);
}

export function driftNext(count: u32): void {
  nextNumbers<Drift>(count);
}
