// A second implementation of winner sets: an exact table, as a set of bigints, that never forgets.

import { GOLDEN, mix64 } from '../random.js';

export interface ReferenceDecision {
  verdict: 'distinct' | 'duplicate';
  bands: number;
  set?: number;
}

export interface ReferenceSetsOptions {
  agreeing: number;
  sets: number;
  add: 'kept' | 'all';
}

/** The element of a band in a set, or in none. */
export function referenceSetElement(element: bigint, set: number | undefined): bigint {
  return set === undefined ? element : mix64(element + BigInt(set + 1) * GOLDEN);
}

export class ReferenceSets {
  readonly #table = new Set<bigint>();
  readonly #options: ReferenceSetsOptions;
  #opened = 0;

  constructor(options: ReferenceSetsOptions) {
    this.#options = options;
  }

  observe(bands: readonly bigint[]): ReferenceDecision {
    const { agreeing, sets, add } = this.#options;
    const seenIn = (set: number | undefined) =>
      bands.filter((band) => this.#table.has(referenceSetElement(band, set))).length;
    const votes = Array.from({ length: this.#opened }, (_, set) => seenIn(set));
    const most = Math.max(0, ...votes);
    const addTo = (set: number | undefined) => {
      for (const band of bands) this.#table.add(referenceSetElement(band, set));
    };
    const none = seenIn(undefined);
    if (most >= agreeing) {
      const set = votes.indexOf(most);
      if (add === 'all') addTo(set);
      return { verdict: 'duplicate', bands: most, set };
    }
    if (none >= agreeing) {
      if (add === 'all') addTo(undefined);
      return { verdict: 'duplicate', bands: Math.max(none, most) };
    }
    const set = this.#opened < sets ? this.#opened++ : undefined;
    addTo(set);
    return { verdict: 'distinct', bands: Math.max(none, most), ...(set === undefined ? {} : { set }) };
  }
}
