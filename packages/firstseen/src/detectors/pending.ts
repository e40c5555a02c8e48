// The keys held pending, exactly: a map for look-up, and a ring of leases in the order in which they run out. All leases are
// equally long, so the order is that of claiming and renewing, and every step takes O(1), expiry O(1) for each lease. (A map
// alone would keep the order too, but looks for its first entry among all that were deleted before it.)

/** A hold on one fingerprint. Its identity is the token: two claims of one key never share a lease. */
export interface Lease {
  readonly fingerprint: bigint;
  /** Milliseconds on the clock of the claims; from then on the hold is void. */
  expiresAt: number;
  previous: Lease;
  next: Lease;
}

/** A lease that is in no ring but its own. */
function loneLease(fingerprint: bigint, expiresAt: number): Lease {
  const lease = { fingerprint, expiresAt } as Lease;
  lease.previous = lease;
  lease.next = lease;
  return lease;
}

function link(lease: Lease, before: Lease): void {
  lease.previous = before.previous;
  lease.next = before;
  before.previous.next = lease;
  before.previous = lease;
}

function unlink({ previous, next }: Lease): void {
  previous.next = next;
  next.previous = previous;
}

export class PendingTable {
  readonly #leases = new Map<bigint, Lease>();
  /** Holds nothing; what follows it runs out first. */
  readonly #end = loneLease(0n, Number.POSITIVE_INFINITY);

  get size(): number {
    return this.#leases.size;
  }

  get(fingerprint: bigint): Lease | undefined {
    return this.#leases.get(fingerprint);
  }

  /** Whether the lease still holds its key, and no later one does. */
  has(lease: Lease): boolean {
    return this.#leases.get(lease.fingerprint) === lease;
  }

  /** A new lease; `expiresAt` lies no earlier than that of any other. */
  hold(fingerprint: bigint, expiresAt: number): Lease {
    const lease = loneLease(fingerprint, expiresAt);
    this.#leases.set(fingerprint, lease);
    link(lease, this.#end);
    return lease;
  }

  /** Puts off the end of a lease that holds its key; `expiresAt` as in `hold`. */
  renew(lease: Lease, expiresAt: number): void {
    unlink(lease);
    lease.expiresAt = expiresAt;
    link(lease, this.#end);
  }

  /** Ends a lease that holds its key. */
  release(lease: Lease): void {
    this.#leases.delete(lease.fingerprint);
    unlink(lease);
  }

  /** Ends the leases that have run out by `time`, and counts them. */
  expire(time: number): number {
    let count = 0;
    for (let lease = this.#end.next; lease !== this.#end && lease.expiresAt <= time; lease = this.#end.next) {
      this.release(lease);
      count++;
    }
    return count;
  }
}
