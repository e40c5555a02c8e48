// Shared code of the twins of the buffering methods: a buffer of keys, in the simplest form.

import type { DetectorSettings } from '../../src/detectors/settings.js';
import { Generator } from './random.js';
import { numberOf, type TwinRow } from './twin.js';

interface Buffer {
  readonly size: number;
  has(key: bigint): boolean;
  /** Records that a key in the buffer was found. */
  use(key: bigint): void;
  /** Inserts a key, replacing another if the buffer is full. */
  enter(key: bigint): void;
}

/** Least recently used first: a map iterates its keys in insertion order. */
class LruBuffer implements Buffer {
  readonly #keys = new Set<bigint>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#keys.size;
  }

  has(key: bigint): boolean {
    return this.#keys.has(key);
  }

  use(key: bigint): void {
    this.#keys.delete(key);
    this.#keys.add(key);
  }

  enter(key: bigint): void {
    if (this.size === this.#capacity) this.#keys.delete(this.#keys.values().next().value as bigint);
    this.#keys.add(key);
  }
}

/** Clock (Broder, Najork and Wiener 2003): a hand clears marks until it reaches an entry without one. */
class ClockBuffer implements Buffer {
  readonly #entries: { key: bigint; isMarked: boolean }[] = [];
  readonly #capacity: number;
  #hand = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.length;
  }

  has(key: bigint): boolean {
    return this.#entries.some((entry) => entry.key === key);
  }

  use(key: bigint): void {
    for (const entry of this.#entries) if (entry.key === key) entry.isMarked = true;
  }

  enter(key: bigint): void {
    const entry = { key, isMarked: false };
    if (this.size < this.#capacity) this.#entries.push(entry);
    else this.#entries[this.#freeIndex()] = entry;
  }

  #freeIndex(): number {
    while (true) {
      const index = this.#hand;
      this.#hand = (index + 1) % this.#capacity;
      const entry = this.#entries[index];
      if (!entry?.isMarked) return index;
      entry.isMarked = false;
    }
  }
}

/** A buffer of what identifies an element: its hash, or the upper half of its hash. */
export class ElementBuffer {
  readonly generator: Generator;
  readonly #buffer: Buffer;
  readonly #capacity: number;
  readonly #keyBits: number;

  constructor(settings: DetectorSettings) {
    const { replacement, counting } = settings.parameters.values;
    this.generator = new Generator(settings.seed);
    this.#capacity = numberOf(settings, 'C');
    this.#keyBits = counting === 'entries32' ? 32 : 64;
    this.#buffer = replacement === 'clock' ? new ClockBuffer(this.#capacity) : new LruBuffer(this.#capacity);
  }

  #key(fingerprint: bigint): bigint {
    return this.generator.hash(fingerprint, 0) >> BigInt(64 - this.#keyBits);
  }

  has(fingerprint: bigint): boolean {
    return this.#buffer.has(this.#key(fingerprint));
  }

  /** Uses the element if the buffer has it, otherwise inserts it. */
  take(fingerprint: bigint): void {
    const key = this.#key(fingerprint);
    if (this.#buffer.has(key)) this.#buffer.use(key);
    else this.#buffer.enter(key);
  }

  load(): number {
    return this.#buffer.size / this.#capacity;
  }
}

/** Rate at which a key matches one of C entries by chance. */
export function collisionRate(settings: DetectorSettings): number {
  const bits = settings.parameters.values.counting === 'entries32' ? 32 : 64;
  return numberOf(settings, 'C') / 2 ** bits;
}

export const bufferParameterSets: TwinRow['parameterSets'] = [
  {},
  { replacement: 'clock' },
  { counting: 'entries64' },
  { counting: 'entries64', replacement: 'clock' },
  { counting: 'entries32' },
  { counting: 'entries32', replacement: 'clock' },
];
