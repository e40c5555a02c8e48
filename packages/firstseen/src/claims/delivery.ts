// Marks items seen only after they are delivered. It uses no file and no `node:` module.

import { checkTimer } from '../base/check.js';
import { isWatched, tell } from '../base/diagnostics.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { Detector } from '../detectors/detector.js';
import type { Key } from '../detectors/key.js';
import { isUnkeyed, PASSED, type Unkeyed } from '../records/keyof.js';
import { type Attempt, type AttemptOptions, attempt, type DeliveryContext } from './attempt.js';
import type { Claims } from './claims.js';
import type { Exits, Gate, KeyFunction } from './gate.js';
import { claimsOf } from './open.js';
import { checkPending } from './options.js';
import { checkSignal } from './wait.js';

declare global {
  /** Merges with the type of the platform, for programs that have neither the types of Node nor those of a browser. */
  interface AbortSignal {}
}

export interface DeliveryOptions<Item> {
  /**
   * Delivers an item; resolves when the delivery is final. Only then is the item marked seen and passed on. The stream gives a
   * delivery up, and no longer waits for it, after its `timeout` and when the stream ends early. It then aborts the `signal` of the
   * delivery, and frees the key, so that another stream can deliver an item with this key. If the delivery succeeds nevertheless,
   * the item is marked seen at that time.
   */
  deliver?: ((item: Item, context: DeliveryContext) => PromiseLike<unknown>) | undefined;
  /**
   * The maximum number of pending items, with `deliver`: those being delivered, those waiting for the outcome of an item with the
   * same key, and those waiting for their turn to be passed on. 1 by default.
   */
  concurrency?: number | undefined;
  /**
   * Called with every item whose delivery was rejected, and with the reason; the item is not marked seen. Without this function,
   * the first rejection ends the stream. What it throws ends the stream too. The stream does not wait for a promise that it returns:
   * handle its rejection there.
   */
  onRejected?: ((item: Item, error: unknown) => void) | undefined;
  /**
   * The longest time of a delivery, with `deliver`: milliseconds, or a duration such as `30s`. A delivery that takes longer is given up
   * and counts as rejected with the error E_DELIVERY. The default is `1m`; `Infinity` means no limit.
   */
  timeout?: number | string | undefined;
  /**
   * Ends the stream when it is aborted, with `deliver`: the stream gives up all deliveries in progress, and fails with the reason of
   * the signal.
   */
  signal?: AbortSignal | undefined;
}

/** The options of delivery, with `deliver` given. */
export type DeliverySink<Item> = Required<DeliveryOptions<Item>> & {
  deliver: NonNullable<DeliveryOptions<Item>['deliver']>;
};

/** An item that waits until no other claim holds its key. */
interface Wait {
  stop: () => void;
  giveUp: () => void;
}

/** The hold of an item that is being delivered. */
interface Hold {
  /** Marks the item seen. */
  commit: () => unknown;
  abort: () => unknown;
}

/** The action on an item when its turn to leave comes. */
type Leave = () => Promise<void> | undefined;

function noop(): undefined {}

/** A delivery that never ends would keep its key, and the items after it, for ever. */
const DEFAULT_TIMEOUT = '1m';

/** An item without a usable key holds none, and is not marked seen. */
const noHold: Hold = { commit: noop, abort: noop };

function asError(thrown: unknown): unknown {
  if (thrown instanceof Error) return thrown;
  return new FirstseenError('E_DELIVERY', `deliver rejected an item with ${thrown}, which is not an Error`, {
    remedy: 'reject with an Error',
    cause: thrown,
  });
}

/** @throws FirstseenError E_PARAMETER for a time that no timer can wait. */
function timeoutOf({ timeout = DEFAULT_TIMEOUT }: { timeout: number | string | undefined }): AttemptOptions['timeout'] {
  if (timeout === Number.POSITIVE_INFINITY) return undefined;
  const reason = () =>
    new FirstseenError('E_DELIVERY', phrase`a delivery took longer than its ${optionName('timeout')}, ${timeout}`, {
      ...{ option: 'timeout', given: timeout },
      remedy: 'allow more time, or have the delivery fail earlier',
    });
  return { milliseconds: checkTimer('timeout', timeout), reason };
}

