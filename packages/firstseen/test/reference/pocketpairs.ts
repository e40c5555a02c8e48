// The two pockets of an element, and pockets as lists of entries.

import type { DetectorSettings } from '../../src/detectors/settings.js';
import { fromLowBits, fromTopBits, Generator, GOLDEN, mix64 } from './random.js';
import { numberOf } from './twin.js';

const POCKET_BYTES = 128;
const GROUP_POCKETS = 32;

/** An element in one of its pockets. */
export interface Located<Entry> {
  pocket: Entry[];
  quotient: number;
  remainder: number;
}

/** Pockets as lists of entries in the order of their quotients; within a quotient, in the order in which they entered. */
export class PocketPairs<Entry extends { quotient: number; remainder: number }> {
  readonly #generator: Generator;
  readonly #pockets: Entry[][];
  readonly #partitions: number;
  readonly #quotients: number;
  readonly #secondQuotients: number;
  readonly #remainderBits: number;
  readonly slotsOfPocket: number;

  /** @param cellsBytes of the partition whose elements come here, in the memory of all */
  constructor(settings: DetectorSettings, cellsBytes: number) {
    this.#generator = new Generator(settings.seed);
    // The twin of a partition has the memory of all, and its elements only.
    this.#partitions = settings.partitions?.count ?? 1;
    const count = cellsBytes / POCKET_BYTES / this.#partitions;
    this.#pockets = Array.from({ length: count }, () => []);
    this.slotsOfPocket = numberOf(settings, 'k');
    this.#quotients = numberOf(settings, 'Q');
    this.#secondQuotients = numberOf(settings, 'Q2');
    this.#remainderBits = numberOf(settings, 'r');
  }

  get count(): number {
    return this.#pockets.length;
  }

  /** Slots of all partitions. */
  get slots(): number {
    return this.#pockets.length * this.slotsOfPocket * this.#partitions;
  }

  entries(): Entry[] {
    return this.#pockets.flat();
  }

  locate(fingerprint: bigint): [Located<Entry>, Located<Entry>] {
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
      this.#located(first, hash, 0, firstQuotients),
      this.#located(second, hash, firstQuotients, this.#secondQuotients),
    ];
  }

  #located(pocket: number, hash: bigint, from: number, quotients: number): Located<Entry> {
    const bits = BigInt(this.#remainderBits);
    const value = ((hash >> 32n) * (BigInt(quotients) << bits)) >> 32n;
    return {
      pocket: this.#pockets[pocket] as Entry[],
      quotient: from + Number(value >> bits),
      remainder: Number(value & ((1n << bits) - 1n)),
    };
  }

  find({ pocket, quotient, remainder }: Located<Entry>): Entry | undefined {
    return pocket.find((entry) => entry.quotient === quotient && entry.remainder === remainder);
  }

  add({ pocket, quotient }: Located<Entry>, entry: Entry): void {
    const behind = pocket.filter((other) => other.quotient <= quotient).length;
    pocket.splice(behind, 0, entry);
  }
}
