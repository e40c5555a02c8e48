// Counts the largest clusters of an unbounded number of them in a table of fixed size: the algorithm "Frequent" of Misra and Gries 1982,
// "Finding repeated elements", with the analysis of Demaine, Lopez-Ortiz and Munro 2002.

import type { ClustersReview, ReviewedCluster } from './facts.js';

type Members = Omit<ReviewedCluster, 'leastDropped'>;

/** Clusters that are counted at a time. */
const CAPACITY = 2 ** 16;
/** Clusters whose members are held at a time. */
const MAX_HELD = 1000;
/** Clusters that a report shows. */
const SHOWN = 20;

export class LargestClusters {
  /** The counts of clusters. Numbers in a map take no memory of their own, which would have to be collected. */
  #counts = new Map<number, number>();
  /** The members of the largest clusters. */
  readonly #members = new Map<number, Members>();
  readonly #capacity: number;
  readonly #maxHeld: number;
  #error = 0;
  /** The count from which on a cluster gets its members. It grows, so that the largest clusters have theirs. */
  #minCount = 1;

  constructor(capacity = CAPACITY, maxHeld = MAX_HELD) {
    this.#capacity = capacity;
    this.#maxHeld = maxHeld;
  }

  /** Counts a dropped record of a cluster. `membersOf` is called if the cluster becomes one of the largest. */
  add(cluster: number, membersOf: () => Members): void {
    const before = this.#counts.get(cluster);
    if (before === undefined && this.#counts.size === this.#capacity) {
      this.#takeOneOfEach();
      return;
    }
    const count = (before ?? 0) + 1;
    this.#counts.set(cluster, count);
    if (count < this.#minCount || this.#members.has(cluster)) return;
    this.#members.set(cluster, membersOf());
    while (this.#members.size > this.#maxHeld) this.#letSmallGo();
  }

  /** The entries that are taken out and the new record are all of different clusters, so that each error takes many records. */
  #takeOneOfEach(): void {
    this.#error++;
    const left = new Map<number, number>();
    for (const [cluster, count] of this.#counts) {
      if (count > 1) left.set(cluster, count - 1);
    }
    this.#counts = left;
    for (const cluster of this.#members.keys()) if (!left.has(cluster)) this.#members.delete(cluster);
  }

  #letSmallGo(): void {
    this.#minCount *= 2;
    for (const cluster of this.#members.keys()) {
      if ((this.#counts.get(cluster) as number) < this.#minCount) this.#members.delete(cluster);
    }
  }

  review(): ClustersReview {
    const clusters = [...this.#counts]
      .filter(([cluster]) => this.#members.has(cluster))
      .sort(([, one], [, other]) => other - one)
      .slice(0, SHOWN)
      .map(([cluster, count]) => ({ ...(this.#members.get(cluster) as Members), leastDropped: count }));
    return { clusters, errorRecords: this.#error, capacity: this.#capacity };
  }
}
