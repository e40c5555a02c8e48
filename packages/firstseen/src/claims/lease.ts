// A hold on a key.

import type { Answer } from './answer.js';

/** The terms of a lease. */
export interface LeaseTerms {
  /** The time for which it holds its key from now on, and from each extension on. */
  milliseconds: number;
  /** True if it counts toward the maximum number of pending keys. */
  readonly isLimited: boolean;
  /** The fingerprint of what is done for the key, if that was given. */
  readonly body: bigint | undefined;
  /** The token by which the program knows the claim, if that was given. */
  readonly token: string | undefined;
}

/** The terms of a stream, which decides how a claim ends. */
export const ENDLESS: LeaseTerms = {
  milliseconds: Number.POSITIVE_INFINITY,
  isLimited: false,
  body: undefined,
  token: undefined,
};

/** The outcome of a lease that its holder ended. */
export type Settled = 'committed' | 'aborted';

/** A hold on one fingerprint. Two claims on one key never share the object. */
export interface Lease extends LeaseTerms {
  readonly fingerprint: bigint;
  /** The time at which the lease expires, in milliseconds on the clock of the claims. */
  expiresAt: number;
  /** The outcome of the claim, for all who have it. */
  outcome: Settled | 'late' | undefined;
  /** The answer of its commit, for those who have waited for it. */
  answer: Answer | undefined;
  /** True if it still holds its key. */
  isHeld: boolean;
}

/** Tells if what became of a claim is a lease. */
export function isLease<Other extends object>(taken: Lease | Other): taken is Lease {
  return 'isHeld' in taken;
}

/** Tells if two bodies are known, and differ. */
export function isOther(one: bigint | undefined, other: bigint | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
