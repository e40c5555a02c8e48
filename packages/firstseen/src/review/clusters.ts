// Counts the largest clusters of an unbounded number of them in a table of fixed size: the algorithm "Frequent" of Misra and Gries 1982,
// "Finding repeated elements", with the analysis of Demaine, Lopez-Ortiz and Munro 2002.

import type { ClustersReview, ReviewedCluster } from './facts.js';

type Members = Omit<ReviewedCluster, 'leastDropped'>;

interface Entry extends Members {
  count: number;
}

/** Clusters that are counted at a time. */
const CAPACITY = 1000;
/** Clusters that a report shows. */
const SHOWN = 20;

export class LargestClusters {
  readonly #entries = new Map<number, Entry>();
  readonly #capacity: number;
  #error = 0;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
  }

  /** Counts a dropped record of a cluster. `membersOf` is called if the cluster is not in the table. */
  add(cluster: number, membersOf: () => Members): void {
    const entry = this.#entries.get(cluster);
    if (entry) entry.count++;
    else if (this.#entries.size < this.#capacity) this.#entries.set(cluster, { ...membersOf(), count: 1 });
    else this.#takeOneOfEach();
  }

  /** What is taken of the table and the new record are all different clusters, so that each error takes many records. */
  #takeOneOfEach(): void {
    this.#error++;
    for (const [cluster, entry] of this.#entries) {
      entry.count--;
      if (entry.count === 0) this.#entries.delete(cluster);
    }
  }

  review(): ClustersReview {
    const largest = [...this.#entries.values()].sort((one, other) => other.count - one.count).slice(0, SHOWN);
    const clusters = largest.map(({ count, ...members }) => ({ ...members, leastDropped: count }));
    return { clusters, errorRecords: this.#error, capacity: this.#capacity };
  }
}
