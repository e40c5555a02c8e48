// Claims as data, so that a program can keep them over a restart.

import { invalidOption } from '../base/errors.js';
import type { Lease, LeaseTerms } from './lease.js';

/** A claim that holds a key. */
export interface HeldClaim {
  /** The fingerprint of the key. */
  fingerprint: bigint;
  /** The token of the claim, if it has one. */
  token?: string | undefined;
  /** The fingerprint of the body of the claim, if it has one. */
  body?: bigint | undefined;
  /** The time for which the claim holds its key from each extension on. */
  leaseMilliseconds: number;
  /** The time at which the claim ends, in milliseconds since 1970; `Infinity` if it never does. */
  expiresAtMilliseconds: number;
}

/** A lease at a time of the claims' clock, when the wall clock shows `wallMilliseconds`. */
export function heldClaim(lease: Lease, time: number, wallMilliseconds: number): HeldClaim {
  const { fingerprint, token, body, milliseconds, expiresAt } = lease;
  return {
    fingerprint,
    ...(token === undefined ? {} : { token }),
    ...(body === undefined ? {} : { body }),
    leaseMilliseconds: milliseconds,
    expiresAtMilliseconds: expiresAt - time + wallMilliseconds,
  };
}

/**
 * Returns the time for which a claim still holds its key: no longer than its lease, also if the wall clock was set back
 * since then.
 */
export function leftOf(
  { expiresAtMilliseconds, leaseMilliseconds }: Pick<HeldClaim, 'expiresAtMilliseconds' | 'leaseMilliseconds'>,
  wallMilliseconds: number,
): number {
  if (expiresAtMilliseconds === Number.POSITIVE_INFINITY) return expiresAtMilliseconds;
  return Math.min(expiresAtMilliseconds - wallMilliseconds, leaseMilliseconds);
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}

/** @throws FirstseenError E_PARAMETER unless it is what `heldClaims` returns. */
export function termsOf(heldClaim: HeldClaim): LeaseTerms {
  const { fingerprint, token, body, leaseMilliseconds, expiresAtMilliseconds } = heldClaim ?? {};
  const isValid =
    typeof fingerprint === 'bigint' &&
    (token === undefined || typeof token === 'string') &&
    (body === undefined || typeof body === 'bigint') &&
    isTime(leaseMilliseconds) &&
    isTime(expiresAtMilliseconds);
  if (!isValid) throw invalidOption({ option: 'held', given: heldClaim, expected: 'claims that heldClaims returned' });
  return { milliseconds: leaseMilliseconds, isLimited: true, body, token };
}

/** Claims that are to be restored. @throws FirstseenError E_PARAMETER as `termsOf`. */
export function checkedClaims(held: Iterable<HeldClaim>): HeldClaim[] {
  const all = Array.from(held);
  for (const claim of all) termsOf(claim);
  return all;
}
