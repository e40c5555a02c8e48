// A second implementation of range motifs (narang-2011): one record after another, with nothing packed, in blocks or
// divided.

import type { MotifSettings } from '../../src/near/motifsettings.js';
import { fromTopBits, Generator } from './random.js';

/** The contents of an entry: the Bloom bit, and the sets whose records reached it. */
interface Entry {
  isMet: boolean;
  sets: Set<number>;
}

const NO_SET = 255;

export interface TwinAnswer {
  set: number;
  votes: number;
}

export class MotifsTwin {
  readonly #settings: MotifSettings;
  readonly #generator: Generator;
  readonly #positions: number[][];
  readonly #arrays: Map<number, Entry>[];
  /** The answers of the current batch by the text of their records. */
  #batch = new Map<string, number>();
  #records = 0;
  #opened = 0;

  constructor(settings: MotifSettings) {
    this.#settings = settings;
    this.#generator = new Generator(settings.seed);
    this.#positions = Array.from({ length: settings.hashes }, (_, hash) =>
      Array.from({ length: settings.addressBits }, (_, bit) =>
        fromTopBits(this.#generator.hash(BigInt(bit), hash), 8 * settings.recordBytes),
      ),
    );
    this.#arrays = this.#positions.map(() => new Map());
  }

  get opened(): number {
    return this.#opened;
  }

  observe(record: Uint8Array): TwinAnswer {
    if (this.#records % this.#settings.batchRecords === 0) this.#batch = new Map();
    const text = record.join();
    const entries = this.#entriesOf(record);
    const repeated = this.#batch.get(text);
    const set = repeated === undefined || repeated === NO_SET ? this.#winner(entries) : repeated;
    const votes = set === NO_SET ? 0 : this.#votes(entries, set);
    for (const entry of entries) {
      entry.isMet = true;
      if (set !== NO_SET) entry.sets.add(set);
    }
    if (repeated === undefined) this.#batch.set(text, set);
    this.#records++;
    return { set, votes };
  }

  #entriesOf(record: Uint8Array): Entry[] {
    return this.#positions.map((positions, hash) => {
      let address = 0;
      positions.forEach((position, bit) => {
        const isSet = ((record[position >> 3] as number) >> (position & 7)) & 1;
        if (isSet) address += 2 ** bit;
      });
      const array = this.#arrays[hash] as Map<number, Entry>;
      const entry = array.get(address) ?? { isMet: false, sets: new Set() };
      array.set(address, entry);
      return entry;
    });
  }

  #votes(entries: readonly Entry[], set: number): number {
    return entries.filter((entry) => entry.sets.has(set)).length;
  }

  #winner(entries: readonly Entry[]): number {
    const { sets, threshold, opening } = this.#settings;
    const votes = Array.from({ length: sets }, (_, set) => this.#votes(entries, set));
    const best = Math.max(...votes);
    const winners = votes.flatMap((count, set) => (count === best ? [set] : []));
    const orphans = entries.filter((entry) => entry.isMet && entry.sets.size === 0).length;
    const isWanted = { threshold: true, tied: winners.length > 1, confirmed: orphans >= threshold }[opening];
    if (best < threshold && isWanted && this.#opened < sets) return this.#opened++;
    if (best < threshold && opening === 'confirmed') return NO_SET;
    const drawn = winners.length === 1 ? 0 : fromTopBits(this.#generator.draw(this.#records, 0), winners.length);
    const set = winners[drawn] as number;
    this.#opened = Math.max(this.#opened, set + 1);
    return set;
  }
}
