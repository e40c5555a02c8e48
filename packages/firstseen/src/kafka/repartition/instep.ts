// Reads the partitions of a topic in step by the times of their records. A backlog is read partition after partition otherwise, and a window
// in time would be moved by the first one over what the others hold. Records that are ahead are held back, and their partitions pause
// (docs/decisions/129-in-step.md).

import type { ResolvedParameters } from '../../detectors/contract.js';
import { isTime } from '../../detectors/refusals.js';
import { witnessWindow } from '../../detectors/witness.js';
import type { Fetched, KafkaRecord } from '../../io/kafka/contract.js';
import { byPartition } from '../messages/keys.js';

/** Partitions may be apart by this part of the window. */
const WINDOW_SHARE = 10;
const MIN_STEP_MILLISECONDS = 1000;
/** Records by the median of which one is judged whose time is ahead, so that a wrong time holds nothing back. */
const NEIGHBOURS = 5;
/** Records that a partition holds back before it pauses, if the step of all is small. */
const MIN_SHARE = 100;
/** Records of so many transactions are held back by all partitions together. With fewer, each transaction would be small. */
const HELD_TRANSACTIONS = 4;
/** A partition goes on when it holds this part of its share. */
const PART_OF_SHARE = 4;
/** Bytes that are held back in all before every partition that holds some pauses. */
const MAX_HELD_BYTES = 2 ** 25;

/**
 * Returns the greatest difference in time between partitions, in milliseconds; undefined for a window that is not a
 * time.
 */
export function stepOf(parameters: ResolvedParameters): number | undefined {
  if (!parameters.isTimed) return undefined;
  return Math.max(MIN_STEP_MILLISECONDS, Math.floor(witnessWindow(parameters).size / WINDOW_SHARE));
}

export interface InStepOptions {
  /** The greatest difference in time between partitions, in milliseconds; undefined to hold nothing back. */
  stepMilliseconds: number | undefined;
  /** Records of a transaction. */
  maxRecords: number;
}

/** Records of one partition, in their order. */
export interface Run {
  partition: number;
  records: readonly KafkaRecord[];
}

/** The progress of a partition. */
interface Pace {
  /** Records that were read, and are held back. */
  held: readonly KafkaRecord[];
  heldBytes: number;
  /** The offset of the first record that was not read. */
  next: number;
  /** The end of the partition when it was read to its end. */
  end: number;
  /** The time of what was emitted. */
  time: number;
}

function bytesOf(records: readonly KafkaRecord[]): number {
  return records.reduce((sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0), 0);
}

/** The time of a record: its own, or that of the records after it if they are earlier, since its own may be wrong then. */
function timeAt(records: readonly KafkaRecord[], i: number): number {
  const times = records.slice(i, i + NEIGHBOURS).map(({ timestamp }) => (isTime(timestamp) ? timestamp : 0));
  const itsTime = times[0] as number;
  return Math.min(itsTime, times.sort((one, other) => one - other)[times.length >> 1] as number, Date.now());
}

export class InStep {
  readonly #options: InStepOptions;
  readonly #paces = new Map<number, Pace>();
  /** Up to which time records are emitted. It does not go back, so that a late record holds nothing back. */
  #limit = 0;
  #paused: ReadonlySet<number> = new Set();

  constructor(options: InStepOptions) {
    this.#options = options;
  }

  /** Takes a partition that is read from an offset on. */
  open(partition: number, position: number): void {
    this.#paces.set(partition, { held: [], heldBytes: 0, next: position, end: -1, time: 0 });
  }

