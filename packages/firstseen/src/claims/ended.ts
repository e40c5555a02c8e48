// Leases that have expired lately. A commit by one of them is late; one by another token, or of a key that nobody claimed, is not.

import type { Lease } from './lease.js';

/** The number of keys that are remembered. With more, the one whose lease expired first is forgotten. */
const MAX_KEYS = 2 ** 10;

export class EndedLeases {
  /** The last lease of each key. */
  readonly #leases = new Map<bigint, Lease>();

  add(leases: readonly Lease[]): void {
    for (const lease of leases) {
      this.#leases.delete(lease.fingerprint);
      this.#leases.set(lease.fingerprint, lease);
    }
    while (this.#leases.size > MAX_KEYS) this.#leases.delete(this.#leases.keys().next().value as bigint);
  }

  /** Forgets the lease of a key. @returns the lease, if there is one that `isMeant` */
  take(fingerprint: bigint, isMeant: (lease: Lease) => boolean): Lease | undefined {
    const lease = this.#leases.get(fingerprint);
    if (lease === undefined || !isMeant(lease)) return undefined;
    this.#leases.delete(fingerprint);
    return lease;
  }

  clear(): void {
    this.#leases.clear();
  }
}
