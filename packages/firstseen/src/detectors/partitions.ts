// A detector of P partitions: P detectors of one family, one after the other in memory (assembly/partitions.ts). To the Detector it
// looks like the functions of one family.

import { checkPowerOfTwo } from '../base/check.js';
import { FirstseenError } from '../base/errors.js';
import {
  CELLS_BYTES_PARAMETER,
  type DetectorExports,
  DUPLICATES_REGISTER,
  HOST_CLOCK_REGISTER,
  MAX_PARTITIONS,
  OBSERVED_REGISTER,
  PARTITION_BATCH_BYTES,
  PARTITION_BITS_PARAMETER,
  PARTITION_GROUP_BYTES,
  PARTITION_PARAMETER,
  REGISTER_COUNT,
  REGISTERS_BYTES,
} from '../kernel/abi.js';
import { type Kernel, wholeCacheLines } from '../kernel/kernel.js';
import type { ResolvedParameters, Window, WindowBand } from './contract.js';

/** The number of partitions, and those of them that a detector holds: all, or after a split a range. */
export interface Partitions {
  /** P, a power of two. */
  count: number;
  /** The first partition held, and the number of partitions held. */
  first: number;
  held: number;
}

/** Elements that a partition observed, and its load. */
export interface PartitionStats {
  partition: number;
  observed: number;
  load: number;
}

export interface PartitionsStats extends Partitions {
  /** The partitions with the most and the fewest elements. */
  fullest: PartitionStats;
  emptiest: PartitionStats;
}

export function partitionsStats(partitions: Partitions, all: readonly PartitionStats[]): PartitionsStats {
  const ordered = all.toSorted((a, b) => a.observed - b.observed || a.load - b.load);
  const [emptiest, fullest] = [ordered[0], ordered.at(-1)] as [PartitionStats, PartitionStats];
  return { ...partitions, fullest, emptiest };
}

/** @throws FirstseenError E_PARAMETER unless the value is a power of two up to 4096. */
export function checkPartitionCount(value: unknown): number {
  return checkPowerOfTwo('partitions', value, MAX_PARTITIONS);
}

/** Bytes of the kernel's memory in addition to the cells: the registers of the partitions, and a batch in groups. */
export function partitionsBytes({ held }: Partitions): number {
  return PARTITION_BATCH_BYTES + held * (REGISTERS_BYTES + PARTITION_GROUP_BYTES);
}

/** The parameters of the kernel's `partitionsConfigure`. */
export function partitionsConfiguration(
  { partitionsOffset }: Kernel,
  { held }: Partitions,
  cellsBytes: number,
): [workspace: number, held: number, strideBytes: number] {
  return [partitionsOffset, held, wholeCacheLines(cellsBytes)];
}

/** Standard deviations by which a window of elements is wider within a partition: exceeded once in a billion. */
const WINDOW_DEVIATIONS = 6;
const HALF_DEVIATIONS = WINDOW_DEVIATIONS / 2;

/**
 * The window of one partition. Of N consecutive elements of the stream a partition gets about N / P, with a standard deviation of
 * at most sqrt(N / P) if no key is frequent. Its window is six of them wider, so that repeats within N elements are found.
 */
export function windowOfPartition(window: Window, count: number): Window {
  if (count === 1 || 'milliseconds' in window) return window;
  const mean = window.elements / count;
  return { elements: Math.ceil(mean + WINDOW_DEVIATIONS * Math.sqrt(mean)) };
}

/** The band of the whole detector, in elements of the stream, from that of one partition: the inverse of `windowOfPartition`. */
export function bandOfPartitions({ band }: ResolvedParameters, { count }: Partitions): { band?: WindowBand } {
  if (!band || 'fromMilliseconds' in band) return {};
  const to = (Math.sqrt(HALF_DEVIATIONS ** 2 + band.toElements) + HALF_DEVIATIONS) ** 2;
  const fromElements = Math.floor(count * elementsWithin(band.fromElements));
  return { band: { fromElements, toElements: Math.ceil(count * to) } };
}

