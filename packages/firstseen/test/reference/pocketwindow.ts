// The twin of pocketwindow: pockets as lists of entries with their ages, and a list of the levels that entries of one age are.

import { maxWindowElements } from '../../src/detectors/pocketwindow.js';
import { cellsBytesOfPartition, type DetectorSettings, memoryBytesOfPartition } from '../../src/detectors/settings.js';
import { type Located, PocketPairs } from './pocketpairs.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

const GENERATIONS = 6;
/** The age of entries that have left the window. */
const OLDEST_AGE = GENERATIONS + 1;

interface Entry {
  quotient: number;
  remainder: number;
  age: number;
}

export class PocketwindowTwin implements Twin {
  readonly #pairs: PocketPairs<Entry>;
  readonly #isTimed: boolean;
  /** Adds of a generation; with a clock, adds after which a level begins within it. */
  readonly #maxAdds: number;
  readonly #maxHeld: number;
  readonly #generationMilliseconds: number;
  readonly #refreshes: boolean;
  /** For each age up to the one before the oldest, the generations that have ended since entries got it as new ones. */
  #lags = [0, 1, 2, 3, 4, 5, 6];
  #adds = 0;
  #clockMilliseconds = 0;
  #unstored = 0;
  #shortened = 0;

  constructor(settings: DetectorSettings) {
    const cellsBytes = cellsBytesOfPartition(settings);
    this.#pairs = new PocketPairs(settings, cellsBytes);
    const [W, t, r, k] = ['W', 't', 'r', 'k'].map((letter) => numberOf(settings, letter)) as [
      number,
      number,
      number,
      number,
    ];
    this.#isTimed = t > 0;
    this.#maxAdds = this.#isTimed
      ? maxWindowElements({ r, k }, memoryBytesOfPartition(settings)) / GENERATIONS
      : Math.ceil(W / GENERATIONS);
    this.#maxHeld = this.#maxAdds * OLDEST_AGE;
    this.#generationMilliseconds = Math.ceil(t / GENERATIONS);
    this.#refreshes = settings.parameters.values.refresh === 'yes';
  }

  advance(timeMilliseconds: number): void {
    const before = this.#clockMilliseconds;
    if (timeMilliseconds <= before) return;
    this.#clockMilliseconds = timeMilliseconds;
    const turns =
      Math.floor(timeMilliseconds / this.#generationMilliseconds) - Math.floor(before / this.#generationMilliseconds);
    for (let i = 0; i < Math.min(turns, OLDEST_AGE); i++) this.#endGeneration();
    if (turns >= OLDEST_AGE) this.#lags = [0, 1, 2, 3, 4, 5, 6];
    if (turns > 0) this.#adds = 0;
  }

  /** Elements that were not stored. */
  get unstored(): number {
    return this.#unstored;
  }

  /** Levels that left the window early. */
  get shortened(): number {
    return this.#shortened;
  }

  #agedIn(entries: readonly Entry[], age: number): number {
    return entries.filter((entry) => entry.age === age).length;
  }

  #sizes(): number[] {
    const entries = this.#pairs.entries();
    return this.#lags.map((_, age) => this.#agedIn(entries, age));
  }

  /** Begins a level of new entries: `joined` and the level after it become one. */
  #openLevel(joined: number): void {
    const sizes = this.#sizes();
    const lags = [...this.#lags];
    if (joined + 1 < OLDEST_AGE && (sizes[joined] as number) > 0) lags[joined + 1] = lags[joined] as number;
    lags.splice(joined, 1);
    this.#lags = [0, ...lags];
    for (const entry of this.#pairs.entries()) if (entry.age <= joined) entry.age++;
  }

  /** Lets the levels from an age on leave the window, and begins one. */
  #leaveFrom(age: number): void {
    for (const entry of this.#pairs.entries()) if (entry.age >= age) entry.age = OLDEST_AGE;
    this.#lags = this.#lags.map((lag, at) => (at >= age ? OLDEST_AGE : lag));
    this.#openLevel(age);
  }

  /** The level that becomes one with the one after it: the pair with the fewest entries, and then the oldest. */
  #levelToJoin(): number | undefined {
    const sizes = this.#sizes();
    let best: { age: number; entries: number } | undefined;
    for (let age = 0; age < GENERATIONS; age++) {
      const [one, other] = [sizes[age], sizes[age + 1]] as [number, number];
      const isOneGeneration = this.#lags[age] === this.#lags[age + 1];
      if (!isOneGeneration && one > 0 && other > 0) continue;
      if (best === undefined || one + other <= best.entries) best = { age, entries: one + other };
    }
    return best?.age;
  }

  #endGeneration(): void {
    this.#lags = this.#lags.map((lag) => Math.min(lag + 1, OLDEST_AGE));
    const leaving = this.#lags.indexOf(OLDEST_AGE);
    if (leaving >= 0) this.#leaveFrom(leaving);
    else this.#openLevel(this.#levelToJoin() as number);
  }

  #isHeld({ age }: Entry): boolean {
    return age < OLDEST_AGE;
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

  #held(): number {
    return this.#pairs.entries().filter((entry) => this.#isHeld(entry)).length;
  }

  load(): number {
    return this.#held() / this.#pairs.slots;
  }

  observe(fingerprint: bigint): Answer {
    const held = this.#findHeld(fingerprint);
    if (held && !this.#refreshes) return 1;
    if (!this.#isTimed) {
      if (this.#adds >= this.#maxAdds) this.#ageAll();
    } else if (!held && this.#held() >= this.#maxHeld) this.#makeRoom();
    else if (this.#adds >= this.#maxAdds) this.#splitGeneration();
    this.#adds++;
    if (held) held.age = 0;
    else this.#add(fingerprint);
    return held ? 1 : 0;
  }

  #ageAll(): void {
    for (const entry of this.#pairs.entries()) entry.age = Math.min(entry.age + 1, OLDEST_AGE);
    this.#adds = 0;
  }

  #makeRoom(): void {
    while (this.#held() >= this.#maxHeld) {
      this.#shortened++;
      this.#leaveFrom(this.#sizes().findLastIndex((size) => size > 0));
    }
    this.#adds = 0;
  }

  #splitGeneration(): void {
    const joined = this.#levelToJoin();
    if (joined !== undefined) this.#openLevel(joined);
    this.#adds = 0;
  }

  #add(fingerprint: bigint): void {
    const [first, second] = this.#pairs.locate(fingerprint);
    const expired = this.#pairs.find(first) ?? this.#pairs.find(second);
    if (expired) {
      expired.age = 0;
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
    this.#pairs.add(chosen, { quotient: chosen.quotient, remainder: chosen.remainder, age: 0 });
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
    { r: 9, t: 1000, refresh: 'yes' },
    // Eight pockets of 16 slots are full several times.
    { r: 8, k: 16, t: 1000 },
  ],
  falsePositiveBound: (settings) => numberOf(settings, 'FPR'),
};
