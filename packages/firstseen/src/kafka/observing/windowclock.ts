// How the times of records move the window of a partition. A record whose time is ahead of the clock of the machine is early: it is compared
// at the time that the window has, and does not move it. Otherwise one wrong time would make the window forget what it has. The clock of the
// machine is not in the records, so what it decided is noted in the pointer, and a replay decides the same
// (docs/decisions/127-early-records.md).

import { formatDuration } from '../../base/duration.js';
import type { Detector } from '../../detectors/detector.js';
import { clockAhead, dateOf, setClockBack } from '../../detectors/leadingclock.js';
import { isTime } from '../../detectors/refusals.js';
import { witnessWindow } from '../../detectors/witness.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import type { ClockNotes, ClockReset, TimeLimit } from '../pointers/pointer.js';
import { timeOfWindow } from './windowtime.js';

/** The largest default of `--max-lead`, and the smallest: clocks of machines differ. */
const MAX_LEAD_MILLISECONDS = 3_600_000;
const MIN_LEAD_MILLISECONDS = 1000;
/** By default, a record may shorten the window by a tenth. */
const WINDOW_SHARE = 10;
/** Limits move in steps of this part of the lead, so that a producer whose clock is ahead does not cause a note for each batch. */
const STEPS_OF_LEAD = 4;
/** Limits that a pointer notes before a new snapshot makes them superfluous. */
const MAX_LIMITS = 32;

/** The options of the clock of a window. */
export interface ClockOptions {
  /**
   * The greatest lead of a record over the machine's clock, in milliseconds; by default a tenth of the window, from a
   * second to an hour.
   */
  maxLeadMilliseconds?: number | undefined;
  /** True if a window that is too far ahead is set back to the machine's clock. */
  isClockReset?: boolean | undefined;
}

/** Records that were emitted, by what their times are: far behind the window, or ahead of the machine's clock. */
export interface TimeCounts {
  late: number;
  early: number;
}

/** Says that records are early. @param place where the first one is */
export function earlyText(place: string, { timestamp }: KafkaRecord, leadMilliseconds: number): string {
  const lead = formatDuration(leadMilliseconds / 1000);
  return `the record at ${place} has the time ${dateOf(timestamp)}, more than ${lead} ahead of this machine's clock: the record is compared, but does not move the window; the clock of its producer, or of this machine, is wrong`;
}

/** Returns the greatest lead that the times of a window may have, in milliseconds. */
export function leadOf({ maxLeadMilliseconds }: ClockOptions, windowMilliseconds: number): number {
  const share = Math.floor(windowMilliseconds / WINDOW_SHARE);
  return maxLeadMilliseconds ?? Math.min(Math.max(share, MIN_LEAD_MILLISECONDS), MAX_LEAD_MILLISECONDS);
}

export interface WindowClockStart {
  detector: Detector;
  options?: ClockOptions | undefined;
  /** The notes about times in the pointer. */
  notes: ClockNotes;
  /** The offset of the snapshot from which the detector goes on. */
  from: number;
  /** Takes what is counted of the records that are emitted. */
  counts?: TimeCounts | undefined;
  /** Told of the first early record. */
  onEarly?: ((record: KafkaRecord, leadMilliseconds: number) => void) | undefined;
}

/** Times of records, as a detector observes them. */
export interface RecordTimes {
  timeOf(record: KafkaRecord): number;
}

export class WindowClock implements RecordTimes {
  readonly #detector: Detector;
  readonly #isReset: boolean;
  readonly #leadMilliseconds: number;
  readonly #onEarly: WindowClockStart['onEarly'];
  #limits: TimeLimit[];
  readonly #resets: ClockReset[];
  /** Those of the resets that a replay has not come to. */
  #resetsLeft: ClockReset[];
  /** The latest time since the last limit. */
  #latestSince = 0;
  #isTold = false;
  readonly #counts: TimeCounts;

  constructor({ detector, options = {}, notes, from, counts, onEarly }: WindowClockStart) {
    this.#detector = detector;
    this.#isReset = options.isClockReset === true;
    this.#leadMilliseconds = leadOf(options, witnessWindow(detector.settings.parameters).size);
    this.#onEarly = onEarly;
    this.#counts = counts ?? { late: 0, early: 0 };
    this.#limits = [...(notes.limits ?? [])];
    this.#resets = [...(notes.resets ?? [])];
    // One at the offset of a snapshot may be in it or not; to set the same time again changes nothing.
    this.#resetsLeft = this.#resets.filter(({ offset }) => offset >= from);
  }

  /** True if there are so many notes that a new snapshot is due. */
  get hasManyNotes(): boolean {
    return this.#limits.length > MAX_LIMITS;
  }