/** The mean m of the elements of a partition with m + 6 sqrt(m) at most `most`. */
export function elementsWithin(most: number): number {
  return (Math.sqrt(HALF_DEVIATIONS ** 2 + most) - HALF_DEVIATIONS) ** 2;
}

export interface PartitionRequest {
  kernel: Kernel;
  rule: DetectorExports;
  partitions: Partitions;
  /** Bytes of the cells of one partition. */
  cellsBytes: number;
  /** True if the family forgets by a clock that the host sets. */
  isTimed: boolean;
}

/** The elements of a batch that belong to one partition. */
interface Group {
  /** Counted from the first partition held. */
  partition: number;
  /** Index of the first element among those of all groups. */
  start: number;
  size: number;
}

/** Numbers of a group, as the kernel writes it. */
const GROUP_NUMBERS = PARTITION_GROUP_BYTES / Uint32Array.BYTES_PER_ELEMENT;

type Observe = DetectorExports['observe'];

export class PartitionedRule implements DetectorExports {
  /** The registers of the partitions held, one after the other. */
  readonly registers: BigUint64Array<ArrayBuffer>;
  readonly #kernel: Kernel;
  readonly #rule: DetectorExports;
  readonly #partitions: Partitions;
  readonly #isTimed: boolean;
  /** The groups of the current batch, as the kernel writes them. */
  readonly #groups: Uint32Array;
  /** The index in the batch of each element of the groups. */
  readonly #order: Uint16Array;
  readonly #groupedFingerprints: number;
  readonly #groupedVerdicts: number;
  /** The largest time of any partition. */
  #latest = 0;
  #refusal: FirstseenError | undefined;
  /** Counts of the elements that were not stored, and that left early; absent for a family without them. */
  readonly unstored?: () => number;
  readonly shortened?: () => number;

  constructor({ kernel, rule, partitions, cellsBytes, isTimed }: PartitionRequest) {
    this.#kernel = kernel;
    this.#rule = rule;
    this.#partitions = partitions;
    this.#isTimed = isTimed;
    const { unstored, shortened } = rule;
    if (unstored) this.unstored = () => this.#sumOf(unstored);
    if (shortened) this.shortened = () => this.#sumOf(shortened);
    kernel.setParameters([
      [CELLS_BYTES_PARAMETER, cellsBytes],
      [PARTITION_BITS_PARAMETER, Math.log2(partitions.count)],
      [PARTITION_PARAMETER, partitions.first],
    ]);
    const { exports, bytes, partitionsOffset } = kernel;
    exports.partitionsConfigure(...partitionsConfiguration(kernel, partitions, cellsBytes));
    const { buffer } = bytes;
    this.registers = new BigUint64Array(buffer, partitionsOffset, partitions.held * REGISTER_COUNT);
    this.#groups = new Uint32Array(buffer, exports.partitionsGroups() >>> 0, partitions.held * GROUP_NUMBERS);
    this.#order = new Uint16Array(buffer, exports.partitionsOrder() >>> 0, kernel.batchCapacity);
    this.#groupedFingerprints = exports.partitionsFingerprints() >>> 0;
    this.#groupedVerdicts = exports.partitionsVerdicts() >>> 0;
  }

  // The Detector calls these as plain functions.

  readonly configure = (): void => this.#rule.configure();

  /** An element that the detector does not take ends the batch before it. */
  readonly observe: Observe = (fingerprints, verdicts, count) =>
    this.#observeGrouped(verdicts, this.#groupsOf(fingerprints, count), this.#rule.observe);

