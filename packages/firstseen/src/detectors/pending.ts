// The pending keys: a map for look-up, and a ring of leases in the order in which they expire. All leases have the same length,
// so this is the order of claiming and renewing. Every step takes O(1), and expiry O(1) per lease. (A map alone would keep the
// order too, but searches for its first entry among the entries deleted before it.)

/** A hold on one fingerprint. The object is the token: two claims on one key never share a lease. */
export interface Lease {
  readonly fingerprint: bigint;
  /** When the lease expires, in milliseconds on the clock of the claims. */
  expiresAt: number;
  previous: Lease;
  next: Lease;
}

/** A lease that is not yet in a ring. */
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
  /** The end of the ring. The lease after it expires first. */
  readonly #end = loneLease(0n, Number.POSITIVE_INFINITY);

  get size(): number {
    return this.#leases.size;
  }

  get(fingerprint: bigint): Lease | undefined {
    return this.#leases.get(fingerprint);
  }

  /** Whether the lease still holds its key. */
  has(lease: Lease): boolean {
    return this.#leases.get(lease.fingerprint) === lease;
  }

  /** Adds a lease. `expiresAt` must not be earlier than that of any other lease. */
  hold(fingerprint: bigint, expiresAt: number): Lease {
    const lease = loneLease(fingerprint, expiresAt);
    this.#leases.set(fingerprint, lease);
    link(lease, this.#end);
    return lease;
  }

  /** Moves the end of a lease that holds its key; `expiresAt` as in `hold`. */
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

  /** Ends the leases that expire by `time`. Returns their number. */
  expire(time: number): number {
    let count = 0;
    for (let lease = this.#end.next; lease !== this.#end && lease.expiresAt <= time; lease = this.#end.next) {
      this.release(lease);
      count++;
    }
    return count;
  }
}
