// The records that a partition has emitted, as far as its output does not tell of them: the time that its window had then. A record that is late is compared at
// the time of the window, which a duplicate may have moved; one that is early, or without a time, does not move it. The output has the times of
// the records alone. So the pointer notes points on the way of the clock, wherever the times of the output say something else
// (docs/decisions/123-taking-over-from-a-group.md).

import type { Detector } from '../../detectors/detector.js';
import { isTime } from '../../detectors/refusals.js';
import { witnessWindow } from '../../detectors/witness.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import type { ClockPoint, EmittedNote } from '../pointers/pointer.js';
import type { Outcome, Outcomes } from './observing.js';
import type { RecordTimes } from './windowclock.js';
import { setTime } from './windowtime.js';

/** Points that a pointer has. If there were more, those are left out that are near others. */
const MAX_POINTS = 64;
/** Points are near if the window moves by less than this part of itself between them. */
const PARTS_OF_WINDOW = 32;

const WRITTEN: ReadonlySet<Outcome> = new Set<Outcome>(['distinct', 'passed', 'tombstone']);
const COMPARED: ReadonlySet<Outcome> = new Set<Outcome>(['distinct', 'duplicate']);

function timeOfPoint([, , timeMilliseconds]: ClockPoint): number {
  return timeMilliseconds;
}

/** The times of points as they count: what is before a point at which the window was set back counts as seen at its time, or before. */
export function countedTimes(points: readonly ClockPoint[]): readonly number[] {
  const times = points.map(timeOfPoint);
  for (let i = times.length - 2; i >= 0; i--) times[i] = Math.min(times[i] as number, times[i + 1] as number);
  return times;
}

/** Points without those that are near the point before and the one after. */
function thinned(points: readonly ClockPoint[], step: number): ClockPoint[] {
  const thin: ClockPoint[] = [];
  for (const [i, point] of points.entries()) {
    const [before, next] = [thin.at(-1), points[i + 1]];
    const isNear = (one: ClockPoint, other: ClockPoint) => timeOfPoint(other) - timeOfPoint(one) < step;
    if (before === undefined || next === undefined || !isNear(before, point) || !isNear(point, next)) thin.push(point);
  }
  return thin;
}

export interface GivenStart {
  detector: Detector;
  /** The note in the pointer, or that of a group before. */
  noted: EmittedNote | undefined;
  /** The id of the output for a group that begins. */
  outputId: string | undefined;
}

export class EmittedTrack {
  readonly #isTimed: boolean;
  readonly #windowMilliseconds: number;
  readonly #outputId: string | undefined;
  #records: number;
  #last: EmittedNote['last'];
  #points: ClockPoint[];
  /** The time that the window has by the times of the output, and the points. */
  #shown = 0;

  constructor({ detector, noted, outputId }: GivenStart) {
    const { parameters } = detector.settings;
    this.#isTimed = parameters.isTimed === true;
    this.#windowMilliseconds = witnessWindow(parameters).size;
    this.#outputId = outputId;
    this.#records = noted?.records ?? 0;
    this.#last = noted?.last;
    // The last one was at the position.
    this.#points = noted ? noted.clock.slice(0, -1) : [];
  }

