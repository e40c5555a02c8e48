// Has snapshots taken, one at a time, of partitions whose replay would take long.

import type { PartitionState } from './partition.js';
import type { SnapshotTask, Snapshotter } from './replay.js';
import type { WorkerSettings } from './settings.js';
import type { TakenSnapshot } from './snapshots.js';

export interface SnapshottingOptions {
  settings: WorkerSettings;
  take: Snapshotter;
  onTaken: (state: PartitionState, snapshot: TakenSnapshot) => void;
  onFailure: (message: string) => void;
}

/** Time after a snapshot that failed before the next one is taken. */
const PAUSE_MILLISECONDS = 10_000;

export class Snapshotting {
  readonly #options: SnapshottingOptions;
  #isTaking = false;
  #pausedUntil = 0;

  constructor(options: SnapshottingOptions) {
    this.#options = options;
  }

  /** Takes a snapshot of the partition with the longest replay, if it is due. All positions are committed. */
  takeDue(states: Iterable<PartitionState>): void {
    if (this.#isTaking || Date.now() < this.#pausedUntil) return;
    const { snapshotEvery } = this.#options.settings;
    const due = [...states].filter(({ replayLeft, behind }) => replayLeft === 0 && behind >= snapshotEvery);
    const longest = due.sort((one, other) => other.behind - one.behind)[0];
    if (longest) this.#take(longest);
  }

  #taskOf({ partition, detectorId, snapshot, position }: PartitionState): SnapshotTask {
    const { folder, topics, keys, unpacks } = this.#options.settings;
    return { folder, input: topics.input, partition, detectorId, from: snapshot, to: position, keys, unpacks };
  }

  #take(state: PartitionState): void {
    const { take, onTaken, onFailure } = this.#options;
    const { partition, observed: noted } = state;
    const fail = (problem: string) => {
      this.#pausedUntil = Date.now() + PAUSE_MILLISECONDS;
      onFailure(`no snapshot of partition ${partition} was taken: ${problem}`);
    };
    this.#isTaking = true;
    take(this.#taskOf(state)).then(
      (snapshot) => {
        this.#isTaking = false;
        if (snapshot.observed === noted.observed && snapshot.duplicates === noted.duplicates) onTaken(state, snapshot);
        else {
          fail(
            `its replay has ${snapshot.observed} elements and ${snapshot.duplicates} duplicates, not ${noted.observed} and ${noted.duplicates}; the topic has lost records, or is compacted`,
          );
        }
      },
      (error: unknown) => {
        this.#isTaking = false;
        fail(error instanceof Error ? error.message : String(error));
      },
    );
  }
}
