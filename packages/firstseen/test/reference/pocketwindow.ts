// The twin of pocketwindow: pockets as lists of entries with the number of the generation in which each was added.

import { cellsBytesOfPartition, type DetectorSettings } from '../../src/detectors/settings.js';
import { type Located, PocketPairs } from './pocketpairs.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

const GENERATIONS = 6;
/** Generations after which an entry has left the window. */
const EXPIRED = GENERATIONS + 1;

interface Entry {
  quotient: number;
  remainder: number;
  generation: number;
}

export class PocketwindowTwin implements Twin {
  readonly #pairs: PocketPairs<Entry>;
  readonly #generationAdds: number;
  readonly #generationMilliseconds: number;
  readonly #refreshes: boolean;
  #generation = 0;
  #adds = 0;
  #clockMilliseconds = 0;
  #unstored = 0;

  constructor(settings: DetectorSettings) {
    this.#pairs = new PocketPairs(settings, cellsBytesOfPartition(settings));
    const [W, t] = [numberOf(settings, 'W'), numberOf(settings, 't')];
    this.#generationAdds = t > 0 ? Number.POSITIVE_INFINITY : Math.ceil(W / GENERATIONS);
    this.#generationMilliseconds = Math.ceil(t / GENERATIONS);
    this.#refreshes = settings.parameters.values.refresh === 'yes';
  }

  advance(timeMilliseconds: number): void {
    const before = this.#clockMilliseconds;
    if (timeMilliseconds <= before) return;
    this.#clockMilliseconds = timeMilliseconds;
    const turns =
      Math.floor(timeMilliseconds / this.#generationMilliseconds) - Math.floor(before / this.#generationMilliseconds);
    this.#generation += turns;
    if (turns > 0) this.#adds = 0;
  }

  /** Elements that were not stored. */
  get unstored(): number {
    return this.#unstored;
  }

  #isHeld(entry: Entry): boolean {
    return this.#generation - entry.generation < EXPIRED;
  }

  #heldIn({ pocket }: Located<Entry>): number {
    return pocket.filter((entry) => this.#isHeld(entry)).length;
  }

  #findHeld(fingerprint: bigint): Entry | undefined {
    const found = this.#pairs.locate(fingerprint).map((located) => this.#pairs.find(located));
    return found.find((entry) => entry !== undefined && this.#isHeld(entry));
  }

  test(fingerprint: bigint): Answer {
    return this.#findHeld(fingerprint) ? 1 : 0;
  }

  load(): number {
    const held = this.#pairs.entries().filter((entry) => this.#isHeld(entry)).length;
    return held / this.#pairs.slots;
  }

  observe(fingerprint: bigint): Answer {
    const held = this.#findHeld(fingerprint);
    if (held && !this.#refreshes) return 1;
    if (this.#adds >= this.#generationAdds) {
      this.#generation++;
      this.#adds = 0;
    }
    this.#adds++;
    if (held) held.generation = this.#generation;
    else this.#add(fingerprint);
    return held ? 1 : 0;
  }

  #add(fingerprint: bigint): void {
    const [first, second] = this.#pairs.locate(fingerprint);
    const expired = this.#pairs.find(first) ?? this.#pairs.find(second);
    if (expired) {
      expired.generation = this.#generation;
      return;
    }
    const most = this.#pairs.slotsOfPocket;
    const [heldFirst, heldSecond] = [this.#heldIn(first), this.#heldIn(second)];
    const isSecond = heldFirst === most || heldSecond + Math.floor(most / 16) < heldFirst;
    const chosen = isSecond ? second : first;
    if ((isSecond ? heldSecond : heldFirst) === most) {
      this.#unstored++;
      return;
    }
    if (chosen.pocket.length === most) {
      chosen.pocket.splice(
        chosen.pocket.findIndex((entry) => !this.#isHeld(entry)),
        1,
      );
    }
    this.#pairs.add(chosen, { quotient: chosen.quotient, remainder: chosen.remainder, generation: this.#generation });
  }
}

export const pocketwindow: TwinRow = {
  create: (settings) => new PocketwindowTwin(settings),
  parameterSets: [
    {},
    { refresh: 'yes' },
    { r: 8, W: 100 },
    { r: 13, W: 7, refresh: 'yes' },
    { r: 8, k: 60, W: 1 },
    { r: 23, W: 50 },
    { r: 9, t: 1000 },
  ],
  falsePositiveBound: (settings) => numberOf(settings, 'FPR'),
};
