// Counts the largest clusters of an unbounded number of them in a table of fixed size: the algorithm "Frequent" of Misra and Gries 1982,
// "Finding repeated elements", with the analysis of Demaine, Lopez-Ortiz and Munro 2002.

import type { ClustersReview, ReviewedCluster } from './facts.js';

type Members = Omit<ReviewedCluster, 'leastDropped'>;

interface Entry {
  count: number;
  members: Members | undefined;
}

/** Clusters that are counted at a time. */
const CAPACITY = 2 ** 16;
/** Clusters whose members are held at a time. */
const MOST_HELD = 1000;
/** Clusters that a report shows. */
const SHOWN = 20;

export class LargestClusters {
  readonly #entries = new Map<number, Entry>();
  readonly #capacity: number;
  readonly #mostHeld: number;
  #error = 0;
  /** Entries with members. */
  #held = 0;
  /** The count from which on a cluster gets its members. It grows, so that the largest clusters have theirs. */
  #leastCount = 1;

  constructor(capacity = CAPACITY, mostHeld = MOST_HELD) {
    this.#capacity = capacity;
    this.#mostHeld = mostHeld;
  }

  /** Counts a dropped record of a cluster. `membersOf` is called if the cluster becomes one of the largest. */
  add(cluster: number, membersOf: () => Members): void {
    const entry = this.#entries.get(cluster);
    if (entry === undefined && this.#entries.size === this.#capacity) {
      this.#takeOneOfEach();
      return;
    }
    const counted = entry ?? { count: 0, members: undefined };
    if (entry === undefined) this.#entries.set(cluster, counted);
    counted.count++;
    if (counted.members !== undefined || counted.count < this.#leastCount) return;
    counted.members = membersOf();
    this.#held++;
    while (this.#held > this.#mostHeld) this.#letSmallGo();
  }

  /** The entries that are taken out and the new record are all of different clusters, so that each error takes many records. */
  #takeOneOfEach(): void {
    this.#error++;
    for (const [cluster, entry] of this.#entries) {
      entry.count--;
      if (entry.count > 0) continue;
      this.#entries.delete(cluster);
      if (entry.members) this.#held--;
    }
  }

  #letSmallGo(): void {
    this.#leastCount *= 2;
    for (const entry of this.#entries.values()) {
      if (entry.members === undefined || entry.count >= this.#leastCount) continue;
      entry.members = undefined;
      this.#held--;
    }
  }

  review(): ClustersReview {
    const largest = [...this.#entries.values()]
      .filter(({ members }) => members !== undefined)
      .sort((one, other) => other.count - one.count)
      .slice(0, SHOWN);
    const clusters = largest.map(({ count, members }) => ({ ...(members as Members), leastDropped: count }));
    return { clusters, errorRecords: this.#error, capacity: this.#capacity };
  }
}
