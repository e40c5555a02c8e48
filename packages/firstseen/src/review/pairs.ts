// A sample of kept records with their texts, and of each of them one record that was dropped because of it. A record is in the sample by a
// hash of its number or key, so the records that were dropped because of it are found without holding those of the others.

import type { PairsReview, ReviewedPair, ReviewedRecord } from './facts.js';
import { drawnBelow, hashOf } from './random.js';
import { Reservoir } from './reservoir.js';

/** Pairs that a report shows. */
const SHOWN_PAIRS = 20;
/** Bytes of the texts that are held. */
const MAX_HELD_BYTES = 2 ** 23;
/** The largest text that is held, of a kept record and of a dropped one. */
export const MAX_TEXT_BYTES = 2 ** 14;
/** The memory of an entry beside its texts. */
const ENTRY_BYTES = 256;

/** A dropped record, with what is known about the pair. */
export type DroppedRecord = Omit<ReviewedPair, 'kept' | 'droppedCount'>;

interface Entry {
  hash: number;
  kept: ReviewedRecord;
  dropped: DroppedRecord | undefined;
  count: number;
}

/** A dropped record whose kept record is not in the sample. */
interface Unpaired extends DroppedRecord {
  kept: ReviewedRecord;
}

/** Returns the memory of the text of a record, with two bytes for each character. */
function bytesOf(record: ReviewedRecord | undefined): number {
  return 2 * (record?.excerpt?.text.length ?? 0);
}

export class PairSample {
  readonly #maxBytes: number;
  readonly #entries = new Map<number, Entry>();
  /** Dropped records whose kept record is not held. */
  readonly #unpaired = new Reservoir<Unpaired>(SHOWN_PAIRS);
  /** Records whose hash is below this are in the sample. */
  #end = 2 ** 32;
  #bytes = 0;

  constructor(maxBytes = MAX_HELD_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Holds a kept record, if it is in the sample. */
  keep(cluster: number, recordOf: () => ReviewedRecord): void {
    const hash = hashOf(cluster);
    if (hash >= this.#end || this.#entries.has(cluster)) return;
    const kept = recordOf();
    this.#entries.set(cluster, { hash, kept, dropped: undefined, count: 0 });
    this.#bytes += ENTRY_BYTES + bytesOf(kept);
    while (this.#bytes > this.#maxBytes) this.#halve();
  }

  /** The kept record of a cluster, if it is held. */
  keptOf(cluster: number): ReviewedRecord | undefined {
    return this.#entries.get(cluster)?.kept;
  }

  /** Tells if no record of a cluster was kept, as far as the sample shows: one that was kept would be in it. */
  isAbsent(cluster: number): boolean {
    return hashOf(cluster) < this.#end && !this.#entries.has(cluster);
  }

  /**
   * Takes a record that was dropped because of a kept one, or a draw decides against it.
   * @param keptOf what is known of the kept record if it is not held
   */
  drop(cluster: number, recordOf: () => DroppedRecord, keptOf: () => ReviewedRecord): void {
    // Most kept records are not in the sample, and a look into the table takes longer.
    const entry = hashOf(cluster) < this.#end ? this.#entries.get(cluster) : undefined;
    if (!entry) {
      this.#unpaired.take(() => ({ ...recordOf(), kept: keptOf() }));
      return;
    }
    entry.count++;
    if (drawnBelow(entry.count, entry.hash + entry.count) > 0) return;
    this.#bytes -= bytesOf(entry.dropped?.dropped);
    entry.dropped = recordOf();
    this.#bytes += bytesOf(entry.dropped.dropped);
    while (this.#bytes > this.#maxBytes) this.#halve();
  }

  /** Takes a dropped record of which nobody knows because of which other it was dropped. */
  dropAlone(recordOf: () => DroppedRecord): void {
    this.#unpaired.take(() => ({ ...recordOf(), kept: {} }));
  }

  /** Leaves half of the sample, by the hashes, so that what is left is a sample of all kept records. */
  #halve(): void {
    this.#end /= 2;
    for (const [cluster, { hash, kept, dropped }] of this.#entries) {
      if (hash < this.#end) continue;
      this.#entries.delete(cluster);
      this.#bytes -= ENTRY_BYTES + bytesOf(kept) + bytesOf(dropped?.dropped);
    }
  }

  /** The pairs of the kept records with the smallest hashes, and others without the kept one if there are fewer than are shown. */
  review(): PairsReview {
    const paired = [...this.#entries.values()]
      .filter(({ dropped }) => dropped !== undefined)
      .sort((one, other) => one.hash - other.hash)
      .slice(0, SHOWN_PAIRS)
      .map(({ kept, dropped, count }): ReviewedPair => ({ kept, ...(dropped as DroppedRecord), droppedCount: count }));
    const unpaired = this.#unpaired.items.slice(0, SHOWN_PAIRS - paired.length);
    return { pairs: [...paired, ...unpaired], keptShare: this.#end / 2 ** 32, withoutKept: unpaired.length };
  }
}
