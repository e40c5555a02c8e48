// A hold on a key.

import type { Answer } from './answer.js';

/** What a lease is given for. */
export interface LeaseTerms {
  /** How long it holds its key from now on, and from each extension on. */
  milliseconds: number;
  /** Whether it counts toward the maximum number of pending keys. */
  readonly isLimited: boolean;
  /** The fingerprint of what is done for the key, if that was given. */
  readonly body: bigint | undefined;
  /** What the program knows the claim by, if that was given. */
  readonly token: string | undefined;
}

/** The terms of a stream, which decides how a claim ends. */
export const ENDLESS: LeaseTerms = {
  milliseconds: Number.POSITIVE_INFINITY,
  isLimited: false,
  body: undefined,
  token: undefined,
};

/** How the holder of a lease ends it. */
export type Settled = 'committed' | 'aborted';

/** A hold on one fingerprint. Two claims on one key never share the object. */
export interface Lease extends LeaseTerms {
  readonly fingerprint: bigint;
  /** When the lease expires, in milliseconds on the clock of the claims. */
  expiresAt: number;
  /** How the claim ended, for all who have it. */
  outcome: Settled | 'late' | undefined;
  /** The answer of its commit, for those who have waited for it. */
  answer: Answer | undefined;
  /** Whether it still holds its key. */
  isHeld: boolean;
}

/** Whether what became of a claim is a lease. */
export function isLease<Other extends object>(taken: Lease | Other): taken is Lease {
  return 'isHeld' in taken;
}

/** Whether two bodies are known, and differ. */
export function isOther(one: bigint | undefined, other: bigint | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