  /** Forgets a partition, with what it holds back. */
  close(partition: number): void {
    this.#paces.delete(partition);
    if (this.#paces.size === 0) this.#limit = 0;
  }

  /** Tells if a partition holds records back. */
  holds(partition: number): boolean {
    return (this.#paces.get(partition)?.held.length ?? 0) > 0;
  }

  get #held(): { records: number; bytes: number } {
    const sum = { records: 0, bytes: 0 };
    for (const { held, heldBytes } of this.#paces.values()) {
      sum.records += held.length;
      sum.bytes += heldBytes;
    }
    return sum;
  }

  /** Records that a partition may hold back before it pauses. */
  get #share(): number {
    const { maxRecords } = this.#options;
    const share = Math.ceil((HELD_TRANSACTIONS * maxRecords) / Math.max(1, this.#paces.size));
    return Math.max(MIN_SHARE, Math.min(maxRecords, share));
  }

  /**
   * Decides which partitions pause: those that hold enough records back, so that those that are behind are read. A paused partition resumes
   * only when it holds much less, because the client has to fetch again after each pause.
   */
  pause(): ReadonlySet<number> {
    const isFull = this.#held.bytes >= MAX_HELD_BYTES;
    const [share, before] = [this.#share, this.#paused];
    const least = (partition: number) => (isFull ? 1 : before.has(partition) ? share / PART_OF_SHARE : share);
    const pausing = [...this.#paces].filter(([partition, { held }]) => held.length >= least(partition));
    this.#paused = new Set(pausing.map(([partition]) => partition));
    return this.#paused;
  }

  /** Records that may be read at a time, so that what is held back stays small. */
  get most(): number {
    const { records, bytes } = this.#held;
    if (records === 0) return this.#options.maxRecords;
    const room = Math.max(0, MAX_HELD_BYTES - bytes);
    return Math.max(1, Math.min(this.#share, Math.floor((room * records) / Math.max(1, bytes))));
  }

  /** Takes what was read. */
  add({ records, ends }: Fetched): void {
    const lists = byPartition(records);
    for (const [partition, pace] of this.#paces) {
      const read = lists.get(partition) ?? [];
      const last = read.at(-1);
      if (last) {
        pace.held = pace.held.length > 0 ? [...pace.held, ...read] : read;
        pace.heldBytes += bytesOf(read);
        pace.next = last.offset + 1;
      }
      pace.end = Math.max(pace.end, ends.get(partition) ?? -1);
    }
  }

  /**
   * Emits what is in step, in runs. The runs of all partitions follow each other by their times.
   * @param maxRecords the number of records that are emitted at most
   */
  *runs(maxRecords = Number.POSITIVE_INFINITY): Generator<Run> {
    const { stepMilliseconds } = this.#options;
    if (stepMilliseconds === undefined) this.#limit = Number.POSITIVE_INFINITY;
    let left = maxRecords;
    do {
      for (const [partition, pace] of this.#paces) {
        const records = this.#emit(pace, left);
        left -= records.length;
        if (records.length > 0) yield { partition, records };
        if (left === 0) return;
      }
    } while (stepMilliseconds !== undefined && this.#raise(stepMilliseconds));
  }

  #emit(pace: Pace, maxRecords: number): readonly KafkaRecord[] {
    const { held } = pace;
    const limit = this.#limit;
    let count = 0;
    for (; count < held.length && count < maxRecords; count++) {
      const { timestamp } = held[count] as KafkaRecord;
      const time = timestamp <= limit ? timestamp : timeAt(held, count);
      if (time > limit) break;
      if (time > pace.time) pace.time = time;
    }
    if (count === 0) return [];
    const records = held.slice(0, count);
    pace.held = held.slice(count);
    pace.heldBytes = pace.held.length === 0 ? 0 : pace.heldBytes - bytesOf(records);
    return records;
  }

  /** Moves the limit on from the partition that is the farthest behind. @returns whether it has moved */
  #raise(stepMilliseconds: number): boolean {
    let slowest = Number.POSITIVE_INFINITY;
    for (const pace of this.#paces.values()) {
      if (pace.held.length > 0) slowest = Math.min(slowest, timeAt(pace.held, 0));
      // Nothing comes from the end of a partition that is older than what is written now.
      else if (!isAtEnd(pace)) slowest = Math.min(slowest, pace.time);
    }
    if (slowest === Number.POSITIVE_INFINITY || slowest + stepMilliseconds <= this.#limit) return false;
    this.#limit = slowest + stepMilliseconds;
    return true;
  }
}

function isAtEnd({ next, end }: Pace): boolean {
  return end >= next;
}
