// Has snapshots taken, one at a time, of partitions whose replay would take long.

import { Urgency } from '../../io/system/priority.js';
import { problemText } from '../../options/flagnames.js';
import type { WorkerSettings } from '../settings.js';
import type { PartitionState } from './partition.js';
import type { SnapshotTask, Snapshotter } from './replay.js';
import type { TakenSnapshot } from './snapshots.js';

export interface SnapshottingOptions {
  settings: WorkerSettings;
  take: Snapshotter;
  onTaken: (state: PartitionState, snapshot: TakenSnapshot) => void;
  onFailure: (message: string) => void;
}

/** Time after a snapshot that failed before the next one is taken. */
const PAUSE_MILLISECONDS = 10_000;
/**
 * Age at which a snapshot is followed by another one if anything was committed since. The retention removes the records of a partition that
 * gets few or none, and a start would need them. Topics keep records for many hours, and a snapshot of each partition in an hour costs little.
 */
const MAX_AGE_MILLISECONDS = 3_600_000;

/** Returns the age of the newest snapshot, if a new one is due by its age; 0 if it is not. */
function overdue({ behind, snapshotAgeMilliseconds }: PartitionState): number {
  return behind > 0 && snapshotAgeMilliseconds >= MAX_AGE_MILLISECONDS ? snapshotAgeMilliseconds : 0;
}

export class Snapshotting {
  readonly #options: SnapshottingOptions;
  #isTaking = false;
  #pausedUntil = 0;
  readonly #urgency = new Urgency();
  /** The time at which snapshots failed last, of partitions of which none was taken since. */
  readonly #failedAt = new WeakMap<PartitionState, number>();

  constructor(options: SnapshottingOptions) {
    this.#options = options;
  }

  /** Takes a snapshot of a partition, if one is due by its records or by its age. All positions are committed. */
  takeDue(states: Iterable<PartitionState>): void {
    if (this.#isTaking || Date.now() < this.#pausedUntil) return;
    const due = [...states].filter((state) => this.#isDue(state)).sort((one, other) => this.#order(one, other));
    if (due[0]) this.#take(due[0], this.#areUrgent(due));
  }

  /** Tells if snapshots are late: a start reads all records that wait for one again. */
  #areUrgent(due: readonly PartitionState[]): boolean {
    return this.#urgency.isUrgent(Math.max(...due.map(({ behind }) => behind)) / this.#options.settings.snapshotEvery);
  }

  #isDue(state: PartitionState): boolean {
    if (state.replayLeft > 0) return false;
    return state.behind >= this.#options.settings.snapshotEvery || overdue(state) > 0 || state.clock.hasManyNotes;
  }

  /**
   * Compares two partitions in the order in which snapshots are taken. Partitions whose snapshots failed are last, so
   * that a partition whose snapshots always fail does not keep others from theirs. A partition that is due by its age
   * is before the longest replay: partitions with many records would be due again and again before it.
   */
  #order(one: PartitionState, other: PartitionState): number {
    const failedAt = (state: PartitionState) => this.#failedAt.get(state) ?? 0;
    return failedAt(one) - failedAt(other) || overdue(other) - overdue(one) || other.behind - one.behind;
  }

  #taskOf(state: PartitionState, isUrgent: boolean): SnapshotTask {
    const { partition, inputId, detectorId, snapshot: from, position: to, clockNotes } = state;
    const { group, folder, topics, keys, unpacks } = this.#options.settings;
    const source = { group, input: topics.input, inputId, partition, detectorId, from, to, keys, clockNotes, unpacks };
    return { folder, ...source, isUrgent };
  }

  #take(state: PartitionState, isUrgent: boolean): void {
    const { take, onTaken, onFailure } = this.#options;
    const { partition, observed: noted } = state;
    const fail = (problem: string) => {
      this.#failedAt.set(state, Date.now());
      this.#pausedUntil = Date.now() + PAUSE_MILLISECONDS;
      onFailure(`no snapshot of partition ${partition} was taken: ${problem}`);
    };
    this.#isTaking = true;
    take(this.#taskOf(state, isUrgent)).then(
      (snapshot) => {
        this.#isTaking = false;
        if (snapshot.observed === noted.observed && snapshot.duplicates === noted.duplicates) {
          this.#failedAt.delete(state);
          onTaken(state, snapshot);
        } else {
          fail(
            `its replay has ${snapshot.observed} elements and ${snapshot.duplicates} duplicates, not ${noted.observed} and ${noted.duplicates}; the topic has lost records, or is compacted`,
          );
        }
      },
      (error: unknown) => {
        this.#isTaking = false;
        fail(problemText(error));
      },
    );
  }
}
