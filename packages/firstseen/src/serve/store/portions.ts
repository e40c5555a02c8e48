// What is kept of a detector besides its cells, as JSON, in portions: there may be millions of requests and claims.

import type { Claims } from '../../claims/claims.js';
import type { HeldClaim } from '../../claims/held.js';
import type { SavedRequest } from './requestids.js';

/** The longest token of a claim. */
export const MAX_TOKEN_BYTES = 256;

/** A claim as JSON, in which a fingerprint is a text of digits. */
export type SavedClaim = Omit<HeldClaim, 'fingerprint'> & { fingerprint: string };

/** Some of the requests that a detector remembers, and of the claims that hold keys. */
export interface Portion {
  requests: SavedRequest[];
  held: SavedClaim[];
}

export function savedClaims(claims: Claims | undefined): SavedClaim[] {
  return claims?.heldClaims().map((claim) => ({ ...claim, fingerprint: String(claim.fingerprint) })) ?? [];
}

export function heldOf(saved: readonly SavedClaim[]): HeldClaim[] {
  return saved.map((claim) => ({ ...claim, fingerprint: BigInt(claim.fingerprint) }));
}

export function portionsOf({ requests, held }: Portion, maxItems: number): [Portion, ...Portion[]] {
  const count = Math.max(1, Math.ceil(Math.max(requests.length, held.length) / maxItems));
  return Array.from({ length: count }, (_, i) => {
    const [from, to] = [i * maxItems, (i + 1) * maxItems];
    return { requests: requests.slice(from, to), held: held.slice(from, to) };
  }) as [Portion, ...Portion[]];
}
