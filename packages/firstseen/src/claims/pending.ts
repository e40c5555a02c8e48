// The pending keys: a map for look-up, and the order in which their leases expire.

import { ExpiryQueue } from './expiry.js';
import type { Lease, LeaseTerms } from './lease.js';
import { fullOfClaims } from './options.js';

/** Tells if there is a lease. */
export function isDefined(lease: Lease | undefined): lease is Lease {
  return lease !== undefined;
}

/** The leases, with undefined in place of those that came before. */
export function withoutRepeats(leases: readonly (Lease | undefined)[]): (Lease | undefined)[] {
  const found = new Set<Lease>();
  return leases.map((lease) => {
    if (lease === undefined || found.has(lease)) return undefined;
    found.add(lease);
    return lease;
  });
}

const none: readonly Lease[] = [];

/** The counter of the memory of keys that claims hold. */
export interface HeldMemory {
  /** @throws FirstseenError E_CLAIMS_FULL when one more key does not fit */
  check(): void;
  /** Counts keys that are held, or fewer than none if they no longer are. */
  count(keys: number): void;
}

export class PendingTable {
  readonly #leases = new Map<bigint, Lease>();
  readonly #order = new ExpiryQueue();
  #limited = 0;
  memory: HeldMemory | undefined;

  get size(): number {
    return this.#leases.size;
  }

  /** @throws FirstseenError E_CLAIMS_FULL unless one more key may be held */
  checkRoom(maxPending: number): void {
    if (this.#limited >= maxPending) throw fullOfClaims(maxPending);
    this.memory?.check();
  }

  get(fingerprint: bigint): Lease | undefined {
    return this.#leases.get(fingerprint);
  }

  /** The leases that hold a key now. */
  all(): Lease[] {
    return [...this.#leases.values()];
  }

  /** Adds a lease on a key that none holds. */
  hold(fingerprint: bigint, terms: LeaseTerms, expiresAt: number): Lease {
    const { milliseconds, isLimited, body, token } = terms;
    const lease: Lease = {
      fingerprint,
      milliseconds,
      isLimited,
      body,
      token,
      expiresAt,
      outcome: undefined,
      answer: undefined,
      isHeld: true,
    };
    this.#leases.set(fingerprint, lease);
    if (isLimited) this.#limited++;
    this.#order.add(lease);
    this.memory?.count(1);
    return lease;
  }

  /** Begins a lease that holds its key again, with another length if that is given. */
  renew(lease: Lease, time: number, milliseconds = lease.milliseconds): void {
    const before = lease.expiresAt;
    lease.milliseconds = milliseconds;
    lease.expiresAt = time + lease.milliseconds;
    // A later end is noticed when the earlier one comes.
    if (lease.expiresAt < before) this.#order.add(lease);
  }

  /** Ends a lease that holds its key. */
  release(lease: Lease): void {
    this.#leases.delete(lease.fingerprint);
    if (lease.isLimited) this.#limited--;
    lease.isHeld = false;
    this.memory?.count(-1);
    this.#order.compact(this.#leases.size);
  }

  /** Ends the leases that expire by `time`, and returns them. */
  expire(time: number): readonly Lease[] {
    if (!this.#order.isDue(time)) return none;
    const ended: Lease[] = [];
    for (let lease = this.#order.next(time); lease; lease = this.#order.next(time)) {
      this.release(lease);
      ended.push(lease);
    }
    return ended;
  }
}