/** The reason for which a stream that is closed early gives its deliveries up. */
function closedEarly(): FirstseenError {
  return new FirstseenError('E_DELIVERY', 'the stream was closed before the delivery ended', {
    remedy: 'deliver the item again, or read the stream to its end',
  });
}

/**
 * Holds at most `concurrency` pending items. Items are claimed in order, delivered concurrently, and leave in order. An item whose
 * key is held by a claim waits for its outcome, whoever holds it: it is dropped if the key was committed, and claims the key itself
 * if the claim was aborted or has expired. So the result for an item does not depend on how many are pending or which delivery ends
 * first. After a failure no delivery starts, those in progress finish, and only the items before the failure have left. A gate that is
 * closed or aborted does not wait for deliveries: it gives them up.
 */
export class DeliveryGate<Item> implements Gate<Item> {
  readonly #detector: Detector;
  readonly #key: KeyFunction<Item>;
  readonly #sink: DeliverySink<Item>;
  readonly #exits: Exits<Item>;
  readonly #concurrency: number;
  readonly #claims: Claims;
  /** One promise for each pending item, oldest first: resolves when it and all items before it have left. */
  readonly #inHand: Promise<void>[] = [];
  /** A promise for each item in progress: resolves when the item is delivered, rejected or given up. */
  readonly #unsettled = new Set<Promise<unknown>>();
  readonly #waits = new Set<Wait>();
  readonly #attempts = new Set<Attempt>();
  readonly #timeout: AttemptOptions['timeout'];
  readonly #signal: AbortSignal | undefined;
  /** The error because of which no more deliveries start. */
  #end: { error: unknown } | undefined;
  /** The reason why deliveries were given up. */
  #givenUp: 'closed' | 'aborted' | undefined;

  /** @throws FirstseenError E_PARAMETER when `concurrency`, `timeout` or `signal` is invalid; the reason of an aborted signal. */
  constructor(detector: Detector, key: KeyFunction<Item>, sink: DeliverySink<Item>, exits: Exits<Item>) {
    this.#detector = detector;
    this.#key = key;
    this.#sink = sink;
    this.#exits = exits;
    this.#concurrency = checkPending('concurrency', sink.concurrency ?? 1);
    this.#timeout = timeoutOf(sink);
    this.#signal = checkSignal(sink.signal);
    this.#claims = claimsOf(detector);
    this.#signal?.addEventListener('abort', this.#abort);
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
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#givenUp ??= 'closed';
    this.#giveUp(undefined, closedEarly);
    await Promise.all(this.#unsettled);
  }

  readonly #abort = (): void => {
    const reason: unknown = this.#signal?.reason;
    this.#givenUp = 'aborted';
    this.#giveUp(reason, () => reason);
    // The next item may not come for a long time.
    this.#exits.fail(reason);
  };

  /** Ends the gate without its deliveries, which get the reason. */
  #giveUp(error: unknown, reason: () => unknown): void {
    this.#endWith(error);
    if (this.#attempts.size === 0) return;
    const told = reason();
    for (const { giveUp } of this.#attempts) giveUp(told);
  }

  readonly #endWith = (error: unknown): void => {
    this.#end ??= { error };
    for (const wait of this.#waits) {
      wait.stop();
      wait.giveUp();
    }
    this.#waits.clear();
  };

