// The order in which the detectors of a pool were used last.

/** An entry of the order, which has its neighbours. */
export interface RecencyEntry {
  /** The entry that was used next before this one. */
  older: this | undefined;
  /** The entry that was used next after this one. */
  newer: this | undefined;
}

/** A list with links, so that each step takes the same time with any number of entries. */
export class Recency<Entry extends RecencyEntry> {
  #oldest: Entry | undefined;
  #newest: Entry | undefined;

  /** The entry that was used least recently. */
  get oldest(): Entry | undefined {
    return this.#oldest;
  }

  /** Makes an entry the newest, whether it was in the list or not. */
  use(entry: Entry): void {
    if (this.#newest === entry) return;
    this.remove(entry);
    entry.older = this.#newest;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  /** Removes an entry. Does nothing if it is not in the list. */
  remove(entry: Entry): void {
    const { older, newer } = entry;
    if (older) older.newer = newer;
    else if (this.#oldest === entry) this.#oldest = newer;
    if (newer) newer.older = older;
    else if (this.#newest === entry) this.#newest = older;
    entry.older = undefined;
    entry.newer = undefined;
  }
}
