// Owners share the cells of a detector. Without partitions, in the blocked layout, each has a contiguous range of cache lines, and observes
// the elements whose cache line is in its range, in their order, each with its number in the stream. Where an element may also change
// other cache lines of its group of cache lines, no group is divided. With partitions, each has a partition.
// So the answers and the cells are those of one owner.

import { cacheLineAnchor, homeCacheLine } from './cachelines';
import { groupOf, lastGroupOf } from './groups';
import {
  cellsBytes,
  cellsOffset,
  OWNED_INDEXES_OFFSET,
  OWNED_OFFSET,
  OWNED_STARTS_OFFSET,
  OWNERS_OFFSET,
  threadBase,
} from './memory';
import { partitionBits, partitionOf } from './partition';

export const MAX_OWNERS: u32 = 255;

let ownerCount: u32 = 1;
let havePartitions: bool = false;
/**
 * The address of the first cache line, and a factor: the upper 32 bits of its product with the number of a group of cache lines are the owner.
 */
let firstCacheLine: u32 = 0;
let ownersPerGroup: u64 = 0;
/** log2 of the bytes of a group, and the number of the last one. */
let groupShift: u32 = 0;
let lastGroup: u32 = 0;
/** The indexes in their batch of the elements that are observed; 0 if these are a whole batch. */
let indexes: u32 = 0;

/** Divides the groups of cache lines, of 2^groupBits bytes each, among owners. The family must be configured. */
export function ownersConfigure(owners: u32, groupBits: u32): void {
  ownerCount = owners;
  havePartitions = false;
  firstCacheLine = cellsOffset();
  groupShift = groupBits;
  lastGroup = lastGroupOf(cellsBytes(), groupBits);
  ownersPerGroup = ((<u64>owners) << 32) / (lastGroup + 1);
}

/** Gives each partition to an owner. The partitions must be configured, all of them held, and not more than MAX_OWNERS. */
export function ownersConfigurePartitions(): void {
  ownerCount = 1 << partitionBits();
  havePartitions = true;
}

function ownerOf(fingerprint: u64): u32 {
  if (havePartitions) return partitionOf(fingerprint);
  const group = groupOf(homeCacheLine(cacheLineAnchor(fingerprint)) - firstCacheLine, groupShift, lastGroup);
  return <u32>((<u64>group * ownersPerGroup) >> 32);
}

/** Returns the index at which the group of an owner starts, in the memory that is `distance` bytes from this one. */
function startOf(distance: u32, owner: u32): u32 {
  return load<u32>(distance + OWNED_STARTS_OFFSET + (owner << 2));
}

/**
 * Groups the elements of a batch by owner: their fingerprints, their indexes in the batch, and where each group starts. The
 * owners of all elements are found and counted first.
 */
export function ownersGroup(fingerprints: u32, count: u32): void {
  memory.fill(OWNED_STARTS_OFFSET, 0, (ownerCount + 2) << 2);
  for (let i: u32 = 0; i < count; i++) {
    const owner = ownerOf(load<u64>(fingerprints + (i << 3)));
    store<u8>(OWNERS_OFFSET + i, <u8>owner);
    // The count of an owner is where the one after the next starts.
    const counted = OWNED_STARTS_OFFSET + (owner << 2);
    store<u32>(counted, load<u32>(counted, 8) + 1, 8);
  }
  for (let owner: u32 = 0; owner < ownerCount; owner++) {
    const start = OWNED_STARTS_OFFSET + (owner << 2);
    store<u32>(start, load<u32>(start, 4) + load<u32>(start, 8), 8);
  }
  for (let i: u32 = 0; i < count; i++) {
    const next = OWNED_STARTS_OFFSET + ((<u32>load<u8>(OWNERS_OFFSET + i)) << 2);
    const at = load<u32>(next, 4);
    store<u32>(next, at + 1, 4);
    store<u64>(OWNED_OFFSET + (at << 3), load<u64>(fingerprints + (i << 3)));
    store<u16>(OWNED_INDEXES_OFFSET + (at << 1), <u16>i);
  }
}

/**
 * The number of elements of the owners from `owner` up to `end`, which is not included, in the memory that is moved by `base` bytes.
 * Groups of successive owners are adjacent.
 */
export function ownedSize(base: u32, owner: u32, end: u32): u32 {
  const distance = base - threadBase;
  return startOf(distance, end) - startOf(distance, owner);
}

/** Begins to observe groups from that of an owner on. */
export function beginOwned(base: u32, owner: u32): void {
  const distance = base - threadBase;
  indexes = distance + OWNED_INDEXES_OFFSET + (startOf(distance, owner) << 1);
}

/** The address of the fingerprints of a group. */
export function ownedFingerprints(base: u32, owner: u32): u32 {
  const distance = base - threadBase;
  return distance + OWNED_OFFSET + (startOf(distance, owner) << 3);
}

/** The address of the verdicts of a group, which take the memory of the owners, who are known by then. */
export function ownedVerdicts(base: u32, owner: u32): u32 {
  const distance = base - threadBase;
  return distance + OWNERS_OFFSET + startOf(distance, owner);
}

/**
 * Writes the verdicts of all `count` elements of a batch to `verdicts`, in their order in the batch; returns the number of
 * duplicates. Owners do not write them there themselves, because a cache line that several threads write moves between them
 * with every write.
 */
export function ownersUngroup(base: u32, verdicts: u32, count: u32): u32 {
  const distance = base - threadBase;
  let duplicates: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const index = load<u16>(distance + OWNED_INDEXES_OFFSET + (i << 1));
    const verdict = load<u8>(distance + OWNERS_OFFSET + i);
    store<u8>(verdicts + index, verdict);
    duplicates += verdict;
  }
  return duplicates;
}

export function endOwned(): void {
  indexes = 0;
}

/** The index in its batch of element number `i` of those that are observed. */
export function indexInBatch(i: u32): u32 {
  if (!ASC_FEATURE_THREADS) return i;
  return indexes != 0 ? load<u16>(indexes + (i << 1)) : i;
}
