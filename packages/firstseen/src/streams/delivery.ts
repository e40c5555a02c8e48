// Marks items seen only after they are delivered. It uses no file and no `node:` module.

import { type Claim, type Claims, checkPending, claimsOf, type FreeAnswer } from '../detectors/claims.js';
import type { Detector } from '../detectors/detector.js';
import type { Key } from '../detectors/key.js';
import { FirstseenError } from '../errors.js';
import type { Exits, Gate } from './gate.js';

export interface DeliveryOptions<Item> {
  /**
   * Delivers an item; resolves when the delivery is final. Only then is the item marked seen and passed on. It must settle
   * eventually, because the item is held until then.
   */
  deliver?: ((item: Item) => PromiseLike<unknown>) | undefined;
  /**
   * The maximum number of pending items, with `deliver`: those being delivered, those waiting for the outcome of an item with the
   * same key, and those waiting for their turn to be passed on. 1 by default.
   */
  concurrency?: number | undefined;
  /**
   * Called with every item whose delivery was rejected, and with the reason; the item is not marked seen. Without this function,
   * the first rejection ends the stream.
   */
  onRejected?: ((item: Item, error: unknown) => void) | undefined;
}

/** The options of delivery, with `deliver` given. */
export interface DeliverySink<Item> {
  deliver: (item: Item) => PromiseLike<unknown>;
  concurrency: number | undefined;
  onRejected: ((item: Item, error: unknown) => void) | undefined;
}

/** An item that waits until no other claim holds its key. */
interface Wait {
  stop: () => void;
  giveUp: () => void;
}

/** What happens to an item when its turn to leave comes. */
type Leave = () => Promise<void> | undefined;

function noop(): undefined {}

function asError(thrown: unknown): unknown {
  if (thrown instanceof Error) return thrown;
  return new FirstseenError('E_DELIVERY', `deliver rejected an item with ${thrown}, which is not an Error`, {
    remedy: 'reject with an Error',
    cause: thrown,
  });
}

/**
 * Holds at most `concurrency` pending items. Items are claimed in order, delivered concurrently, and leave in order. An item whose
 * key is held by a claim waits for its outcome, whoever holds it: it is dropped if the key was committed, and claims the key itself
 * if the claim was aborted or has expired. So the result for an item does not depend on how many are pending or which delivery ends
 * first. After a failure no delivery starts, those in progress finish, and only the items before the failure have left.
 */
export class DeliveryGate<Item> implements Gate<Item> {
  readonly #detector: Detector;
  readonly #key: (item: Item) => Key;
  readonly #sink: DeliverySink<Item>;
  readonly #exits: Exits<Item>;
  readonly #concurrency: number;
  readonly #claims: Claims;
  /** One promise for each pending item, oldest first: resolves when it and all items before it have left. */
  readonly #inHand: Promise<void>[] = [];
  /** What resolves when an item is delivered, rejected, or given up, for all items of which that is not so yet. */
  readonly #unsettled = new Set<Promise<unknown>>();
  readonly #waits = new Set<Wait>();
  /** Why no more deliveries start. */
  #end: { error: unknown } | undefined;

  /** @throws FirstseenError E_PARAMETER when `concurrency` is invalid. */
  constructor(detector: Detector, key: (item: Item) => Key, sink: DeliverySink<Item>, exits: Exits<Item>) {
    this.#detector = detector;
    this.#key = key;
    this.#sink = sink;
    this.#exits = exits;
    this.#concurrency = checkPending('concurrency', sink.concurrency ?? 1);
    this.#claims = claimsOf(detector);
  }

  take(item: Item): void {
    const left = this.#leaveInTurn(this.#inHand.at(-1), this.#settle(item));
    // `oldest` or `finish` reports an error. This handler prevents an unhandled rejection before that.
    left.catch(noop);
    this.#inHand.push(left);
  }

  get room(): Promise<void> | undefined {
    return this.#inHand.length < this.#concurrency ? undefined : this.oldest;
  }

  get oldest(): Promise<void> | undefined {
    return this.#inHand[0];
  }

  async finish(): Promise<void> {
    await this.#inHand.at(-1);
  }

  async close(): Promise<void> {
    this.#endWith(undefined);
    await Promise.all(this.#unsettled);
  }

  readonly #endWith = (error: unknown): void => {
    this.#end ??= { error };
    for (const wait of this.#waits) {
      wait.stop();
      wait.giveUp();
    }
    this.#waits.clear();
  };

  async #leaveInTurn(before: Promise<void> | undefined, settled: Promise<Leave>): Promise<void> {
    settled.catch(this.#endWith);
    await before;
    try {
      const leave = await settled;
      await leave();
    } catch (error) {
      // No delivery outlives its stream: an item that is not marked seen at the end can be delivered again.
      await this.close();
      this.#exits.fail(error);
      throw error;
    }
    this.#inHand.shift();
  }

  /** Resolves when the item is delivered and marked seen, was rejected, or is known to be a repeat. */
  async #settle(item: Item): Promise<Leave> {
    const fingerprint = this.#detector.fingerprint(this.#key(item));
    const settled = this.#claims.isHeld(fingerprint)
      ? this.#answerInTurn(fingerprint).then((answer) => this.#decide(item, answer))
      : this.#decide(item, this.#claims.claimFree(fingerprint));
    const end = settled.catch(this.#endWith).finally(() => this.#unsettled.delete(end));
    this.#unsettled.add(end);
    return settled;
  }

  /** Claims a key as soon as no other claim holds it. Undefined if the stream ends before that. */
  #answerInTurn(fingerprint: bigint): Promise<FreeAnswer | undefined> {
    return new Promise((resolve, reject) => {
      const wait: Wait = { stop: noop, giveUp: () => resolve(undefined) };
      this.#waits.add(wait);
      wait.stop = this.#claims.whenFree(fingerprint, () => {
        this.#waits.delete(wait);
        try {
          resolve(this.#claims.claimFree(fingerprint));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  async #decide(item: Item, answer: FreeAnswer | undefined): Promise<Leave> {
    if (!answer) throw this.#end?.error;
    if (answer.verdict === 'distinct') return this.#attempt(item, answer);
    return () => {
      this.#exits.drop(item);
      return undefined;
    };
  }

  async #attempt(item: Item, claim: Claim): Promise<Leave> {
    if (this.#end) {
      claim.abort();
      throw this.#end.error;
    }
    const { deliver, onRejected } = this.#sink;
    let isDelivered = false;
    try {
      await deliver(item);
      isDelivered = true;
      claim.commit();
    } catch (thrown) {
      if (onRejected && !isDelivered) {
        claim.abort();
        return () => {
          onRejected(item, thrown);
          return undefined;
        };
      }
      const error = asError(thrown);
      // Before the claim ends, so that no repeat in this stream claims the key.
      this.#endWith(error);
      claim.abort();
      throw error;
    }
    return () => this.#exits.pass(item);
  }
}
