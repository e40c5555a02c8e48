// Claims on keys: a key is pending while its record is being delivered, and marked seen once the record is delivered.

import { checkOptions, checkPositive, checkWhole, type OptionNames } from '../check.js';
import { formatCount } from '../count.js';
import { FirstseenError, optionName, phrase } from '../errors.js';
import { checkDetector, type Detector } from './detector.js';
import type { Key } from './key.js';
import { type Lease, PendingTable } from './pending.js';

const DEFAULT_PENDING = 10_000;
const DEFAULT_LEASE_MILLISECONDS = 30_000;
/** Half of what a JavaScript map can hold, because a map keeps deleted entries for a while. */
const MOST_PENDING = 2 ** 23;

/** The options of claims. All are optional. */
export interface ClaimsOptions {
  /** The maximum number of pending keys, 1 to 2^23; the default is 10,000. */
  pending?: number | undefined;
  /** How long a claim holds its key, in milliseconds; the default is 30,000. With `Infinity` a claim never expires. */
  leaseMilliseconds?: number | undefined;
  /** Milliseconds on a clock of any origin; the default is `performance.now()`. A clock that steps back counts as stopped. */
  now?: (() => number) | undefined;
}

/**
 * The result of a commit. `committed`: the claim still held its key. `late`: the claim had lost its key, because its lease
 * expired or another claim on the key was committed. The key is marked seen either way. After `late` the record may have
 * been delivered twice.
 */
export type CommitOutcome = 'committed' | 'late';

/** The key was not seen, and this claim holds it. The methods do not use `this`. */
export interface Claim {
  /** The key was not seen before. */
  readonly verdict: 'distinct';
  /**
   * Marks the key seen, because its record is delivered. A second call returns the same result.
   * @throws FirstseenError E_CLAIM_ABORTED after `abort`; E_FULL from a full exact detector, and the claim remains.
   */
  readonly commit: () => CommitOutcome;
  /** Releases the key for the next claim. Returns false and does nothing if the claim no longer holds the key. */
  readonly abort: () => boolean;
  /** Restarts the lease. Returns false if the claim no longer holds the key: another may deliver its record. */
  readonly extend: () => boolean;
}

/** The answer for a claimed key: a claim that holds it, or that it was seen, or that another claim holds it. */
export type ClaimAnswer =
  | Claim
  /** The detector reports the key as seen. */
  | { readonly verdict: 'duplicate' }
  /** Another claim holds the key. Do not drop or acknowledge the record: the other claim may fail. */
  | {
      readonly verdict: 'pending';
      /** Time until the key is free again, unless the other claim is settled or extended first. */
      readonly remainingMilliseconds: number;
    };

/** The number of claims answered `distinct` is pending + committed + aborted + expired. */
export interface ClaimStats {
  /** Keys that are held now. */
  pending: number;
  /** Claims that ended by a commit of their key. */
  committed: number;
  /** Claims that ended by an abort. */
  aborted: number;
  /** Claims that ended because their lease did. */
  expired: number;
  /** Commits after the end of their claim. If there are many, use a longer lease. */
  late: number;
  /** Claims answered `duplicate`. */
  duplicates: number;
}

const claimsOptionNames: OptionNames<ClaimsOptions> = { pending: true, leaseMilliseconds: true, now: true };

/** @throws FirstseenError E_PARAMETER unless this number of keys can be pending. */
export function checkPending(option: string, count: number): number {
  return checkWhole(option, count, { least: 1, most: MOST_PENDING });
}

function claimOf(claims: Claims, lease: Lease): Claim {
  let outcome: CommitOutcome | 'aborted' | undefined;
  return {
    verdict: 'distinct',
    commit() {
      if (outcome === 'aborted') {
        throw new FirstseenError('E_CLAIM_ABORTED', 'commit was called after abort, so the key is not marked seen', {
          remedy: 'settle each claim once',
        });
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

/** The pending keys of one detector. A snapshot of the detector contains only committed keys. */
export class Claims {
  readonly #detector: Detector;
  readonly #mostPending: number;
  readonly #leaseMilliseconds: number;
  readonly #now: () => number;
  readonly #table = new PendingTable();
  readonly #counts = { committed: 0, aborted: 0, expired: 0, late: 0, duplicates: 0 };
  /** The latest time of the clock. */
  #time: number;
  readonly #fingerprint = new BigUint64Array(1);
  readonly #verdict = new Uint8Array(1);

  /** @throws FirstseenError E_PARAMETER. */
  constructor(detector: Detector, options: ClaimsOptions = {}) {
    checkOptions(options, claimsOptionNames);
    this.#detector = checkDetector('detector', detector);
    this.#mostPending = checkPending('pending', options.pending ?? DEFAULT_PENDING);
    this.#leaseMilliseconds = checkPositive(
      'leaseMilliseconds',
      options.leaseMilliseconds ?? DEFAULT_LEASE_MILLISECONDS,
    );
    this.#now = options.now ?? (() => performance.now());
    this.#time = this.#now();
    if (!Number.isFinite(this.#time)) {
      throw new FirstseenError('E_PARAMETER', phrase`${optionName('now')} returned ${String(this.#time)}`, {
        option: 'now',
        given: this.#time,
        expected: 'a number of milliseconds',
        remedy: 'return a number of milliseconds',
      });
    }
  }

  /**
   * Whether the key is seen, pending or neither. If neither, the returned claim holds it.
   * @throws FirstseenError E_KEY for a key that cannot be fingerprinted; E_CLAIMS_FULL when the maximum number of keys is
   * pending and this one is neither seen nor pending. The claims are unchanged then.
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
      // As `observe` does: families that keep repeated elements must see the repeat. It marks nothing that was unseen.
      this.#add(fingerprint);
      this.#counts.duplicates++;
      return { verdict: 'duplicate' };
    }
    if (this.#table.size >= this.#mostPending) throw this.#fullError();
    return claimOf(this, this.#table.hold(fingerprint, time + this.#leaseMilliseconds));
  }

  /** What has become of the claims so far. */
  stats(): ClaimStats {
    this.#advance();
    return { pending: this.#table.size, ...this.#counts };
  }

  /**
   * Marks the key of a lease seen, whether or not the lease still holds it, because its record was delivered. Another lease
   * on the key ends, so that its `extend` returns false. Later claims are answered `duplicate`.
   * @internal
   */
  commitLease(lease: Lease): CommitOutcome {
    this.#advance();
    // First, because it may fail, and the claim must remain then.
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

  /** Reads the clock and ends the leases that have expired. */
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
      phrase`a new key was claimed, but ${formatCount(this.#mostPending)} keys are pending, the maximum`,
      { remedy: phrase`commit or abort a claim, wait for a lease to expire, or raise ${optionName('pending')}` },
    );
  }
}

/**
 * Claims on the keys of a detector, for records that are marked seen only once they are delivered. Create one `Claims` per
 * detector: two do not know each other's pending keys.
 * @throws FirstseenError E_PARAMETER.
 */
export function createClaims(detector: Detector, options: ClaimsOptions = {}): Claims {
  return new Claims(detector, options);
}
