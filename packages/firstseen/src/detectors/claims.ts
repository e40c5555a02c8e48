// Check, then commit or abort: a key is held pending while its record is under way, and marked seen once it is delivered.

import { formatCount } from '../count.js';
import { FirstseenError } from '../errors.js';
import type { Detector, Key } from './detector.js';
import { type Lease, PendingTable } from './pending.js';

const DEFAULT_PENDING = 10_000;
const DEFAULT_LEASE_MILLISECONDS = 30_000;
/** Half of what a JavaScript map can hold, as it keeps deleted entries for a while. */
const MOST_PENDING = 2 ** 23;

export interface ClaimsOptions {
  /** Most keys that are pending at a time, 1 to 2^23; 10,000 by default. */
  pending?: number;
  /** How long a claim holds its key, in milliseconds; 30,000 by default. `Infinity` holds it until it is settled. */
  leaseMilliseconds?: number;
  /** Milliseconds on a clock of any origin; by default `performance.now()`. Where it steps back it is taken to stand still. */
  now?: () => number;
}

/**
 * What a commit found: `committed`, the claim held its key until now; `late`, it had lost it before, as its lease ran out
 * or another's commit of the key came first. The key is marked seen either way; after `late` its record may have been
 * delivered twice.
 */
export type CommitOutcome = 'committed' | 'late';

/** The key is not seen and now held by this claim. Its methods need no `this`. */
export interface Claim {
  readonly verdict: 'distinct';
  /**
   * Marks the key seen: its record is delivered. Once done it stays done, and another call gives the same answer.
   * @throws FirstseenError E_CLAIM_ABORTED after `abort`; E_FULL from an exact detector without room, the claim stands.
   */
  readonly commit: () => CommitOutcome;
  /** Gives the key back, for the next who claims it. False, and nothing is done, when it is not held any more. */
  readonly abort: () => boolean;
  /** Begins the lease anew. False when the key is not held any more: another may deliver its record. */
  readonly extend: () => boolean;
}

export type ClaimAnswer =
  | Claim
  /** The key was seen before, as far as the detector can tell. */
  | { readonly verdict: 'duplicate' }
  /** Another claim holds the key. Neither drop the record nor acknowledge it: the other may fail. */
  | {
      readonly verdict: 'pending';
      /** After which the key is free again unless that claim is settled or extended before. */
      readonly remainingMilliseconds: number;
    };

/** Claims answered distinct are pending + committed + aborted + expired. */
export interface ClaimStats {
  /** Keys held at the moment. */
  pending: number;
  /** Claims ended by a commit of their key, by an abort, and by their lease. */
  committed: number;
  aborted: number;
  expired: number;
  /** Commits that came after their claim had ended. Many of them ask for a longer lease. */
  late: number;
  /** Claims answered duplicate. */
  duplicates: number;
}

function checkedLease(leaseMilliseconds: number): number {
  if (typeof leaseMilliseconds === 'number' && leaseMilliseconds > 0) return leaseMilliseconds;
  throw new FirstseenError(
    'E_PARAMETER',
    `leaseMilliseconds is ${leaseMilliseconds}, but must be a number greater than 0`,
  );
}

/** @throws FirstseenError E_PARAMETER when the number of keys that the option `name` asks for cannot be held. */
export function checkedPending(name: string, count: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= MOST_PENDING) return count;
  throw new FirstseenError('E_PARAMETER', `${name} is ${count}, but must be a whole number from 1 to ${MOST_PENDING}`);
}

function claimOf(claims: Claims, lease: Lease): Claim {
  let outcome: CommitOutcome | 'aborted' | undefined;
  return {
    verdict: 'distinct',
    commit() {
      if (outcome === 'aborted') {
        throw new FirstseenError(
          'E_CLAIM_ABORTED',
          'commit was called on a claim that was aborted before, so its key is not marked seen; settle a claim once',
        );
      }
      outcome ??= claims.commitLease(lease);
      return outcome;
    },
    abort() {
      if (outcome !== undefined) return false;
      outcome = 'aborted';
      return claims.abortLease(lease);
    },
    extend: () => outcome === undefined && claims.extendLease(lease),
  };
}

/** The pending keys of one detector. They are known here alone: a snapshot of the detector holds what was committed. */
export class Claims {
  readonly #detector: Detector;
  readonly #mostPending: number;
  readonly #leaseMilliseconds: number;
  readonly #now: () => number;
  readonly #table = new PendingTable();
  readonly #counts = { committed: 0, aborted: 0, expired: 0, late: 0, duplicates: 0 };
  /** The latest time that the clock gave. */
  #time: number;
  readonly #fingerprint = new BigUint64Array(1);
  readonly #verdict = new Uint8Array(1);

