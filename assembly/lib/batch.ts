// Every detector walks a batch in three passes. The first works out the addresses that the elements will need, the second
// only loads from them: nothing stands between these loads, so as many cache misses overlap as the machine can have. The
// third decides and updates, with its lines at hand. Batches of the host are cut here into blocks whose lines fit the
// caches.

import { DUPLICATES_SLOT, isBlocked, OBSERVED_SLOT, setState, state, WORKSPACE_OFFSET } from './memory';

/** Elements per round of passes: few enough that ten lines for each of them stay in the first cache. */
const BLOCK: u32 = 64;

/** Where the second pass leaves its sum, so that no compiler can drop its loads. */
export let touchedSum: u64 = 0;

/** What a family's rule is to a batch. Concrete classes are bound at compile time; no method is ever virtual. */
export abstract class Rule {
  /** Lists, from `at` on, an address in every line that `observe` will need; returns the end of the list. */
  abstract lines(fingerprint: u64, index: u64, at: u32): u32;
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
    let listed: u32 = WORKSPACE_OFFSET;
    for (let i = start; i < end; i++) {
      listed = rule.lines(load<u64>(fingerprints + (i << 3)), first + i, listed);
    }
    for (let at: u32 = WORKSPACE_OFFSET; at < listed; at += 4) sum += load<u64>(load<u32>(at));
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

/** Adds an address to the list that ends at `at`; returns its new end. */
export function list(at: u32, address: u32): u32 {
  store<u32>(at, address);
  return at + 4;
}
