// Items marked seen only once a sink has taken them. No file, no `node:` module.

import { type Claim, Claims, checkPending } from '../detectors/claims.js';
import type { Detector, Key } from '../detectors/detector.js';
import { FirstseenError } from '../errors.js';
import type { Exits, Gate } from './gate.js';

export interface DeliveryOptions<Item> {
  /**
   * Hands an item to a sink; resolves when the sink has it for good. Only then is the item marked seen and passed on. It
   * has to settle at some time, as the item is held until then.
   */
  deliver?: (item: Item) => PromiseLike<unknown>;
  /**
   * Most items in hand at a time, with `deliver`: those being delivered, those that wait for the outcome of an item of the
   * same key, and those that wait for their turn to be passed on. 1 by default.
   */
  concurrency?: number;
  /**
   * Called with every item that `deliver` rejected, and with what it rejected it; the item is not marked seen. Without it
   * the first rejection ends the stream.
   */
  onRejected?: (item: Item, error: unknown) => void;
}

/** A sink as the gate has it. */
export interface Sink<Item> {
  deliver: (item: Item) => PromiseLike<unknown>;
  concurrency: number | undefined;
  onRejected: ((item: Item, error: unknown) => void) | undefined;
}

/** What is done with an item when its turn to leave comes. */
type Leave = () => Promise<void> | undefined;

function noop(): undefined {}

function asError(thrown: unknown): unknown {
  if (thrown instanceof Error) return thrown;
  const message = `deliver rejected an item with ${thrown}; reject with an Error`;
  return new FirstseenError('E_DELIVERY', message, { cause: thrown });
}

/**
 * Items in hand, at most `concurrency`. They are claimed in the order in which they come, delivered side by side, and leave
 * in the order in which they came. One whose key is pending waits for the outcome: it is dropped when the key was
 * committed, and claims the key itself when it was given back. So what becomes of an item does not depend on how many are
 * in hand or on which delivery ends first. After a failure no delivery begins, those under way end, and only the items
 * before the failure have left.
 */
export class DeliveryGate<Item> implements Gate<Item> {
  readonly #detector: Detector;
  readonly #key: (item: Item) => Key;
  readonly #sink: Sink<Item>;
  readonly #exits: Exits<Item>;
  readonly #concurrency: number;
  readonly #claims: Claims;
  /** One for each item in hand, oldest first: resolves when it and all before it have left. */
  readonly #inHand: Promise<void>[] = [];
  /** What the latest item of each key in hand came to, by its fingerprint; the next one waits for it. */
  readonly #latest = new Map<bigint, Promise<unknown>>();
  /** Why no delivery begins any more. */
  #end: { error: unknown } | undefined;

  /** @throws FirstseenError E_PARAMETER when `concurrency` is impossible. */
  constructor(detector: Detector, key: (item: Item) => Key, sink: Sink<Item>, exits: Exits<Item>) {
    this.#detector = detector;
    this.#key = key;
    this.#sink = sink;
    this.#exits = exits;
    this.#concurrency = checkPending('concurrency', sink.concurrency ?? 1);
    // Every pending key is that of an item in hand, so there is always room; and only the sink says how a delivery ends.
    this.#claims = new Claims(detector, { pending: this.#concurrency, leaseMilliseconds: Number.POSITIVE_INFINITY });
  }

  take(item: Item): void {
    const left = this.#leaveInTurn(this.#inHand.at(-1), this.#settle(item));
    // Whoever waits for it meets its error; until then nobody may be there to hear it.
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
      // No delivery outlives its stream: what is not marked seen when it ends can be delivered anew.
      await this.close();
      this.#exits.fail(error);
      throw error;
    }
    this.#inHand.shift();
  }

  /** Ends when the item is delivered and marked seen, was rejected, or is known to be a repeat. */
  async #settle(item: Item): Promise<Leave> {
    const fingerprint = this.#detector.fingerprint(this.#key(item));
    const before = this.#latest.get(fingerprint);
    const settled = before ? before.then(() => this.#decide(item, fingerprint)) : this.#decide(item, fingerprint);
    // Whoever waits for the key knows of a failure before it takes the key over.
    const outcome = settled.catch(this.#endWith).finally(() => {
      if (this.#latest.get(fingerprint) === outcome) this.#latest.delete(fingerprint);
    });
    this.#latest.set(fingerprint, outcome);
    return settled;
  }

  /** For one item of a key at a time, so that its claim is never pending. */
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
