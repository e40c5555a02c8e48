// The Bloom filter that several rivals are made of.

import { Bits } from './bits.js';
import type { Hashes } from './hashes.js';

export class BloomFilter {
  readonly #bits: Bits;
  readonly #hashes: Hashes;
  readonly #k: number;

  constructor(bits: number, k: number, hashes: Hashes) {
    this.#bits = new Bits(bits);
    this.#hashes = hashes;
    this.#k = k;
  }

  get memoryBits(): number {
    return this.#bits.length;
  }

  has(element: number): boolean {
    for (let i = 0; i < this.#k; i++) {
      if (!this.#bits.has(this.#hashes.below(element, i, this.#bits.length))) return false;
    }
    return true;
  }

  add(element: number): void {
    for (let i = 0; i < this.#k; i++) this.#bits.set(this.#hashes.below(element, i, this.#bits.length));
  }

  clear(): void {
    this.#bits.clearAll();
  }
}
