// Marks items seen only after they are delivered. It uses no file and no `node:` module.

import { type Claim, Claims, checkPending } from '../detectors/claims.js';
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
 * key is pending waits for the outcome: it is dropped if the key was committed, and claims the key itself if the claim was aborted.
 * So the result for an item does not depend on how many are pending or which delivery ends first. After a failure no delivery
 * starts, those in progress finish, and only the items before the failure have left.
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
  /** The outcome of the latest pending item of each key, by fingerprint. The next item with the key waits for it. */
  readonly #latest = new Map<bigint, Promise<unknown>>();
  /** Why no more deliveries start. */
  #end: { error: unknown } | undefined;

  /** @throws FirstseenError E_PARAMETER when `concurrency` is invalid. */
  constructor(detector: Detector, key: (item: Item) => Key, sink: DeliverySink<Item>, exits: Exits<Item>) {
    this.#detector = detector;
    this.#key = key;
    this.#sink = sink;
    this.#exits = exits;
    this.#concurrency = checkPending('concurrency', sink.concurrency ?? 1);
    // Every pending claim belongs to a pending item, so there is always room for one; and only `deliver` decides how a claim ends.
    this.#claims = new Claims(detector, { pending: this.#concurrency, leaseMilliseconds: Number.POSITIVE_INFINITY });
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
    await Promise.all(this.#latest.values());
  }

  readonly #endWith = (error: unknown): void => {
    this.#end ??= { error };
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
    const before = this.#latest.get(fingerprint);
    const settled = before ? before.then(() => this.#decide(item, fingerprint)) : this.#decide(item, fingerprint);
    // `#end` is set before the next item with the key starts.
    const outcome = settled.catch(this.#endWith).finally(() => {
      if (this.#latest.get(fingerprint) === outcome) this.#latest.delete(fingerprint);
    });
    this.#latest.set(fingerprint, outcome);
    return settled;
  }

  /** Called for one item of a key at a time, so that the claim is never pending. */
  async #decide(item: Item, fingerprint: bigint): Promise<Leave> {
    const claim = this.#claims.claimFingerprint(fingerprint);
    if (claim.verdict === 'distinct') return this.#attempt(item, claim);
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
    } catch (error) {
      claim.abort();
      if (onRejected && !isDelivered) {
        return () => {
          onRejected(item, error);
          return undefined;
        };
      }
      throw asError(error);
    }
    return () => this.#exits.pass(item);
  }
}
