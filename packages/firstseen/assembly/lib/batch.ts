// Every detector processes a batch in three passes. The first lists the memory locations that each element needs. The
// second only loads from them, with nothing between the loads, so that as many cache misses overlap as the processor
// allows. The third decides and updates; its locations are listed and their cache lines are loaded. The host's batches
// are cut into blocks whose cache lines fit the first-level cache.

import {
  DUPLICATES_REGISTER,
  isBlocked,
  OBSERVED_REGISTER,
  register,
  setRegister,
  WORKSPACE_BYTES,
  WORKSPACE_OFFSET,
} from './memory';
import { indexInBatch } from './owned';
import { keepTouched } from './touched';

/** Cache lines that one round of passes touches: a quarter of a first-level cache. More or fewer were slower. */
const BLOCK_CACHE_LINES: u32 = 128;

/** A location is the address of a 64-bit word and 32 bits that the family uses to find its bits in that word. */
export const LOCATION_BYTES: u32 = 8;

/** The rule of a family, as a batch uses it. Concrete classes are bound at compile time; no method is virtual. */
export abstract class Rule {
  /** Bytes of one element's list. */
  abstract listBytes(): u32;
  /** Bytes at the front of a list whose locations name every cache line that the element needs. */
  abstract touchBytes(): u32;
  /** Writes the list of an element at `at`. */
  abstract list(fingerprint: u64, index: u64, at: u32): void;
  /** Returns the answer from before the element is added (1 duplicate, 0 distinct), then adds it. */
  abstract observe(at: u32, index: u64): u32;
  /** Returns the answer only; changes nothing. */
  abstract test(at: u32): u32;
}

/** The operation by which the second pass fetches the cache line of a location. */
export abstract class Touch {
  abstract cacheLine(word: u32): u64;
}

class LoadTouch extends Touch {
  cacheLine(word: u32): u64 {
    return load<u64>(word);
  }
}

/** The first two passes over one block, whose first element is number `start` of the batch that begins with element `first`. */
function prepareBlock<R extends Rule, T extends Touch>(fingerprints: u32, start: u32, count: u32, first: u64): void {
  const rule = changetype<R>(0);
  const toucher = changetype<T>(0);
  const step = rule.listBytes();
  let at: u32 = WORKSPACE_OFFSET;
  for (let i: u32 = 0; i < count; i++) {
    rule.list(load<u64>(fingerprints + ((start + i) << 3)), first + indexInBatch(start + i), at);
    at += step;
  }
  // Nothing overlaps with the misses of a single element, and a load waits for a store to its cache line.
  if (count == 1) return;
  const end = at;
  const touch = rule.touchBytes();
  let sum: u64 = 0;
  if (touch == LOCATION_BYTES) {
    for (at = WORKSPACE_OFFSET; at < end; at += step) sum += toucher.cacheLine(locationWord(at));
  } else {
    for (at = WORKSPACE_OFFSET; at < end; at += step) {
      for (let location = at; location < at + touch; location += LOCATION_BYTES)
        sum += toucher.cacheLine(locationWord(location));
    }
  }
  keepTouched(sum);
}

/** Number of elements in one round of passes. */
function blockSize<R extends Rule>(): u32 {
  const rule = changetype<R>(0);
  const byCacheLines = BLOCK_CACHE_LINES / (rule.touchBytes() / LOCATION_BYTES);
  return max<u32>(1, min<u32>(byCacheLines, WORKSPACE_BYTES / rule.listBytes()));
}

/** `observeBatch` with a different way to fetch cache lines. */
export function observeTouched<R extends Rule, T extends Touch>(fingerprints: u32, verdicts: u32, count: u32): u32 {
  const rule = changetype<R>(0);
  const step = rule.listBytes();
  const block = blockSize<R>();
  const first = register(OBSERVED_REGISTER);
  let duplicates: u64 = 0;
  for (let start: u32 = 0; start < count; start += block) {
    const size = min(block, count - start);
    prepareBlock<R, T>(fingerprints, start, size, first);
    let at: u32 = WORKSPACE_OFFSET;
    for (let i = start; i < start + size; i++) {
      const verdict = rule.observe(at, first + indexInBatch(i));
      store<u8>(verdicts + i, verdict);
      duplicates += verdict;
      at += step;
    }
  }
  setRegister(OBSERVED_REGISTER, first + count);
  setRegister(DUPLICATES_REGISTER, register(DUPLICATES_REGISTER) + duplicates);
  return count;
}

/** Observes `count` fingerprints; returns how many were observed, which is all of them. */
export function observeBatch<R extends Rule>(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeTouched<R, LoadTouch>(fingerprints, verdicts, count);
}

/** Answers for `count` fingerprints without adding them. */
export function testBatch<R extends Rule>(fingerprints: u32, verdicts: u32, count: u32): void {
  const rule = changetype<R>(0);
  const step = rule.listBytes();
  const block = blockSize<R>();
  for (let start: u32 = 0; start < count; start += block) {
    const size = min(block, count - start);
    prepareBlock<R, LoadTouch>(fingerprints, start, size, register(OBSERVED_REGISTER));
    for (let i: u32 = 0; i < size; i++) store<u8>(verdicts + start + i, rule.test(WORKSPACE_OFFSET + i * step));
  }
}

/** `observeBatch` with the rule for the detector's layout. */
export function observeLayout<Classic extends Rule, Blocked extends Rule>(
  fingerprints: u32,
  verdicts: u32,
  count: u32,
): u32 {
  return isBlocked()
    ? observeBatch<Blocked>(fingerprints, verdicts, count)
    : observeBatch<Classic>(fingerprints, verdicts, count);
}

/** `testBatch` with the rule for the detector's layout. */
export function testLayout<Classic extends Rule, Blocked extends Rule>(
  fingerprints: u32,
  verdicts: u32,
  count: u32,
): void {
  if (isBlocked()) testBatch<Blocked>(fingerprints, verdicts, count);
  else testBatch<Classic>(fingerprints, verdicts, count);
}

/** Writes a location at `at`; returns the end of it. */
export function listLocation(at: u32, word: u32, detail: u32): u32 {
  store<u32>(at, word);
  store<u32>(at, detail, 4);
  return at + LOCATION_BYTES;
}

export function locationWord(at: u32): u32 {
  return load<u32>(at);
}

export function locationDetail(at: u32): u32 {
  return load<u32>(at, 4);
}
