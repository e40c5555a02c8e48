// The places of the records that a run kept, by their number among the kept ones: the input of each, and the rest of the last ones.

import type { ReviewedRecord } from './facts.js';

/** The records of which more is held than their input. */
const MAX_PLACES = 2 ** 16;
/** The longest name that is held, in characters. */
const MAX_NAME_LENGTH = 256;

/** The place of a record, without its text. */
export type Place = Pick<ReviewedRecord, 'input' | 'number' | 'name'>;

export class KeptPlaces {
  readonly #maxPlaces: number;
  /** The number of the first kept record of each run of records of one input, and that input. */
  readonly #starts: number[] = [];
  readonly #inputs: string[] = [];
  readonly #places: Place[] = [];
  count = 0;

  constructor(maxPlaces = MAX_PLACES) {
    this.#maxPlaces = maxPlaces;
  }

  /** Adds the next kept record. */
  add({ input = '', number, name }: Place): void {
    if (this.#inputs.at(-1) !== input) {
      this.#starts.push(this.count);
      this.#inputs.push(input);
    }
    this.#places[this.count % this.#maxPlaces] = { input, number, name: name?.slice(0, MAX_NAME_LENGTH) };
    this.count++;
  }

  /** Finds the place of a kept record; nothing if it was kept before this run. */
  of(kept: number): Place {
    if (kept < 0) return {};
    if (kept >= this.count - this.#maxPlaces) return this.#places[kept % this.#maxPlaces] as Place;
    return { input: this.inputOf(kept) };
  }

  /** The input of a kept record; undefined if it was kept before this run. */
  inputOf(kept: number): string | undefined {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] as number) <= kept) low = middle + 1;
      else high = middle;
    }
    return this.#inputs[low - 1];
  }
}
