// The order in which leases expire: a heap over two arrays, because leases may be of different lengths. A lease that ended or was extended
// stays where it is until it comes to the front, or until most of the heap has ended, so that to end a lease costs nothing here. (A list
// of leases that are linked to each other took most of the time of a claim: each link is a write into an old object.)

import type { Lease } from './lease.js';

/** Entries that are kept without looking at how many of them ended. */
const SPARE_ENTRIES = 64;

export class ExpiryQueue {
  #times: number[] = [];
  #leases: Lease[] = [];

  /** Adds a lease that is held until its `expiresAt`. One that never expires is not kept. */
  add(lease: Lease): void {
    if (lease.expiresAt === Number.POSITIVE_INFINITY) return;
    this.#times.push(lease.expiresAt);
    this.#leases.push(lease);
    this.#rise(this.#times.length - 1);
  }

  /** Tells if a lease may expire by `time`. */
  isDue(time: number): boolean {
    return (this.#times[0] ?? Number.POSITIVE_INFINITY) <= time;
  }

  /** Takes the first lease out that expires by `time`. */
  next(time: number): Lease | undefined {
    while (this.isDue(time)) {
      const lease = this.#removeFirst();
      if (!lease.isHeld) continue;
      if (lease.expiresAt <= time) return lease;
      this.add(lease);
    }
    return undefined;
  }

  /** Removes the leases that ended, if they are more than half. */
  compact(held: number): void {
    if (this.#leases.length < 2 * held + SPARE_ENTRIES) return;
    const leases = this.#leases.filter((lease) => lease.isHeld);
    this.#times = [];
    this.#leases = [];
    for (const lease of leases) this.add(lease);
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.#timeAt(parent) <= this.#timeAt(at)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #removeFirst(): Lease {
    const last = this.#times.length - 1;
    this.#swap(0, last);
    this.#times.pop();
    const lease = this.#leases.pop() as Lease;
    this.#sink();
    return lease;
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const child = this.#timeAt(right) < this.#timeAt(left) ? right : left;
      if (this.#timeAt(at) <= this.#timeAt(child)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  #timeAt(index: number): number {
    return index < this.#times.length ? (this.#times[index] as number) : Number.POSITIVE_INFINITY;
  }

  #swap(one: number, other: number): void {
    const [times, leases] = [this.#times, this.#leases];
    const [time, lease] = [times[one] as number, leases[one] as Lease];
    times[one] = times[other] as number;
    leases[one] = leases[other] as Lease;
    times[other] = time;
    leases[other] = lease;
  }
}
