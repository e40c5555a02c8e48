// Decides which items of a stream pass. It uses no file and no `node:` module.

import type { Detector } from '../detectors/detector.js';
import type { Key } from '../detectors/key.js';

/** The exits of a gate. */
export interface Exits<Item> {
  /** Receives an item that passes. If it returns a promise, the next item waits for it. */
  pass(item: Item): Promise<void> | undefined;
  drop(item: Item): void;
  /** Receives the error that ends the stream, even while no item is being taken. */
  fail(error: unknown): void;
}

/** Takes items in order, and sends each to an exit. */
export interface Gate<Item> {
  /** Takes an item. There must be room for it. */
  take(item: Item): void;
  /** Resolves when there is room for another item; undefined if there is room. */
  readonly room: Promise<void> | undefined;
  /** Resolves when the oldest pending item has left; undefined if none is pending. */
  readonly oldest: Promise<void> | undefined;
  /** Resolves when all pending items have left. */
  finish(): Promise<void>;
  /** Starts no more deliveries; resolves when none is in progress. */
  close(): Promise<void>;
}

/**
 * The gate of streams without `deliver`: each item is marked seen and leaves at once. The stream's own backpressure makes the
 * source wait while the reader's buffer is full.
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
