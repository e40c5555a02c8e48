// The pending keys: a map for look-up, and a ring of leases in the order in which they expire. All leases that expire have the same
// length, so this is the order of claiming and renewing. Every step takes O(1), and expiry O(1) per lease. (A map alone would keep
// the order too, but searches for its first entry among the entries deleted before it.)

/** A hold on one fingerprint. The object is the token: two claims on one key never share a lease. */
export interface Lease {
  readonly fingerprint: bigint;
  /** Whether it counts toward the maximum number of pending keys. */
  readonly isLimited: boolean;
  /** The fingerprint of what is done for the key, if that was given. */
  readonly body?: bigint | undefined;
  /** When the lease expires, in milliseconds on the clock of the claims. An infinite lease is not in the ring. */
  expiresAt: number;
  previous: Lease;
  next: Lease;
}

/** A lease that is not yet in a ring. */
function loneLease(lease: Pick<Lease, 'fingerprint' | 'isLimited' | 'expiresAt' | 'body'>): Lease {
  return linkToItself({ ...lease } as Lease);
}

function linkToItself(lease: Lease): Lease {
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
  readonly #end = loneLease({ fingerprint: 0n, isLimited: false, expiresAt: Number.POSITIVE_INFINITY });
  #limited = 0;

  get size(): number {
    return this.#leases.size;
  }

  /** The number of leases that count toward the maximum. */
  get limited(): number {
    return this.#limited;
  }

  get(fingerprint: bigint): Lease | undefined {
    return this.#leases.get(fingerprint);
  }

  /** Whether the lease still holds its key. */
  has(lease: Lease): boolean {
    return this.#leases.get(lease.fingerprint) === lease;
  }

  /** Adds a lease. `expiresAt` must not be earlier than that of any other lease, except of infinite ones. */
  hold(fingerprint: bigint, { expiresAt, isLimited, body }: Pick<Lease, 'expiresAt' | 'isLimited' | 'body'>): Lease {
    const lease = loneLease({ fingerprint, isLimited, expiresAt, body });
    this.#leases.set(fingerprint, lease);
    if (isLimited) this.#limited++;
    this.#enter(lease);
    return lease;
  }

  /** Moves the end of a lease that holds its key; `expiresAt` as in `hold`. */
  renew(lease: Lease, expiresAt: number): void {
    unlink(lease);
    lease.expiresAt = expiresAt;
    this.#enter(lease);
  }

  /** Ends a lease that holds its key. */
  release(lease: Lease): void {
    this.#leases.delete(lease.fingerprint);
    if (lease.isLimited) this.#limited--;
    unlink(lease);
  }

  /** Ends the leases that expire by `time`, and returns them. */
  expire(time: number): Lease[] {
    const ended: Lease[] = [];
    for (let lease = this.#end.next; lease !== this.#end && lease.expiresAt <= time; lease = this.#end.next) {
      this.release(lease);
      ended.push(lease);
    }
    return ended;
  }

  #enter(lease: Lease): void {
    if (lease.expiresAt < Number.POSITIVE_INFINITY) link(lease, this.#end);
    else linkToItself(lease);
  }
}
