// What threads that share a memory need besides the functions of one thread.

import { OBSERVED_SLOT, STATE_SLOTS, setState, state } from './lib/memory';
import { beginOwned, endOwned } from './lib/owned';

export {
  MOST_OWNERS,
  ownedFingerprints,
  ownedSize,
  ownedVerdicts,
  ownersConfigure,
  ownersConfigurePartitions,
  ownersGroup,
  ownersUngroup,
} from './lib/owned';

/**
 * Begins to observe the elements of some owners, from `owner` on, in the batch whose memory is moved by `base` bytes. The first
 * element of the batch is number `first` of the stream.
 */
export function ownedBegin(base: u32, owner: u32, first: f64): void {
  setState(OBSERVED_SLOT, <u64>first);
  beginOwned(base, owner);
}

export function ownedEnd(): void {
  endOwned();
}

/** Adds to the state the changes of a copy of it. The copy was as at `before`, and is now as at `after`. */
export function stateAdd(before: u32, after: u32): void {
  for (let slot: u32 = 0; slot < STATE_SLOTS; slot++) {
    setState(slot, state(slot) + load<u64>(after + (slot << 3)) - load<u64>(before + (slot << 3)));
  }
}