  /** The time of the window, in milliseconds since 1970; 0 before its first time, and for a window of elements. */
  get milliseconds(): number {
    return timeOfWindow(this.#detector);
  }

  /** The time to which a record moves the window. An earlier time than the latest does not move it, nor does what cannot be a time. */
  timeOf({ offset, timestamp }: KafkaRecord): number {
    if (!isTime(timestamp)) return 0;
    for (let i = this.#limits.length - 1; i >= 0; i--) {
      const { from, to, timeMilliseconds } = this.#limits[i] as TimeLimit;
      if (offset >= to) break;
      if (offset >= from) return timestamp > timeMilliseconds ? 0 : timestamp;
    }
    return timestamp;
  }

  /** Compares the times of records that are emitted with the clock of the machine, and notes what it decides. */
  look(records: readonly KafkaRecord[]): void {
    const [first, last] = [records[0], records.at(-1)];
    if (!this.#detector.settings.parameters.isTimed || !first || !last) return;
    const limit = this.#limitNow();
    const lead = this.#leadMilliseconds;
    let time = this.milliseconds;
    let latest = 0;
    let early: KafkaRecord | undefined;
    for (const record of records) {
      const { timestamp } = record;
      if (!isTime(timestamp)) continue;
      latest = Math.max(latest, timestamp);
      if (timestamp > limit) {
        early ??= record;
        this.#counts.early++;
      } else if (timestamp < time - lead) this.#counts.late++;
      else time = Math.max(time, timestamp);
    }
    if (early) this.#note({ from: first.offset, to: last.offset + 1, timeMilliseconds: limit }, early);
    else this.#latestSince = Math.max(this.#latestSince, latest);
  }

  /** The time up to which records move the window. It goes on in steps, so that few limits have to be noted. */
  #limitNow(): number {
    const step = Math.max(MIN_LEAD_MILLISECONDS, Math.floor(this.#leadMilliseconds / STEPS_OF_LEAD));
    return Math.ceil(Date.now() / step) * step + this.#leadMilliseconds;
  }

  #note(limit: TimeLimit, early: KafkaRecord): void {
    if (!this.#isTold) this.#onEarly?.(early, this.#leadMilliseconds);
    this.#isTold = true;
    const before = this.#limits.at(-1);
    // The limit before holds on, if it would have changed nothing of what came since.
    const goesOn = before?.timeMilliseconds === limit.timeMilliseconds && this.#latestSince <= limit.timeMilliseconds;
    if (before && goesOn) this.#limits[this.#limits.length - 1] = { ...before, to: limit.to };
    else this.#limits.push(limit);
    this.#latestSince = 0;
  }

  /** Observes records again, and sets the clock back where that was done. */
  replay(records: readonly KafkaRecord[], observe: (records: readonly KafkaRecord[]) => void): void {
    let left = records;
    for (const { offset } of this.#resetsLeft) {
      const split = left.findIndex((record) => record.offset >= offset);
      if (split === -1) break;
      if (split > 0) observe(left.slice(0, split));
      left = left.slice(split);
      this.#resetUpTo(offset);
    }
    if (left.length > 0) observe(left);
  }

  #resetUpTo(offset: number): void {
    for (const reset of this.#resetsLeft) {
      if (reset.offset <= offset) setClockBack(this.#detector, reset.timeMilliseconds);
    }
    this.#resetsLeft = this.#resetsLeft.filter((reset) => reset.offset > offset);
  }

  /** Ends a replay before an offset: what was set back there is set back. */
  endReplay(offset: number): void {
    this.#resetUpTo(offset);
  }

  /**
   * Compares the window with the clock of the machine before anything is emitted from an offset on.
   * @returns whether it was set back, which has to be noted
   * @throws FirstseenError E_CLOCK for a window that is too far ahead, unless it is to be set back
   */
  settle(offset: number): boolean {
    const now = Date.now();
    const { milliseconds } = this;
    // A record may have moved it up to the limit.
    if (milliseconds <= this.#limitNow()) return false;
    if (!this.#isReset) throw clockAhead(milliseconds, now, this.#leadMilliseconds);
    setClockBack(this.#detector, now);
    this.#resets.push({ offset, timeMilliseconds: now });
    return true;
  }

  /** Returns the notes for a pointer: those that a replay from the oldest snapshot needs, up to the position. */
  notes({ from, to }: { from: number; to: number }): ClockNotes {
    this.#limits = this.#limits.filter((limit) => limit.to > from);
    const limits = this.#limits
      .filter((limit) => limit.from < to)
      .map((limit) => ({ ...limit, to: Math.min(limit.to, to) }));
    const resets = this.#resets.filter(({ offset }) => offset >= from);
    return { ...(limits.length > 0 ? { limits } : {}), ...(resets.length > 0 ? { resets } : {}) };
  }
}
