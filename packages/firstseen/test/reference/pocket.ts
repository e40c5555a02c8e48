import { cellsBytesOfPartition, type DetectorSettings } from '../../src/detectors/settings.js';
import { type Located, PocketPairs } from './pocketpairs.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

const OLDEST_AGE = 7;

interface Entry {
  quotient: number;
  remainder: number;
  age: number;
}

class PocketTwin implements Twin {
  readonly #pairs: PocketPairs<Entry>;
  readonly #slots: number;
  readonly #entryAge: number;
  #length: number;
  #stamps = 0;

  constructor(settings: DetectorSettings) {
    this.#pairs = new PocketPairs(settings, cellsBytesOfPartition(settings));
    this.#slots = this.#pairs.slotsOfPocket;
    this.#entryAge = numberOf(settings, 'j');
    this.#length = Math.max(1, Math.floor(numberOf(settings, 'g') * this.#pairs.count * this.#slots));
  }

  test(fingerprint: bigint): Answer {
    return this.#pairs.locate(fingerprint).some((located) => this.#pairs.find(located)) ? 1 : 0;
  }

  load(): number {
    return this.#pairs.entries().length / this.#pairs.slots;
  }

  observe(fingerprint: bigint): Answer {
    const [first, second] = this.#pairs.locate(fingerprint);
    const found = this.#pairs.find(first) ?? this.#pairs.find(second);
    if (found) {
      if (found.age > 0) this.#stamps++;
      found.age = 0;
    } else {
      this.#enter(first, second);
      this.#stamps++;
    }
    if (this.#stamps >= this.#length) this.#turn();
    return found ? 1 : 0;
  }

  #enter(first: Located<Entry>, second: Located<Entry>): void {
    const open = [first, second].find(({ pocket }) => pocket.length < this.#slots);
    if (open) {
      this.#add(open);
      return;
    }
    const [a, b] = [first, second].map(({ pocket }) => {
      const oldest = Math.max(...pocket.map(({ age }) => age));
      return 256 * oldest + pocket.filter(({ age }) => age === oldest).length;
    }) as [number, number];
    const chosen = b > a + Math.floor(this.#slots / 16) ? second : first;
    const oldest = Math.max(...chosen.pocket.map(({ age }) => age));
    const victim = chosen.pocket.findIndex(({ age }) => age === oldest);
    chosen.pocket.splice(victim, 1);
    this.#add(chosen);
  }

  #add(located: Located<Entry>): void {
    const { quotient, remainder } = located;
    this.#pairs.add(located, { quotient, remainder, age: this.#entryAge });
  }

  #turn(): void {
    const entries = this.#pairs.entries();
    const left = entries.filter(({ age }) => age === OLDEST_AGE).length;
    for (const entry of entries) entry.age = Math.min(OLDEST_AGE, entry.age + 1);
    this.#stamps = 0;
    const capacity = this.#pairs.count * this.#slots;
    if (10 * entries.length < 9 * capacity) return;
    const length =
      left === 0
        ? this.#length - Math.floor(this.#length / 16)
        : this.#length + Math.trunc((left - Math.floor(capacity / 50)) / 25);
    const least = Math.max(1, Math.floor(capacity / 16));
    this.#length = Math.min(Math.max(length, least), Math.max(least, Math.floor(capacity / 2)));
  }
}

export const pocket: TwinRow = {
  create: (settings) => new PocketTwin(settings),
  parameterSets: [
    {},
    { r: 8 },
    { r: 8, k: 60 },
    { r: 13 },
    { r: 16, j: 3 },
    { r: 23 },
    { r: 24, g: 0.01 },
    { r: 24, k: 16 },
    { r: 9, j: 4 },
  ],
  falsePositiveBound: (settings) => numberOf(settings, 'FPR'),
};
