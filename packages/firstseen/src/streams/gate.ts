// What decides over the items of a stream, and where they go from there. No file, no `node:` module.

import type { Detector, Key } from '../detectors/detector.js';

/** Where the items of a gate go. */
export interface Exits<Item> {
  /** Takes an item that passes; a promise is waited for before the next one comes. */
  pass(item: Item): Promise<void> | undefined;
  drop(item: Item): void;
  /** Told of what ends the stream, also while no item is being taken. */
  fail(error: unknown): void;
}

/** Takes items one after the other, and sends each to its exit. */
export interface Gate<Item> {
  /** Takes an item, while there is room for it. */
  take(item: Item): void;
  /** Resolves when there is room for another item; nothing while there is. */
  readonly room: Promise<void> | undefined;
  /** Resolves when the oldest item in hand has left; nothing while there is none. */
  readonly oldest: Promise<void> | undefined;
  /** Resolves when all items in hand have left. */
  finish(): Promise<void>;
  /** Begins nothing more; resolves when nothing is under way. */
  close(): Promise<void>;
}

/**
 * The gate of streams without a sink: each item leaves, marked seen, as it comes. Whoever passes it an item waits by the
 * stream's own means while the reader's buffer is full.
 */
export class ImmediateGate<Item> implements Gate<Item> {
  readonly room = undefined;
  readonly oldest = undefined;
  readonly #detector: Detector;
  readonly #key: (item: Item) => Key;
  readonly #exits: Exits<Item>;

  constructor(detector: Detector, key: (item: Item) => Key, exits: Exits<Item>) {
    this.#detector = detector;
    this.#key = key;
    this.#exits = exits;
  }

  take(item: Item): void {
    if (this.#detector.observe(this.#key(item)) === 'distinct') this.#exits.pass(item);
    else this.#exits.drop(item);
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {}
}
