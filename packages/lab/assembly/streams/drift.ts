// Uniform draws from a moving universe: a window over the numbers that slides at a fixed rate. Numbers that have left
// the window do not return.

import { parameter } from '../../../firstseen/assembly/lib/memory';
import { below, configureStream, drawOf, Numbers, nextNumbers, STREAM_KIND_PARAMETER } from '../lib/stream';

/** Slots of the parameters. */
export const DRIFT_UNIVERSE_PARAMETER: u32 = STREAM_KIND_PARAMETER;
export const DRIFT_RATE_PARAMETER: u32 = STREAM_KIND_PARAMETER + 1;

let universe: u64 = 0;
/** The distance that the window moves with each element. */
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
