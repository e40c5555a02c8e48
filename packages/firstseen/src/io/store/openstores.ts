// The stores of a run. Reading the configuration and credentials of a client takes time, so a run has one client for each kind of
// store, for its inputs and its outputs. This module loads no client by itself.

import type { BucketStore } from './bucket.js';
import type { BucketAddress } from './name.js';

/** The stores of a run. Each is opened once, when it is first needed. */
export class OpenStores {
  readonly #buckets = new Map<BucketAddress['scheme'], Promise<BucketStore>>();

  /** @throws FirstseenError as `BucketStore.open` */
  bucketsOf(scheme: BucketAddress['scheme']): Promise<BucketStore> {
    const store = this.#buckets.get(scheme) ?? open(scheme);
    this.#buckets.set(scheme, store);
    return store;
  }
}

async function open(scheme: BucketAddress['scheme']): Promise<BucketStore> {
  const { BucketStore } = await import('./bucket.js');
  return BucketStore.open(scheme);
}
