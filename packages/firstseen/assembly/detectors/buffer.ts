// The buffering method (deng-2006, section 2.2): an element in the buffer is a duplicate; any other element is
// distinct.

import { BufferingRule, bufferIsValid, configureBuffer, observeBuffer, testBuffer } from '../lib/buffers';
import { entriesLoad } from '../lib/entries';
import { Clock, Lru, Replacement } from '../lib/replacement';

class BufferRule<R extends Replacement> extends BufferingRule<R> {
  observe(at: u32, index: u64): u32 {
    return this.enter(at);
  }

  test(at: u32): u32 {
    return this.holds(at);
  }
}

export function bufferConfigure(): void {
  configureBuffer();
}

export function bufferObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeBuffer<BufferRule<Lru>, BufferRule<Clock>>(fingerprints, verdicts, count);
}

export function bufferTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testBuffer<BufferRule<Lru>, BufferRule<Clock>>(fingerprints, verdicts, count);
}

export function bufferCheck(): u32 {
  return bufferIsValid();
}

export function bufferLoad(): f64 {
  return entriesLoad();
}

/** The same: entries are counted as they are taken. */
export function bufferFullness(): f64 {
  return entriesLoad();
}
