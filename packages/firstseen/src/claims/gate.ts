// Decides which items of a stream pass. It uses no file and no `node:` module.

import type { Detector } from '../detectors/detector.js';
import type { Key } from '../detectors/key.js';
import { isUnkeyed, PASSED, type Unkeyed } from '../records/keyof.js';
import type { Claims } from './claims.js';
import { claimsOf } from './open.js';

/** Makes the key of an item, or says what happens to an item that has no usable key. */
export type KeyFunction<Item> = (item: Item) => Key | Unkeyed;

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
  /** Starts no more deliveries, and gives up those in progress; resolves when their keys are free. */
  close(): Promise<void>;
}

/**
 * The gate of streams without `deliver`: each item is marked seen and leaves at once, unless a claim holds its key. Then the item
 * and those after it wait for the outcome of the claim. The stream's own backpressure makes the source wait while the reader's
 * buffer is full.
 */
export class ImmediateGate<Item> implements Gate<Item> {
  readonly #detector: Detector;
  readonly #claims: Claims;
  readonly #key: KeyFunction<Item>;
  readonly #exits: Exits<Item>;
  /** The item that waits. */
  #waiting: { left: Promise<void>; stop: () => void; giveUp: () => void } | undefined;

  constructor(detector: Detector, key: KeyFunction<Item>, exits: Exits<Item>) {
    this.#detector = detector;
    this.#claims = claimsOf(detector);
    this.#key = key;
    this.#exits = exits;
  }

  get room(): Promise<void> | undefined {
    return this.#waiting?.left;
  }

  get oldest(): Promise<void> | undefined {
    return this.room;
  }

  take(item: Item): void {
    const key = this.#key(item);
    if (isUnkeyed(key)) this.#leave(item, key === PASSED);
    else this.#observe(item, key);
  }

  async finish(): Promise<void> {
    await this.room;
  }

  async close(): Promise<void> {
    this.#waiting?.stop();
    this.#waiting?.giveUp();
  }

  #observe(item: Item, key: Key): void {
    const answer = this.#claims.observe(key);
    if (answer === 'pending') this.#wait(item, this.#claims, this.#detector.fingerprint(key));
    else this.#leave(item, answer === 'distinct');
  }

  #leave(item: Item, isDistinct: boolean): void {
    if (isDistinct) void this.#exits.pass(item);
    else this.#exits.drop(item);
  }

  #wait(item: Item, claims: Claims, fingerprint: bigint): void {
    let settle = { resolve: (): void => undefined, reject: (_error: unknown): void => undefined };
    const departure = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
    const waitingItem = { left: departure, stop: (): void => undefined, giveUp: settle.resolve };
    this.#waiting = waitingItem;
    waitingItem.stop = claims.whenFree(fingerprint, () => {
      this.#waiting = undefined;
      try {
        // Not the key again: the program may have used its bytes for another one.
        this.#leave(item, claims.observeBatch(BigUint64Array.of(fingerprint))[0] === 0);
        settle.resolve();
      } catch (error) {
        settle.reject(error);
      }
    });
  }
}