  readonly observeTimed: Observe = (fingerprints, verdicts, count) => {
    const { observeTimed } = this.#rule;
    if (!observeTimed) throw new Error('this family takes no times');
    const { times } = this.#kernel;
    const batchTimes = times.slice(0, count);
    const groups = this.#groupsOf(fingerprints, count);
    const timesInGroups = Float64Array.from(this.#order.subarray(0, count), (index) => batchTimes[index] as number);
    const takenCount = this.#observeGrouped(verdicts, groups, (at, answers, size) => {
      const start = (at - this.#groupedFingerprints) / BigUint64Array.BYTES_PER_ELEMENT;
      times.set(timesInGroups.subarray(start, start + size));
      return observeTimed(at, answers, size);
    });
    times.set(batchTimes);
    return takenCount;
  };

  /** @throws FirstseenError E_PARTITION for an element of a partition that is not held. */
  readonly test: DetectorExports['test'] = (fingerprints, verdicts, count) => {
    const groups = this.#groupsOf(fingerprints, count);
    if (this.#refusal) throw this.#refusal;
    for (const { partition, start, size } of groups) {
      this.#visit(partition, () => this.#rule.test(this.#fingerprintsAt(start), this.#groupedVerdicts + start, size));
    }
    this.#kernel.exports.partitionsScatter(verdicts, count);
  };

  /** Partitions get the time when they are visited next. */
  readonly advance = (milliseconds: number): void => {
    const { registers } = this.#kernel;
    const time = BigInt(Math.floor(milliseconds));
    if (time > (registers[HOST_CLOCK_REGISTER] as bigint)) registers[HOST_CLOCK_REGISTER] = time;
  };

  /** The largest time of any partition. */
  readonly clock = (): number => Math.max(Number(this.#kernel.registers[HOST_CLOCK_REGISTER]), this.#latest);

  readonly setClock = (milliseconds: number): void => {
    this.settle();
    const { registers } = this.#kernel;
    const time = BigInt(Math.floor(milliseconds));
    if (time < (registers[HOST_CLOCK_REGISTER] as bigint)) registers[HOST_CLOCK_REGISTER] = time;
    this.#latest = 0;
    this.each(() => {
      if ((this.#rule.clock?.() ?? 0) > milliseconds) this.#rule.setClock?.(milliseconds);
    });
  };

  readonly load = (): number => {
    const loads = this.each(() => this.#rule.load());
    return loads.reduce((sum, load) => sum + load, 0) / loads.length;
  };

  readonly check = (): number => {
    const { registers } = this.#kernel;
    const sums = [OBSERVED_REGISTER, DUPLICATES_REGISTER].map((register) => {
      let sum = 0n;
      for (let at = register; at < this.registers.length; at += REGISTER_COUNT) sum += this.registers[at] as bigint;
      return sum === registers[register];
    });
    const isPossible = () =>
      (registers[DUPLICATES_REGISTER] as bigint) <= (registers[OBSERVED_REGISTER] as bigint) &&
      this.#rule.check?.() !== 0;
    if (registers[HOST_CLOCK_REGISTER] !== 0n && !this.#isTimed) return 0;
    return Number(sums.every(Boolean) && this.each(isPossible).every(Boolean));
  };

  #sumOf(count: () => number): number {
    return this.each(count).reduce((sum, one) => sum + one, 0);
  }

  /** Makes all partitions empty. */
  clear(): void {
    this.registers.fill(0n);
    this.#latest = 0;
  }

  /** Gives all partitions the time that the host set last, so that their registers do not depend on which were visited since. */
  settle(): void {
    if (this.#isTimed) this.each(() => undefined);
  }

  /** The number of elements that fit into each partition held, whatever they are; undefined if the family never refuses one. */
  rooms(): number[] | undefined {
    const { room } = this.#rule;
    return room && this.each(room);
  }

  /** The elements and the load of each partition held. */
  stats(): PartitionStats[] {
    const { registers } = this.#kernel;
    return this.each((partition) => ({
      partition: this.#partitions.first + partition,
      observed: Number(registers[OBSERVED_REGISTER]),
      load: this.#rule.load(),
    }));
  }

  #fingerprintsAt(start: number): number {
    return this.#groupedFingerprints + start * BigUint64Array.BYTES_PER_ELEMENT;
  }

  /** The error of the last batch, if an element of a partition that is not held ended it. */
  get refusal(): FirstseenError | undefined {
    return this.#refusal;
  }

  /** The groups of a batch up to the first element of a partition that is not held. */
  #groupsOf(fingerprints: number, count: number): Group[] {
    const { partitionsGroup } = this.#kernel.exports;
    const ownedElements = partitionsGroup(fingerprints, count) >>> 0;
    this.#refusal = ownedElements < count ? notHeld(this.#partitions) : undefined;
    if (ownedElements < count) partitionsGroup(fingerprints, ownedElements);
    const groups: Group[] = [];
    for (let at = 0; at < this.#groups.length; at += GROUP_NUMBERS) {
      const size = this.#groups[at + 2] as number;
      if (size === 0) continue;
      groups.push({ partition: this.#groups[at] as number, start: this.#groups[at + 1] as number, size });
    }
    return groups;
  }

  #observeGrouped(verdicts: number, groups: readonly Group[], observe: Observe): number {
    const count = groups.reduce((sum, { size }) => sum + size, 0);
    if (!groups.every((group) => this.#hasRoom(group))) return this.#observeInOrder(verdicts, groups, count, observe);
    for (const { partition, start, size } of groups) {
      this.#visit(partition, () => observe(this.#fingerprintsAt(start), this.#groupedVerdicts + start, size));
    }
    this.#kernel.exports.partitionsScatter(verdicts, count);
    return count;
  }

  /** Tells if all elements of a group fit, however many of them are new. */
  #hasRoom({ partition, size }: Group): boolean {
    const { room } = this.#rule;
    return room === undefined || this.#visit(partition, room) >= size;
  }

  /**
   * Observes the elements one after the other. A partition that is full ends the batch there, so that no element after it is added
   * to another partition.
   */
  #observeInOrder(verdicts: number, groups: readonly Group[], count: number, observe: Observe): number {
    const partitions = new Uint16Array(count);
    const positions = new Uint16Array(count);
    for (const { partition, start, size } of groups) {
      for (let at = start; at < start + size; at++) {
        const index = this.#order[at] as number;
        partitions[index] = partition;
        positions[index] = at;
      }
    }
    const { bytes } = this.#kernel;
    for (let index = 0; index < count; index++) {
      const at = positions[index] as number;
      const answer = this.#groupedVerdicts + at;
      const takenCount = this.#visit(partitions[index] as number, () => observe(this.#fingerprintsAt(at), answer, 1));
      if (takenCount === 0) {
        this.#refusal = undefined;
        return index;
      }
      bytes[verdicts + index] = bytes[answer] as number;
    }
    return count;
  }

  /** Makes a partition the detector while `work` runs. */
  #visit<Result>(partition: number, work: (partition: number) => Result): Result {
    const { exports, registers } = this.#kernel;
    const hostClock = this.#isTimed ? Number(registers[HOST_CLOCK_REGISTER]) : 0;
    exports.partitionEnter(partition);
    try {
      this.#rule.configure();
      if (hostClock > 0) this.#rule.advance?.(hostClock);
      const result = work(partition);
      if (this.#isTimed) this.#latest = Math.max(this.#latest, this.#rule.clock?.() ?? 0);
      return result;
    } finally {
      exports.partitionLeave(partition);
    }
  }

  /** Makes each partition held the detector while `work` runs. */
  each<Result>(work: (partition: number) => Result): Result[] {
    return Array.from({ length: this.#partitions.held }, (_, partition) => this.#visit(partition, work));
  }
}

function notHeld({ count, first, held }: Partitions): FirstseenError {
  const range = held === 1 ? `only partition ${first}` : `only the partitions ${first} to ${first + held - 1}`;
  const problem = `an element belongs to a partition that this detector does not hold: it holds ${range} of ${count}`;
  return new FirstseenError('E_PARTITION', problem, {
    remedy: 'give each partition only its own elements, or merge the partitions first',
  });
}
