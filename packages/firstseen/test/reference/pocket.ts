import { falsePositiveBound } from '../../src/detectors/pocket.js';
import type { DetectorSettings } from '../../src/detectors/settings.js';
import { cellsBytesOfPartition } from '../../src/detectors/settings.js';
import { fromLowBits, fromTopBits, Generator, GOLDEN, mix64 } from './random.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

const POCKET_BYTES = 128;
const GROUP_POCKETS = 32;
const OLDEST_AGE = 7;

interface Entry {
  quotient: number;
  remainder: number;
  age: number;
}

/** An element in one of its pockets. */
interface Place {
  pocket: Entry[];
  quotient: number;
  remainder: number;
}

/** Pockets as lists of entries in the order of their quotients; within a quotient, in the order in which they entered. */
class PocketTwin implements Twin {
  readonly #generator: Generator;
  readonly #pockets: Entry[][];
  readonly #partitions: number;
  readonly #slots: number;
  readonly #quotients: number;
  readonly #secondQuotients: number;
  readonly #remainderBits: number;
  readonly #entryAge: number;
  #length: number;
  #stamps = 0;

  constructor(settings: DetectorSettings) {
    this.#generator = new Generator(settings.seed);
    // The twin of a partition has the memory of all, and its elements only.
    this.#partitions = settings.partitions?.count ?? 1;
    const count = cellsBytesOfPartition(settings) / POCKET_BYTES / this.#partitions;
    this.#pockets = Array.from({ length: count }, () => []);
    this.#slots = numberOf(settings, 'k');
    this.#quotients = numberOf(settings, 'Q');
    this.#secondQuotients = numberOf(settings, 'Q2');
    this.#remainderBits = numberOf(settings, 'r');
    this.#entryAge = numberOf(settings, 'j');
    this.#length = Math.max(1, Math.floor(numberOf(settings, 'g') * count * this.#slots));
  }

  #places(fingerprint: bigint): [Place, Place] {
    const anchor = this.#generator.hash(fingerprint, 0);
    const hash = mix64(BigInt.asUintN(64, anchor + GOLDEN));
    const count = this.#pockets.length;
    const first = fromTopBits(anchor, count * this.#partitions) % count;
    const lastGroup = Math.max(1, Math.floor(count / GROUP_POCKETS)) - 1;
    const group = Math.min(Math.floor(first / GROUP_POCKETS), lastGroup);
    const start = group * GROUP_POCKETS;
    const size = group === lastGroup ? count - start : GROUP_POCKETS;
    const second = size === 1 ? first : start + ((first - start + 1 + fromLowBits(hash, size - 1)) % size);
    const firstQuotients = this.#quotients - this.#secondQuotients;
    return [
      this.#place(first, hash, 0, firstQuotients),
      this.#place(second, hash, firstQuotients, this.#secondQuotients),
    ];
  }

  #place(pocket: number, hash: bigint, from: number, quotients: number): Place {
    const bits = BigInt(this.#remainderBits);
    const value = ((hash >> 32n) * (BigInt(quotients) << bits)) >> 32n;
    return {
      pocket: this.#pockets[pocket] as Entry[],
      quotient: from + Number(value >> bits),
      remainder: Number(value & ((1n << bits) - 1n)),
    };
  }

  #find({ pocket, quotient, remainder }: Place): Entry | undefined {
    return pocket.find((entry) => entry.quotient === quotient && entry.remainder === remainder);
  }

  test(fingerprint: bigint): Answer {
    return this.#places(fingerprint).some((place) => this.#find(place)) ? 1 : 0;
  }

  load(): number {
    const used = this.#pockets.reduce((sum, pocket) => sum + pocket.length, 0);
    return used / (this.#pockets.length * this.#slots * this.#partitions);
  }

  observe(fingerprint: bigint): Answer {
    const [first, second] = this.#places(fingerprint);
    const found = this.#find(first) ?? this.#find(second);
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

  #enter(first: Place, second: Place): void {
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

  #add({ pocket, quotient, remainder }: Place): void {
    const behind = pocket.filter((entry) => entry.quotient <= quotient).length;
    pocket.splice(behind, 0, { quotient, remainder, age: this.#entryAge });
  }

  #turn(): void {
    const entries = this.#pockets.flat();
    const left = entries.filter(({ age }) => age === OLDEST_AGE).length;
    for (const entry of entries) entry.age = Math.min(OLDEST_AGE, entry.age + 1);
    this.#stamps = 0;
    const capacity = this.#pockets.length * this.#slots;
    if (10 * entries.length < 9 * capacity) return;
    const length = this.#length + Math.trunc((left - Math.floor(capacity / 50)) / 25);
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
    { r: 9, j: 7 },
  ],
  falsePositiveBound: (settings) => falsePositiveBound(settings.parameters.values),
};
