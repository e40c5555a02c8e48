// A partition that a worker has: its detector, and how far it is.

import { FirstseenError, phrase } from '../../base/errors.js';
import { assertInvariant } from '../../base/invariant.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import { goesToEnd, newGroup } from '../group/group.js';
import { EmittedTrack } from '../observing/emitted.js';
import type { Observing, Outcomes } from '../observing/observing.js';
import type { WindowClock } from '../observing/windowclock.js';
import type { ClockNotes, EmittedNote, PointedSnapshot, Pointer } from '../pointers/pointer.js';
import type { TakenSnapshot } from './snapshots.js';

/** Snapshots that a pointer names: the one before is used if the newest is damaged. */
const KEPT_SNAPSHOTS = 2;

/** The numbers of elements and of duplicates that a detector has observed. */
export type Observed = Pick<Pointer, 'observed' | 'duplicates'>;

export interface PartitionStart {
  partition: number;
  /** The id of the input; undefined where the brokers have none. */
  inputId: string | undefined;
  detectorId: string;
  observing: Observing;
  clock: WindowClock;
  /** The note of records that were emitted before, by this group or one that it has taken over from. */
  given: EmittedNote | undefined;
  /** The id of the output for a partition that is new; undefined where the brokers have none. */
  outputId: string | undefined;
  snapshots: readonly PointedSnapshot[];
  /** The offset from which records are emitted. */
  position: number;
  /** True if the partition was never emitted, and so has no pointer. */
  isNew: boolean;
  /** Files that the next pointer does not name any more. */
  superseded: readonly PointedSnapshot[];
  /** The counts of the detector at the position; undefined if it is there already. */
  replayed: Observed | undefined;
}

/** Returns the error for a replay whose counts differ from those that were noted. */
function differsFrom(partition: number, noted: Observed, found: Observed): FirstseenError {
  const shown = ({ observed, duplicates }: Observed) => `${observed} elements and ${duplicates} duplicates`;
  const problem = `the replay of partition ${partition} counts ${shown(found)}, but the pointer has ${shown(noted)}`;
  return new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`the topic has lost records, or is compacted: give an input that keeps its records, and ${newGroup}`,
  });
}

export class PartitionState {
  readonly partition: number;
  readonly inputId: string | undefined;
  readonly detectorId: string;
  readonly #observing: Observing;
  /** The time of the window. */
  readonly clock: WindowClock;
  readonly #given: EmittedTrack;
  #snapshots: readonly PointedSnapshot[];
  /** The offset of the first record that was not emitted. */
  #position: number;
  /** The position of the pointer that is committed; without one, that of the beginning. */
  committedPosition: number;
  /** The offset of the first record that was not read. */
  #next: number;
  /** The end of the partition when it was read to its end. */
  #end = 0;
  #replayed: Observed | undefined;
  /** True if all that was emitted before is in the detector. */
  #isReplayed = false;
  /** Elements that the newest snapshot has. */
  #elementsOfSnapshot: number;
  /** The time at which the newest snapshot was written, by the clock of this machine. */
  #snapshotAt: number;
  /** True if the pointer that is committed is not the one of this state. */
  isChanged: boolean;
  /** True if files that no pointer names may be there from before. */
  hasOrphans = true;
  /** Files that the next pointer does not name any more. */
  #superseded: readonly PointedSnapshot[];
  /** The time at which the partition was opened, in milliseconds since 1970. */
  readonly openedAt = Date.now();
  /** The time at which records came last. */
  #readAt = this.openedAt;

