// Every detector walks a batch twice. The first pass only loads from the lines
// that the elements will need: the loads do not wait for one another, so the
// cache misses overlap; the second pass decides and updates, with its lines at
// hand. Batches of the host are cut here into blocks whose lines fit the caches.

import { DUPLICATES_SLOT, isBlocked, OBSERVED_SLOT, setState, state } from './memory';

/** Elements per double pass: few enough that ten lines for each of them stay in the first cache. */
const BLOCK: u32 = 64;

/** Where the first pass leaves its sum, so that no compiler can drop its loads. */
export let touchedSum: u64 = 0;

/** What a family's rule is to a batch. Concrete classes are bound at compile time; no method is ever virtual. */
export abstract class Rule {
  /** Reads something of every line that `observe` will need; returns it. */
  abstract touch(fingerprint: u64, index: u64): u64;
  /** The answer for the state before the element is added (1 duplicate, 0 distinct); then adds it. */
  abstract observe(fingerprint: u64, index: u64): u32;
  /** The answer alone; changes nothing. */
  abstract test(fingerprint: u64): u32;
}

/** Observes `count` fingerprints; returns how many were taken, which is all of them. */
export function observeBatch<R extends Rule>(fingerprints: u32, verdicts: u32, count: u32): u32 {
  const rule = changetype<R>(0);
  const first = state(OBSERVED_SLOT);
  let duplicates: u64 = 0;
  let sum: u64 = 0;
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const end = min(start + BLOCK, count);
    for (let i = start; i < end; i++) {
      sum += rule.touch(load<u64>(fingerprints + (i << 3)), first + i);
    }
    for (let i = start; i < end; i++) {
      const verdict = rule.observe(load<u64>(fingerprints + (i << 3)), first + i);
      store<u8>(verdicts + i, verdict);
      duplicates += verdict;
    }
  }
  touchedSum = sum;
  setState(OBSERVED_SLOT, first + count);
  setState(DUPLICATES_SLOT, state(DUPLICATES_SLOT) + duplicates);
  return count;
}

/** Answers for `count` fingerprints without adding them. */
export function testBatch<R extends Rule>(fingerprints: u32, verdicts: u32, count: u32): void {
  const rule = changetype<R>(0);
  for (let i: u32 = 0; i < count; i++) {
    store<u8>(verdicts + i, rule.test(load<u64>(fingerprints + (i << 3))));
  }
}

/** `observeBatch` with the rule of the detector's layout. */
export function observeLayout<Classic extends Rule, Blocked extends Rule>(
  fingerprints: u32,
  verdicts: u32,
  count: u32,
): u32 {
  return isBlocked()
    ? observeBatch<Blocked>(fingerprints, verdicts, count)
    : observeBatch<Classic>(fingerprints, verdicts, count);
}

/** `testBatch` with the rule of the detector's layout. */
export function testLayout<Classic extends Rule, Blocked extends Rule>(
  fingerprints: u32,
  verdicts: u32,
  count: u32,
): void {
  if (isBlocked()) testBatch<Blocked>(fingerprints, verdicts, count);
  else testBatch<Classic>(fingerprints, verdicts, count);
}
