// Counts the records of a run by input.

import type { InputReview } from './facts.js';

interface Counts {
  records: number;
  dropped: number;
  droppedAcross: number;
}

export class InputCounts {
  readonly #counts = new Map<string, Counts>();

  #of(name: string): Counts {
    const known = this.#counts.get(name);
    if (known) return known;
    const counts = { records: 0, dropped: 0, droppedAcross: 0 };
    this.#counts.set(name, counts);
    return counts;
  }

  /** Counts records of an input, and those of them that are near a record of another input. @returns its records so far */
  add(name: string, { records, dropped, droppedAcross = 0 }: Omit<InputReview, 'name'>): number {
    const counts = this.#of(name);
    counts.records += records;
    counts.dropped += dropped;
    counts.droppedAcross += droppedAcross;
    return counts.records;
  }

  /** In the order in which they were first read. @param tellsAcross whether it is known which record another one is near */
  review(tellsAcross: boolean): InputReview[] {
    return [...this.#counts].map(([name, { droppedAcross, ...counts }]) => ({
      ...{ name, ...counts },
      ...(tellsAcross ? { droppedAcross } : {}),
    }));
  }
}