  constructor(start: PartitionStart) {
    const { partition, inputId, detectorId, observing, clock } = start;
    const { snapshots, position, isNew, superseded, replayed } = start;
    this.partition = partition;
    this.inputId = inputId;
    this.detectorId = detectorId;
    this.#observing = observing;
    this.clock = clock;
    this.#given = new EmittedTrack({ detector: observing.detector, noted: start.given, outputId: start.outputId });
    this.#snapshots = snapshots;
    this.#position = position;
    this.committedPosition = position;
    this.isChanged = isNew;
    this.#superseded = superseded;
    this.#replayed = replayed;
    this.#elementsOfSnapshot = this.observed.observed;
    // The clock of another machine may be ahead.
    this.#snapshotAt = Math.min(this.snapshot.writtenMilliseconds, this.openedAt);
    this.#next = this.snapshot.offset;
    if (this.#next === position) this.#endReplay();
  }

  get snapshot(): PointedSnapshot {
    return this.#snapshots[0] as PointedSnapshot;
  }

  get snapshots(): readonly PointedSnapshot[] {
    return this.#snapshots;
  }

  get position(): number {
    return this.#position;
  }

  /** The offset from which the partition has to be read. */
  get next(): number {
    return this.#next;
  }

  /**
   * The length of a replay from the newest snapshot: in offsets or elements, because an offset may hold many records.
   */
  get behind(): number {
    return Math.max(this.#position - this.snapshot.offset, this.observed.observed - this.#elementsOfSnapshot);
  }

  get snapshotAgeMilliseconds(): number {
    return Date.now() - this.#snapshotAt;
  }

  get observed(): Observed {
    const { observed, duplicates } = this.#observing.detector;
    return { observed, duplicates };
  }

  /** Generations that left the window early. */
  get shortened(): number | undefined {
    return this.#observing.detector.counts.shortened;
  }

  get memoryBytes(): number {
    return this.#observing.detector.settings.memoryBytes;
  }

  /** The offset up to which all was read, also what has no records, such as marks of transactions. */
  get readUpTo(): number {
    return Math.max(this.#next, this.#end);
  }

  /** True if all that was emitted before was read again, and the window is not ahead of the clock. */
  get isReplayed(): boolean {
    return this.#isReplayed;
  }

  /** Offsets that are to be replayed. */
  get replayLeft(): number {
    return this.#replayed === undefined ? 0 : Math.max(0, this.#position - this.#next);
  }

  /**
   * Replays the records that were emitted before, and emits the others, up to one that is refused.
   * @throws FirstseenError E_STATE_DIFFERS when the replay is not what was noted; an error of the detector; E_INVARIANT, before anything is
   * observed, for records that were observed before
   */
  take(records: readonly KafkaRecord[]): Outcomes {
    this.#checkOrder(records);
    this.#readAt = Date.now();
    const split = records.findIndex(({ offset }) => offset >= this.#position);
    const silent = split === -1 ? records : records.slice(0, split);
    if (silent.length > 0) {
      this.clock.replay(silent, (some) => this.#observing.replay(some));
      this.#next = (silent.at(-1) as KafkaRecord).offset + 1;
    }
    if (split >= 0 || this.#next >= this.#position) this.#endReplay();
    if (split === -1) return { records: [], outcomes: [], sizes: [], taken: 0 };
    const newRecords = records.slice(split);
    this.clock.look(newRecords);
    const before = this.clock.milliseconds;
    const output = this.#observing.take(newRecords);
    this.#given.add(output, this.clock, before);
    const last = newRecords[output.taken - 1];
    if (last) {
      this.#position = last.offset + 1;
      this.#next = this.#position;
      this.isChanged = true;
    }
    return output;
  }

  #checkOrder(records: readonly KafkaRecord[]): void {
    const { partition, next } = this;
    const [first, last] = [records[0]?.offset ?? next, records.at(-1)?.offset ?? next];
    const isInOrder = first >= next && last >= first;
    assertInvariant(isInOrder, 'no record of a partition is read twice', { partition, next, first, last });
  }

  /** Takes note that all records before an offset were read. */
  reachEnd(offset: number): void {
    this.#end = offset;
    if (offset >= this.#position) this.#endReplay();
  }

  /**
   * Goes on to the end that was reached, if nothing comes: what is before it has no record, such as marks of transactions.
   * @param hasRecords whether another partition had records in this step
   */
  skipToEnd(hasRecords: boolean): void {
    if (this.#replayed !== undefined || this.#end <= this.#position || !goesToEnd(hasRecords, this.#readAt)) return;
    this.#position = this.#end;
    this.#next = this.#end;
    this.isChanged = true;
  }

  #endReplay(): void {
    if (this.#isReplayed) return;
    const [noted, replayed] = [this.#replayed, this.observed];
    const isAsNoted =
      noted === undefined || (noted.observed === replayed.observed && noted.duplicates === replayed.duplicates);
    if (!isAsNoted) throw differsFrom(this.partition, noted, replayed);
    this.clock.endReplay(this.#position);
    const from = this.clock.milliseconds;
    if (this.clock.settle(this.#position)) {
      this.#given.setBack(this.#position, { from, to: this.clock.milliseconds });
      this.isChanged = true;
    }
    this.#replayed = undefined;
    this.#isReplayed = true;
  }

  /** The notes about times that a replay from any of the snapshots needs. */
  get clockNotes(): ClockNotes {
    const oldest = this.#snapshots.at(-1) as PointedSnapshot;
    return this.clock.notes({ from: oldest.offset, to: this.#position });
  }

  /** Names a new snapshot in the next pointer. */
  name({ file, offset, writtenMilliseconds, observed }: TakenSnapshot): void {
    this.#elementsOfSnapshot = observed;
    this.#snapshotAt = writtenMilliseconds;
    const all = [{ file, offset, writtenMilliseconds }, ...this.#snapshots];
    this.#snapshots = all.slice(0, KEPT_SNAPSHOTS);
    this.#superseded = [...this.#superseded, ...all.slice(KEPT_SNAPSHOTS)];
    this.isChanged = true;
  }

  pointer(input: string, settings: string): Pointer {
    const { partition, detectorId, position, snapshots, clockNotes } = this;
    const place = { input, inputId: this.inputId, partition, detectorId, position };
    const given = this.#given.note(position, this.clock.milliseconds);
    return { ...place, ...this.observed, settings, snapshots, ...clockNotes, given };
  }

  /**
   * Takes note that a pointer of it is committed. A snapshot that was named since then needs the next one.
   * @returns files that no pointer names any more
   */
  settle({ snapshots, position }: Pointer): readonly PointedSnapshot[] {
    this.committedPosition = position;
    const isNamed = ({ file }: PointedSnapshot) => snapshots.some((snapshot) => snapshot.file === file);
    const unnamed = this.#superseded.filter((snapshot) => !isNamed(snapshot));
    this.#superseded = this.#superseded.filter(isNamed);
    this.isChanged = snapshots !== this.#snapshots;
    return unnamed;
  }

  close(): void {
    this.#observing.detector.close();
  }
}
