// A sample of fixed size from a stream, in which each item is as likely as any other: Vitter 1985, "Random sampling with a reservoir",
// algorithm R.

import { drawnBelow } from './random.js';

export class Reservoir<Item> {
  readonly items: Item[] = [];
  readonly #size: number;
  #count = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Takes an item, unless the draw decides against it. */
  take(itemOf: () => Item): void {
    this.#count++;
    const slot = this.items.length < this.#size ? this.items.length : drawnBelow(this.#count, this.#count);
    if (slot < this.#size) this.items[slot] = itemOf();
  }
}
