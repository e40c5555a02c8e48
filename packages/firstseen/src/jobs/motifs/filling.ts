// Fills the batches of range motifs one after the other, each while others are observed.

import { Pauses } from '../../threads/pauses.js';

/** Batches in flight: one is filled, one is hashed, and one is observed. */
export const BATCHES = 3;

/** Fills the target from its start with whole records; resolves to their number. Only the last batch before 0 may be partial. */
export type FillRecords = (target: Uint8Array) => Promise<number>;

/** A batch in memory. */
export interface FilledBatch {
  number: number;
  /** Its index among the batches in flight. */
  slot: number;
  count: number;
  /** The number of its first record in the stream. */
  index: number;
}

export class Filling {
  readonly #fill: (slot: number) => Promise<number>;
  readonly #onFilled: (batch: FilledBatch) => void;
  #number = 0;
  #records = 0;
  #isEnded = false;
  #failure: { cause: unknown } | undefined;
  #isPending = false;
  readonly #pauses = new Pauses();

  constructor(fill: (slot: number) => Promise<number>, onFilled: (batch: FilledBatch) => void) {
    this.#fill = fill;
    this.#onFilled = onFilled;
  }

  /** The next batch; undefined after the last one, or after an error. */
  async next(): Promise<FilledBatch | undefined> {
    if (this.#isEnded) return undefined;
    const number = this.#number++;
    const slot = number % BATCHES;
    const count = await this.#filled(slot);
    this.#isEnded = count === 0;
    if (count === 0) return undefined;
    const batch = { number, slot, count, index: this.#records };
    this.#records += count;
    this.#onFilled(batch);
    return batch;
  }

  /** Lets the event loop run: whenever a batch is being filled, and now and then otherwise, so that signals arrive. */
  pause(): Promise<void> {
    return this.#pauses.take(this.#isPending);
  }

  /** Throws the error that ended the records, if there was one. */
  check(): void {
    if (this.#failure) throw this.#failure.cause;
  }

  async #filled(slot: number): Promise<number> {
    this.#isPending = true;
    try {
      return await this.#fill(slot);
    } catch (cause) {
      this.#failure = { cause };
      return 0;
    } finally {
      this.#isPending = false;
    }
  }
}
