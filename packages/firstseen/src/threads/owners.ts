// How the elements of a detector are divided among threads. Each element has an owner: that of its cache line, or that of its partition. What
// the elements of different owners change is apart, so threads can observe them side by side.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { type Detector, familyOf, kernelOf } from '../detectors/detector.js';
import { partitionsConfiguration } from '../detectors/partitions.js';
import { cellsBytesOfPartition, type DetectorSettings } from '../detectors/settings.js';
import { CACHE_LINE_BYTES, MAX_OWNERS } from '../kernel/abi.js';
import type { Call } from './tasks.js';

/** The first `count` fingerprints of a batch. */
export interface ThreadBatch {
  /** The seat that has the groups of the batch. */
  seat: number;
  /** The distance by which its memory is moved. */
  threadBase: number;
  /** The distance of the fingerprints and verdicts, if they are not in the memory of the seat. */
  dataBase?: number;
  count: number;
  /** True if keys were left out after the calls that were made ahead; false by default. */
  isChanged?: boolean;
}

/** The owners from `start` to `end`. */
export interface OwnerRange {
  start: number;
  end: number;
}

export interface Owners {
  readonly count: number;
  /** The calls that prepare a seat where elements are grouped or observed. */
  readonly preparation: readonly Call[];
  /** Tells if what the elements of the owners change stays apart. It must be asked before each turn, for all batches of it. */
  canObserve(batches: readonly ThreadBatch[]): boolean;
  /** The calls that observe the elements of some owners in batches whose elements are grouped. */
  callsOf(range: OwnerRange, batches: readonly ThreadBatch[]): Call[];
}

/** More owners of cache lines than seats: the elements of an owner are observed together, and are in few pages. */
const OWNERS_PER_OBSERVER = 8;

/** The maximum number of partitions. With more, each has few elements in a turn. All of them must have an owner. */
const MAX_DIVIDED_PARTITIONS = 128;

/** Returns the reason why one thread observes all elements, and the remedy; undefined if threads can divide them. */
function oneThreadReason({ family, layout, partitions, parameters }: DetectorSettings) {
  const remedy = phrase`give ${optionName('partitions')} to divide it among threads`;
  if (!partitions) return layout === 'blocked' ? undefined : { what: `${family.name} in layout ${layout}`, remedy };
  const { count, held } = partitions;
  if (count > MAX_DIVIDED_PARTITIONS) {
    const remedy = phrase`give ${optionName('partitions')} ${MAX_DIVIDED_PARTITIONS} or less`;
    return { what: `a detector of ${count} partitions`, remedy };
  }
  if (held < count) return { what: 'a piece of a split detector', remedy: 'merge the pieces first' };
  if (!parameters.isTimed) return undefined;
  const elements = phrase`give ${optionName('window')} as a number of elements`;
  return { what: 'a detector of partitions whose window is a duration', remedy: elements };
}

/** Tells if several threads can observe the elements of a detector. */
export function isDivisible(settings: DetectorSettings): boolean {
  return oneThreadReason(settings) === undefined;
}

/** The warning that one thread observes all elements of a detector; undefined if that is not so. */
export function oneThreadWarning(settings: DetectorSettings): FirstseenError | undefined {
  const reason = oneThreadReason(settings);
  if (!reason) return undefined;
  const { what, remedy } = reason;
  return new FirstseenError('E_PARAMETER', `${what} is observed by one thread`, { option: 'threads', remedy });
}

/** The owners of a detector whose elements can be divided among this number of observers. */
export function ownersOf(detector: Detector, observers: number): Owners {
  return detector.settings.partitions
    ? new PartitionOwners(detector, detector.settings.partitions)
    : new CacheLineOwners(detector, observers);
}

function totalOf(batches: readonly ThreadBatch[]): number {
  return batches.reduce((sum, { count }) => sum + count, 0);
}

/** The parameters of an observation: those of the elements of some owners in a batch. The last one is their number. */
function groupOf(detector: Detector, { threadBase }: ThreadBatch, { start, end }: OwnerRange) {
  const { ownedFingerprints, ownedVerdicts, ownedSize } = kernelOf(detector).exports;
  return [
    ownedFingerprints(threadBase, start),
    ownedVerdicts(threadBase, start),
    ownedSize(threadBase, start, end),
  ].map((parameter) => parameter >>> 0) as [fingerprints: number, verdicts: number, size: number];
}

