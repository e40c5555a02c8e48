// What threads that share a memory need besides the functions of one thread.

import { OBSERVED_REGISTER, REGISTER_COUNT, register, setRegister } from './lib/memory';
import { beginOwned, endOwned } from './lib/owned';

export {
  MAX_OWNERS,
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
  setRegister(OBSERVED_REGISTER, <u64>first);
  beginOwned(base, owner);
}

export function ownedEnd(): void {
  endOwned();
}

/** Adds to the registers the changes of a copy of them. The copy was as at `before`, and is now as at `after`. */
export function registersAdd(before: u32, after: u32): void {
  for (let i: u32 = 0; i < REGISTER_COUNT; i++) {
    setRegister(i, register(i) + load<u64>(after + (i << 3)) - load<u64>(before + (i << 3)));
  }
}
