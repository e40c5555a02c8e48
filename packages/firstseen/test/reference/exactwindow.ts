// The twin of exactwindow: a map of the elements in the window to the times at which they were added.

import type { DetectorSettings } from '../../src/detectors/settings.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

export class ExactwindowTwin implements Twin {
  readonly #capacity: number;
  readonly #window: number;
  readonly #isTimed: boolean;
  readonly #refreshes: boolean;
  readonly #added = new Map<bigint, number>();
  #observed = 0;
  #clockMilliseconds = 0;

  constructor(settings: DetectorSettings) {
    this.#capacity = numberOf(settings, 'n');
    this.#isTimed = numberOf(settings, 't') > 0;
    this.#window = numberOf(settings, this.#isTimed ? 't' : 'W');
    this.#refreshes = settings.parameters.values.refresh === 'yes';
  }

  get #now(): number {
    return this.#isTimed ? this.#clockMilliseconds : this.#observed;
  }

  advance(timeMilliseconds: number): void {
    this.#clockMilliseconds = Math.max(this.#clockMilliseconds, timeMilliseconds);
  }

  test(fingerprint: bigint): Answer {
    const added = this.#added.get(fingerprint);
    return added !== undefined && this.#now - added <= this.#window ? 1 : 0;
  }

  observe(fingerprint: bigint): Answer {
    for (const [held, added] of this.#added) if (this.#now - added > this.#window) this.#added.delete(held);
    const answer = this.test(fingerprint);
    if (answer === 0 && this.#added.size >= this.#capacity) throw new Error('the window is full');
    if (answer === 0 || this.#refreshes) this.#added.set(fingerprint, this.#now);
    this.#observed++;
    return answer;
  }

  load(): number {
    return this.#added.size / this.#capacity;
  }
}

export const exactwindow: TwinRow = {
  create: (settings) => new ExactwindowTwin(settings),
  // None of these is ever full.
  parameterSets: [{}, { refresh: 'yes' }, { W: 1 }, { W: 20, refresh: 'yes' }, { W: 30 }],
  leavesRepeats: ({ parameters }) => parameters.values.refresh === 'no',
  falsePositiveBound: () => 0,
};
