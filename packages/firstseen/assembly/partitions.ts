// A detector of P partitions is P detectors, one after the other in memory, each with its own cells and registers. An
// element belongs to the partition that the top bits of a hash select. In the blocked layout that is the hash that
// selects the cache line, so the cache lines of a partition are a contiguous range of the cache lines of a detector without partitions.
// In other layouts the other bits of that hash would not be uniform within a partition, so a hash of its own selects it.
//
// A batch is grouped by partition. The host enters each partition that has elements, lets the family observe its group,
// and leaves the partition. A partition therefore sees its elements in their order, and nothing of the others.

import { homeEnter, homeLeave } from './lib/home';
import {
  BATCH_CAPACITY,
  CELLS_OFFSET_PARAMETER,
  DUPLICATES_REGISTER,
  OBSERVED_REGISTER,
  PARTITION_PARAMETER,
  parameter,
  REGISTERS_BYTES,
  REGISTERS_OFFSET,
  register,
  setParameter,
  setRegister,
  TOTALS_OFFSET,
} from './lib/memory';
import { partitionOf } from './lib/partition';
import { seedRandom } from './lib/random';

export const MAX_PARTITIONS: u32 = 4096;

/** A group: its partition, counted from the first one held, and its first element and number of elements in the batch. */
export const PARTITION_GROUP_BYTES: u32 = 12;
const START: u32 = 4;
const SIZE: u32 = 8;

/** After the registers and groups: what is known about each element of a batch. */
const PARTITIONS_BYTES: u32 = BATCH_CAPACITY << 1;
const ORDER_BYTES: u32 = BATCH_CAPACITY << 1;
const GROUPED_BYTES: u32 = BATCH_CAPACITY << 3;
export const PARTITION_BATCH_BYTES: u32 = PARTITIONS_BYTES + ORDER_BYTES + BATCH_CAPACITY + GROUPED_BYTES;

/** The partitions held are `first` to `first + held - 1`. */
let first: u32 = 0;
let held: u32 = 0;
/** Bytes from the cells of one partition to those of the next. */
let stride: u32 = 0;
let cells: u32 = 0;

let registers: u32 = 0;
let groups: u32 = 0;
/** Of each element of a batch: its partition; and by position in the groups: its index in the batch. */
let partitions: u32 = 0;
let order: u32 = 0;
let groupedVerdicts: u32 = 0;
let groupedFingerprints: u32 = 0;

/** The first partition held is the one that the parameters name; its cells are where they say. */
export function partitionsConfigure(workspace: u32, heldPartitions: u32, strideBytes: u32): void {
  seedRandom();
  first = <u32>parameter(PARTITION_PARAMETER);
  cells = <u32>parameter(CELLS_OFFSET_PARAMETER);
  held = heldPartitions;
  stride = strideBytes;
  registers = workspace;
  groupedFingerprints = registers + held * REGISTERS_BYTES;
  groups = groupedFingerprints + GROUPED_BYTES;
  partitions = groups + held * PARTITION_GROUP_BYTES;
  order = partitions + PARTITIONS_BYTES;
  groupedVerdicts = order + ORDER_BYTES;
}

function groupAt(partition: u32): u32 {
  return groups + partition * PARTITION_GROUP_BYTES;
}

/**
 * Groups `count` fingerprints. There is one group for each partition held, in their order; some may be empty. Returns the
 * index of the first element of a partition that is not held; `count` if there is none.
 */
export function partitionsGroup(fingerprints: u32, count: u32): u32 {
  memory.fill(groups, 0, held * PARTITION_GROUP_BYTES);
  for (let i: u32 = 0; i < count; i++) {
    const partition = partitionOf(load<u64>(fingerprints + (i << 3))) - first;
    if (partition >= held) return i;
    store<u16>(partitions + (i << 1), <u16>partition);
    const size = groupAt(partition) + SIZE;
    store<u32>(size, load<u32>(size) + 1);
  }
  let start: u32 = 0;
  for (let partition: u32 = 0; partition < held; partition++) {
    const group = groupAt(partition);
    store<u32>(group, partition);
    store<u32>(group, start, START);
    start += load<u32>(group, SIZE);
    store<u32>(group, 0, SIZE);
  }
  for (let i: u32 = 0; i < count; i++) {
    const group = groupAt(load<u16>(partitions + (i << 1)));
    const at = load<u32>(group, START) + load<u32>(group, SIZE);
    store<u32>(group, load<u32>(group, SIZE) + 1, SIZE);
    store<u16>(order + (at << 1), <u16>i);
    store<u64>(groupedFingerprints + (at << 3), load<u64>(fingerprints + (i << 3)));
  }
  return count;
}

/** Writes the partition of each of `count` fingerprints, whether it is held or not, as 16 bits; returns their address. */
export function partitionsFind(fingerprints: u32, count: u32): u32 {
  for (let i: u32 = 0; i < count; i++) {
    store<u16>(partitions + (i << 1), <u16>partitionOf(load<u64>(fingerprints + (i << 3))));
  }
  return partitions;
}

/** Writes the verdicts on the groups in the order of the batch. */
export function partitionsScatter(verdicts: u32, count: u32): void {
  for (let at: u32 = 0; at < count; at++) {
    store<u8>(verdicts + load<u16>(order + (at << 1)), load<u8>(groupedVerdicts + at));
  }
}

export function partitionsGroups(): u32 {
  return groups;
}

/** By position in the groups, the index of each element in the batch. */
export function partitionsOrder(): u32 {
  return order;
}

export function partitionsFingerprints(): u32 {
  return groupedFingerprints;
}

export function partitionsVerdicts(): u32 {
  return groupedVerdicts;
}

function registersAt(partition: u32): u32 {
  return registers + partition * REGISTERS_BYTES;
}

/** Makes a partition the detector. The host must configure the family before it uses it. */
export function partitionEnter(partition: u32): void {
  memory.copy(TOTALS_OFFSET, REGISTERS_OFFSET, REGISTERS_BYTES);
  homeEnter(cells + partition * stride, registersAt(partition));
  setParameter(PARTITION_PARAMETER, <f64>(first + partition));
}

/** Stores the registers of the partition that was entered, and adds what it observed to the totals. */
export function partitionLeave(partition: u32): void {
  const before = registersAt(partition);
  const observed = register(OBSERVED_REGISTER) - load<u64>(before, OBSERVED_REGISTER << 3);
  const duplicates = register(DUPLICATES_REGISTER) - load<u64>(before, DUPLICATES_REGISTER << 3);
  homeLeave(before);
  homeEnter(cells, TOTALS_OFFSET);
  setRegister(OBSERVED_REGISTER, register(OBSERVED_REGISTER) + observed);
  setRegister(DUPLICATES_REGISTER, register(DUPLICATES_REGISTER) + duplicates);
  setParameter(PARTITION_PARAMETER, <f64>first);
}