/** Owners of contiguous ranges of cache lines. Their elements have their numbers in the stream, from which their random draws follow. */
class CacheLineOwners implements Owners {
  readonly count: number;
  readonly preparation: readonly Call[];
  readonly #detector: Detector;
  readonly #observe: string;

  constructor(detector: Detector, observers: number) {
    const { name, groupBytes = CACHE_LINE_BYTES } = detector.settings.family;
    this.#detector = detector;
    this.#observe = `${name}Observe`;
    this.count = observers * Math.min(OWNERS_PER_OBSERVER, Math.floor(MAX_OWNERS / observers));
    this.preparation = [
      { name: `${name}Configure`, parameters: [] },
      { name: 'ownersConfigure', parameters: [this.count, Math.log2(groupBytes)] },
    ];
  }

  /** Nothing that is common to all cache lines may change, whatever the elements are. */
  canObserve(batches: readonly ThreadBatch[]): boolean {
    return totalOf(batches) <= (familyOf(this.#detector).rule.steady?.() ?? Number.POSITIVE_INFINITY);
  }

  callsOf(range: OwnerRange, batches: readonly ThreadBatch[]): Call[] {
    const calls: Call[] = [];
    let first = this.#detector.observed;
    for (const batch of batches) {
      const parameters = groupOf(this.#detector, batch, range);
      if (parameters[2] > 0) {
        calls.push({ name: 'ownedBegin', parameters: [batch.threadBase, range.start, first] });
        calls.push({ name: this.#observe, parameters });
      }
      first += batch.count;
    }
    if (calls.length > 0) calls.push({ name: 'ownedEnd', parameters: [] });
    return calls;
  }
}

/** Each owner has a partition, with its own cells and registers. */
class PartitionOwners implements Owners {
  readonly count: number;
  readonly preparation: readonly Call[];
  readonly #detector: Detector;
  readonly #family: string;
  /** The least room of each partition, in elements, when `observed` elements were observed. */
  #rooms: { leasts: readonly number[]; observed: number } | undefined;

  constructor(detector: Detector, partitions: NonNullable<DetectorSettings['partitions']>) {
    const { settings } = detector;
    const parameters = partitionsConfiguration(kernelOf(detector), partitions, cellsBytesOfPartition(settings));
    this.#detector = detector;
    this.#family = settings.family.name;
    this.count = partitions.count;
    this.preparation = [
      { name: 'partitionsConfigure', parameters },
      { name: 'ownersConfigurePartitions', parameters: [] },
    ];
  }

  /**
   * All elements must fit into their partitions, because no later element may be added after one that is refused. The partitions are
   * asked for their room only when the elements since they were asked last may have filled one.
   */
  canObserve(batches: readonly ThreadBatch[]): boolean {
    const { observed } = this.#detector;
    const sizes = Array.from({ length: this.count }, (_, partition) => this.#sizeIn(batches, partition));
    const fit = (rooms: readonly number[]) => sizes.every((size, partition) => size <= (rooms[partition] as number));
    const knownRooms = this.#rooms?.observed === observed ? this.#rooms.leasts : undefined;
    this.#rooms = undefined;
    const rooms = knownRooms && fit(knownRooms) ? knownRooms : familyOf(this.#detector).partitioned?.rooms();
    if (!rooms) return true;
    if (!fit(rooms)) return false;
    const leasts = rooms.map((room, partition) => room - (sizes[partition] as number));
    this.#rooms = { leasts, observed: observed + totalOf(batches) };
    return true;
  }

  callsOf({ start, end }: OwnerRange, batches: readonly ThreadBatch[]): Call[] {
    const calls: Call[] = [];
    for (let partition = start; partition < end; partition++) {
      const range = { start: partition, end: partition + 1 };
      const groups = batches.map((batch) => groupOf(this.#detector, batch, range)).filter(([, , size]) => size > 0);
      if (groups.length === 0) continue;
      calls.push({ name: 'partitionEnter', parameters: [partition] });
      calls.push({ name: `${this.#family}Configure`, parameters: [] });
      for (const parameters of groups) calls.push({ name: `${this.#family}Observe`, parameters });
      calls.push({ name: 'partitionLeave', parameters: [partition] });
    }
    return calls;
  }

  #sizeIn(batches: readonly ThreadBatch[], partition: number): number {
    const { ownedSize } = kernelOf(this.#detector).exports;
    return batches.reduce((sum, { threadBase }) => sum + (ownedSize(threadBase, partition, partition + 1) >>> 0), 0);
  }
}