  async #leaveInTurn(previousLeave: Promise<void> | undefined, settlement: Promise<Leave>): Promise<void> {
    settlement.catch(this.#endWith);
    await previousLeave;
    try {
      const leave = await settlement;
      await leave();
    } catch (error) {
      // After a failure the stream waits for the other deliveries, so that what they deliver is marked seen when it ends.
      this.#endWith(error);
      await Promise.all(this.#unsettled);
      // Nobody waits for the items of a gate that was closed.
      if (this.#givenUp === 'closed') return;
      this.#exits.fail(error);
      throw error;
    }
    void this.#inHand.shift();
  }

  /** Resolves when the item is delivered and marked seen, was rejected, or is known to be a repeat. */
  async #settle(item: Item): Promise<Leave> {
    const settled = this.#settleKey(item, this.#key(item));
    const end = settled.catch(this.#endWith).finally(() => this.#unsettled.delete(end));
    this.#unsettled.add(end);
    return settled;
  }

  #settleKey(item: Item, key: Key | Unkeyed): Promise<Leave> {
    if (isUnkeyed(key)) return this.#decide(item, key === PASSED ? noHold : 'dropped');
    const fingerprint = this.#detector.fingerprint(key);
    return this.#claims.isHeld(fingerprint)
      ? this.#claimInTurn(fingerprint).then((hold) => this.#decide(item, hold))
      : this.#decide(item, this.#claimFree(fingerprint));
  }

  /** Claims a key that no claim holds. */
  #claimFree(fingerprint: bigint): Hold | 'dropped' {
    const lease = this.#claims.claimFree(fingerprint);
    if (!lease) return 'dropped';
    return { commit: () => this.#claims.commitLease(lease), abort: () => this.#claims.abortLease(lease) };
  }

  /** Claims a key as soon as no other claim holds it. Undefined if the stream ends before that. */
  #claimInTurn(fingerprint: bigint): Promise<Hold | 'dropped' | undefined> {
    return new Promise((resolve, reject) => {
      const wait: Wait = { stop: noop, giveUp: () => resolve(undefined) };
      this.#waits.add(wait);
      wait.stop = this.#claims.whenFree(fingerprint, () => {
        this.#waits.delete(wait);
        try {
          resolve(this.#claimFree(fingerprint));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  async #decide(item: Item, hold: Hold | 'dropped' | undefined): Promise<Leave> {
    if (hold === undefined) throw this.#end?.error;
    if (hold !== 'dropped') return this.#deliver(item, hold);
    return () => {
      this.#exits.drop(item);
      return undefined;
    };
  }

  async #deliver(item: Item, hold: Hold): Promise<Leave> {
    if (this.#end) {
      hold.abort();
      throw this.#end.error;
    }
    const { onRejected } = this.#sink;
    let isDelivered = false;
    try {
      await this.#attempt(item, hold);
      isDelivered = true;
      hold.commit();
    } catch (cause) {
      if (onRejected && !isDelivered && !this.#givenUp) {
        hold.abort();
        return () => {
          onRejected(item, cause);
          return undefined;
        };
      }
      const error = this.#givenUp ? cause : asError(cause);
      // Before the claim ends, so that no repeat in this stream claims the key.
      this.#endWith(error);
      hold.abort();
      throw error;
    }
    return () => this.#exits.pass(item);
  }

  /** Delivers an item once. Rejects also when the delivery is given up. */
  async #attempt(item: Item, hold: Hold): Promise<void> {
    const delivery = attempt((context) => this.#sink.deliver(item, context), {
      timeout: this.#timeout,
      onLate: () => this.#commitLate(hold),
    });
    this.#attempts.add(delivery);
    const end = this.#watch();
    try {
      await delivery.outcome;
      end('delivered');
    } catch (error) {
      end(delivery.isGivenUp() ? 'given up' : 'rejected');
      throw error;
    } finally {
      this.#attempts.delete(delivery);
    }
  }

  /** Publishes how a delivery ended and how long it took, if there is a subscriber. */
  #watch(): (outcome: 'delivered' | 'rejected' | 'given up') => void {
    if (!isWatched('deliver')) return noop;
    const begunMilliseconds = performance.now();
    return (outcome) => {
      const milliseconds = performance.now() - begunMilliseconds;
      tell('deliver', () => ({ detector: this.#detector, outcome, milliseconds }));
    };
  }

  /** Marks an item seen whose delivery succeeded after it was given up. */
  #commitLate(hold: Hold): void {
    try {
      hold.commit();
    } catch {
      // A full detector does not change. The stream has ended, so nothing can report the error.
    }
  }
}
