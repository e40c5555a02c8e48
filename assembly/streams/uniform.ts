// Independent draws, each number of the universe as likely.

import { multiplyHigh } from '../lib/random';
import { configureStream, drawNumbers, drawOf, finishBatch, kindParameter, Numbers } from '../lib/stream';
import { tellTruth } from '../lib/truth';

let universe: u64 = 0;

class Uniform extends Numbers {
  number(index: u64): u64 {
    return multiplyHigh(drawOf(index, 0), universe);
  }
}

export function uniformConfigure(): void {
  configureStream();
  universe = <u64>kindParameter(0);
}

export function uniformNext(count: u32): void {
  drawNumbers<Uniform>(count);
  tellTruth(count);
  finishBatch(count);
}