  /** @throws FirstseenError E_PARAMETER saying what was given and what is possible. */
  constructor(detector: Detector, options: ClaimsOptions = {}) {
    this.#detector = detector;
    this.#mostPending = checkedPending('pending', options.pending ?? DEFAULT_PENDING);
    this.#leaseMilliseconds = checkedLease(options.leaseMilliseconds ?? DEFAULT_LEASE_MILLISECONDS);
    this.#now = options.now ?? (() => performance.now());
    this.#time = this.#now();
    if (!Number.isFinite(this.#time)) {
      throw new FirstseenError('E_PARAMETER', `now gave ${this.#time}, but must give a number of milliseconds`);
    }
  }

  /**
   * Whether the key is seen, pending or neither; if neither, it is held from now on.
   * @throws FirstseenError E_KEY for a key that cannot be fingerprinted; E_CLAIMS_FULL when as many keys are pending as
   * may be, and this one is neither seen nor among them. Nothing is changed then.
   */
  claim(key: Key): ClaimAnswer {
    return this.claimFingerprint(this.#detector.fingerprint(key));
  }

  /**
   * `claim` for a fingerprint of the detector.
   * @internal
   */
  claimFingerprint(fingerprint: bigint): ClaimAnswer {
    const time = this.#advance();
    const holder = this.#table.get(fingerprint);
    if (holder) return { verdict: 'pending', remainingMilliseconds: holder.expiresAt - time };
    if (this.#isSeen(fingerprint)) {
      // As `observe` would: families that keep what is repeated have to hear of it, and nothing unseen is marked by it.
      this.#add(fingerprint);
      this.#counts.duplicates++;
      return { verdict: 'duplicate' };
    }
    if (this.#table.size >= this.#mostPending) throw this.#fullError();
    return claimOf(this, this.#table.hold(fingerprint, time + this.#leaseMilliseconds));
  }

  stats(): ClaimStats {
    this.#advance();
    return { pending: this.#table.size, ...this.#counts };
  }

  /**
   * Marks the key of a lease seen, whether the lease still holds it or not: it was delivered. Another that holds the key
   * loses it, so that `extend` can tell its holder, and claims from now on are answered duplicate.
   * @internal
   */
  commitLease(lease: Lease): CommitOutcome {
    this.#advance();
    // First, as it may fail: the claim stands then.
    this.#add(lease.fingerprint);
    const holder = this.#table.get(lease.fingerprint);
    if (holder) {
      this.#table.release(holder);
      this.#counts.committed++;
    }
    if (holder === lease) return 'committed';
    this.#counts.late++;
    return 'late';
  }

  /** @internal */
  abortLease(lease: Lease): boolean {
    this.#advance();
    if (!this.#table.has(lease)) return false;
    this.#table.release(lease);
    this.#counts.aborted++;
    return true;
  }

  /** @internal */
  extendLease(lease: Lease): boolean {
    const time = this.#advance();
    if (!this.#table.has(lease)) return false;
    this.#table.renew(lease, time + this.#leaseMilliseconds);
    return true;
  }

  /** Reads the clock and ends what has run out. */
  #advance(): number {
    const time = this.#now();
    if (time > this.#time) this.#time = time;
    this.#counts.expired += this.#table.expire(this.#time);
    return this.#time;
  }

  #isSeen(fingerprint: bigint): boolean {
    this.#fingerprint[0] = fingerprint;
    return this.#detector.testBatch(this.#fingerprint, this.#verdict)[0] === 1;
  }

  #add(fingerprint: bigint): void {
    this.#fingerprint[0] = fingerprint;
    this.#detector.observeBatch(this.#fingerprint, this.#verdict);
  }

  #fullError(): FirstseenError {
    return new FirstseenError(
      'E_CLAIMS_FULL',
      `as many keys are pending as may be, ${formatCount(this.#mostPending)}, and a new one came; commit or abort some before, wait ` +
        'for a lease to run out, or allow more with the option pending',
    );
  }
}

/**
 * Claims on the keys of a detector, for records that are marked seen only once they are delivered. One detector, one
 * `Claims`: two would not know of each other's pending keys.
 * @throws FirstseenError E_PARAMETER saying what was given and what is possible.
 */
export function createClaims(detector: Detector, options: ClaimsOptions = {}): Claims {
  return new Claims(detector, options);
}