  /** Adds what was emitted. @param from the time of the window before */
  add({ records, outcomes }: Pick<Outcomes, 'records' | 'outcomes'>, times: RecordTimes, from: number): void {
    let time = from;
    for (const [i, outcome] of outcomes.entries()) {
      const record = records[i] as KafkaRecord;
      const isWritten = WRITTEN.has(outcome);
      if (this.#isTimed && COMPARED.has(outcome)) {
        const moved = times.timeOf(record);
        const isFirstTime = time === 0 && moved > 0;
        time = Math.max(time, moved);
        // What was emitted before counts as seen then.
        if (isFirstTime && !isWritten && this.#records > 0) this.#note([record.offset, this.#records, time]);
        this.#compare(record, { moved, time, isWritten });
      }
      if (!isWritten) continue;
      this.#records++;
      if (isTime(record.timestamp) && record.timestamp > 0) this.#last = [this.#records, record.timestamp];
    }
  }

  /** Notes what the time of a record does not say: that the window was later, and that the record has not moved it. */
  #compare(
    { offset, timestamp }: KafkaRecord,
    { moved, time, isWritten }: { moved: number; time: number; isWritten: boolean },
  ): void {
    if (isWritten) {
      if (time > Math.max(this.#shown, moved)) this.#note([offset, this.#records, time]);
      this.#shown = time;
    }
    // The output may have the present time of a record without one.
    const isUnmoved = moved === 0 && (isWritten || timestamp > time);
    if (isUnmoved) this.#note([offset + 1, this.#records + (isWritten ? 1 : 0), time]);
  }

  #note(point: ClockPoint): void {
    const points = this.#points;
    const time = timeOfPoint(point);
    // Between two points of one time, nothing moves.
    if (points.slice(-2).filter((one) => timeOfPoint(one) === time).length === 2) points.pop();
    points.push(point);
    if (points.length <= MAX_POINTS) return;
    const firstInWindow = countedTimes(points).findIndex((one) => one >= time - this.#windowMilliseconds);
    this.#points = thinned(points.slice(firstInWindow), this.#windowMilliseconds / PARTS_OF_WINDOW).slice(-MAX_POINTS);
  }

  /** Takes note that the window was set back before the record of an offset. */
  setBack(offset: number, { from, to }: { from: number; to: number }): void {
    this.#points.push([offset, this.#records, from], [offset, this.#records, to]);
    this.#shown = to;
  }

  /** The note for the pointer. */
  note(position: number, timeMilliseconds: number): EmittedNote {
    const last = this.#last ? { last: this.#last } : {};
    const clock: readonly ClockPoint[] = this.#isTimed
      ? [...this.#points, [position, this.#records, timeMilliseconds]]
      : [];
    return { outputId: this.#outputId, records: this.#records, ...last, clock };
  }
}

/** Moves the window of a detector to a point, if it has one in time. It is set back where that of the old group was. */
export function moveTo(detector: Detector, point: ClockPoint | undefined): void {
  if (point === undefined || !detector.settings.parameters.isTimed) return;
  // Before its first time, the window of the old group had none either.
  if (timeOfPoint(point) > 0) setTime(detector, timeOfPoint(point));
}

export interface PastStart {
  detector: Detector;
  clock: readonly ClockPoint[];
  /** Records that were in the output before the first one that is observed; undefined where the input is observed. */
  records: number | undefined;
}

/** Times of records that were emitted before, as the window had them then. */
export class PastTimes implements RecordTimes {
  readonly #detector: Detector;
  readonly #clock: readonly ClockPoint[];
  #records: number | undefined;
  /** Points that were passed. */
  #passed = 0;

  constructor({ detector, clock, records }: PastStart) {
    this.#detector = detector;
    this.#clock = detector.settings.parameters.isTimed ? clock : [];
    this.#records = records;
  }

  /** A record that is later than the window was afterwards has not moved it. */
  timeOf({ timestamp }: KafkaRecord): number {
    const next = this.#clock[this.#passed];
    return isTime(timestamp) && (next === undefined || timestamp <= timeOfPoint(next)) ? timestamp : 0;
  }

  /** Observes records, and moves the window between them as it was moved then. */
  replay(records: readonly KafkaRecord[], observe: (records: readonly KafkaRecord[]) => void): void {
    let from = 0;
    for (const [i, { offset }] of records.entries()) {
      if (this.#isPassed(offset)) {
        if (i > from) observe(records.slice(from, i));
        from = i;
        this.#passUpTo(offset);
      }
      if (this.#records !== undefined) this.#records++;
    }
    if (from < records.length) observe(records.slice(from));
  }

  /** Moves the window as it was moved after the last record. */
  end(): void {
    for (const point of this.#clock.slice(this.#passed)) moveTo(this.#detector, point);
    this.#passed = this.#clock.length;
  }

  /** Tells whether the next point is before the next record. @param offset that of the record */
  #isPassed(offset: number): boolean {
    const next = this.#clock[this.#passed];
    if (next === undefined) return false;
    return this.#records === undefined ? next[0] <= offset : next[1] <= this.#records;
  }

  #passUpTo(offset: number): void {
    while (this.#isPassed(offset)) {
      const point = this.#clock[this.#passed] as ClockPoint;
      // The input has all records that have moved the window forward.
      const isMoved = this.#records !== undefined || timeOfPoint(point) < this.#detector.clockMilliseconds;
      if (isMoved) moveTo(this.#detector, point);
      this.#passed++;
    }
  }
}
