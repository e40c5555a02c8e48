// Shared code of the buffering methods (deng-2006, section 2.2): an element found in the buffer is marked as used; any
// other element enters, and replaces an entry when the buffer is full.

import { LOCATION_BYTES, listLocation, locationDetail, observeBatch, Rule, testBatch } from './batch';
import {
  BUFFER_CLOCK,
  BUFFER_MILESTONES_PARAMETER,
  BUFFER_REPLACEMENT_PARAMETER,
  capacity,
  chainsAreValid,
  configureEntries,
  findEntry,
  firstRead,
  headOfEntry,
  headOfHash,
  heldEntries,
  linkEntry,
  NO_ENTRY,
  nextLink,
  takeEntry,
  touchKey,
  unlinkEntry,
} from './entries';
import { parameter, WORKSPACE_OFFSET } from './memory';
import { MAX_NEEDED } from './milestones';
import { addressHash, seedRandom } from './random';
import { Clock, Lru, Replacement } from './replacement';
import { keepTouched } from './touched';

/** Elements of one block of the batch. */
const BLOCK: u32 = MAX_NEEDED;

/**
 * A list is one location (the first entry of the element's chain, with the address of the chain's head as its detail),
 * then the element's hash.
 */
export abstract class BufferingRule<R extends Replacement> extends Rule {
  listBytes(): u32 {
    return LOCATION_BYTES + 8;
  }
  touchBytes(): u32 {
    return LOCATION_BYTES;
  }
  list(fingerprint: u64, index: u64, at: u32): void {
    const hash = addressHash(fingerprint, 0);
    const head = headOfHash(hash);
    store<u64>(listLocation(at, firstRead(head), head), hash);
  }
  hash(at: u32): u64 {
    return load<u64>(at, LOCATION_BYTES);
  }
  /** Returns 1 if the buffer holds the element, else 0. */
  holds(at: u32): u32 {
    return u32(findEntry(locationDetail(at), this.hash(at)) != NO_ENTRY);
  }
  /**
   * Returns whether the buffer held the element before the call, 1 or 0. Afterwards the element is in the buffer, and is the
   * most recently used.
   */
  enter(at: u32): u32 {
    const replacement = changetype<R>(0);
    const found = findEntry(locationDetail(at), this.hash(at));
    if (found != NO_ENTRY) {
      replacement.use(found);
      return 1;
    }
    let entry: u32;
    if (heldEntries() < capacity) {
      entry = takeEntry();
      replacement.admit(entry);
    } else {
      entry = replacement.replace();
      unlinkEntry(entry);
    }
    linkEntry(entry, this.hash(at));
    return 0;
  }
}

let isClock: bool = false;

export function configureBuffer(): void {
  seedRandom();
  isClock = parameter(BUFFER_REPLACEMENT_PARAMETER) == <f64>BUFFER_CLOCK;
  if (isClock) configureWith<Clock>();
  else configureWith<Lru>();
}

function configureWith<R extends Replacement>(): void {
  const replacement = changetype<R>(0);
  configureEntries(replacement.bytes());
  replacement.configure(<u32>parameter(BUFFER_MILESTONES_PARAMETER));
}

/**
 * Touches the cache lines that the lists of a block cannot name yet: the heads of the chains, the first two entries of each
 * chain, and the heads of the entries that would be replaced if every element of the block were new.
 */
function touchAhead<R extends Replacement>(fingerprints: u32, count: u32): void {
  let at: u32 = WORKSPACE_OFFSET;
  if (heldEntries() == capacity) {
    const replacement = changetype<R>(0);
    const known = replacement.know(count);
    for (let i: u32 = 0; i < known; i++) {
      store<u32>(at, headOfEntry(replacement.upcoming(i)));
      at += 4;
    }
  }
  const links = at;
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(at, headOfHash(addressHash(load<u64>(fingerprints + (i << 3)), 0)));
    at += 4;
  }
  let sum: u32 = 0;
  for (let link: u32 = WORKSPACE_OFFSET; link < at; link += 4) sum += load<u32>(load<u32>(link));
  keepTouched(sum + touchNext(links, at) + touchNext(links, at));
}

/** Advances each link of a list to the link of the entry that it points to. */
function touchNext(from: u32, to: u32): u32 {
  let sum: u32 = 0;
  for (let at = from; at < to; at += 4) {
    const link = nextLink(load<u32>(at));
    store<u32>(at, link);
    sum += load<u32>(link) + touchKey(link);
  }
  return sum;
}

/** `observeBatch` with the rule for the detector's replacement policy. */
export function observeBuffer<L extends Rule, C extends Rule>(fingerprints: u32, verdicts: u32, count: u32): u32 {
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const next = fingerprints + (start << 3);
    const size = min(BLOCK, count - start);
    if (isClock) {
      touchAhead<Clock>(next, size);
      observeBatch<C>(next, verdicts + start, size);
    } else {
      touchAhead<Lru>(next, size);
      observeBatch<L>(next, verdicts + start, size);
    }
  }
  return count;
}

/** `testBatch` with the rule for the detector's replacement policy. */
export function testBuffer<L extends Rule, C extends Rule>(fingerprints: u32, verdicts: u32, count: u32): void {
  if (isClock) testBatch<C>(fingerprints, verdicts, count);
  else testBatch<L>(fingerprints, verdicts, count);
}

/** Tells if a loaded snapshot is valid. Only then do chains end and links stay inside the memory. */
export function bufferIsValid(): u32 {
  if (!chainsAreValid()) return 0;
  return u32(isClock ? changetype<Clock>(0).isValid() : changetype<Lru>(0).isValid());
}
