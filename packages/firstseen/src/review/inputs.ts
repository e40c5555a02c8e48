// Counts the records of a run by input.

import type { InputReview } from './facts.js';

/** The counts of an input; those that the run does not know are absent. */
type Counts = Omit<InputReview, 'name'>;

const names = ['records', 'dropped', 'droppedAcross', 'characters', 'seenCharacters'] as const;

export class InputCounts {
  readonly #inputs = new Map<string, InputReview>();

  /** Counts records of an input. @returns its records so far */
  add(input: string, added: Partial<Counts>): number {
    const known = this.#inputs.get(input);
    const counts = known ?? { name: input, records: 0, dropped: 0 };
    if (known === undefined) this.#inputs.set(input, counts);
    for (const name of names) {
      const more = added[name];
      if (more !== undefined) counts[name] = (counts[name] ?? 0) + more;
    }
    return counts.records;
  }

  /** Returns the inputs in the order in which they were first read. */
  review(): InputReview[] {
    return [...this.#inputs.values()].map((counts) => ({ ...counts }));
  }
}
