// The memory of the keys that claims hold, which counts in that of the server.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';
import type { HeldMemory } from '../../claims/pending.js';
import type { RequestMemory } from './requestids.js';

/** Bytes that a claim takes, rounded up from what Node was measured to take with the longest token. */
const CLAIM_BYTES = 640;

/** Bytes that a number of claims take. */
export function bytesOfClaims(claims: number): number {
  return claims * CLAIM_BYTES;
}

/** Counts claims, also those that go on after a restart, to which the limit is not applied. */
export class ClaimMemory implements HeldMemory {
  readonly #memory: RequestMemory;

  constructor(memory: RequestMemory) {
    this.#memory = memory;
  }

  check(): void {
    if (CLAIM_BYTES <= this.#memory.leftBytes) return;
    const [needed, left] = [CLAIM_BYTES, Math.max(0, this.#memory.leftBytes)].map(formatBytes);
    throw new FirstseenError('E_CLAIMS_FULL', `a claim takes ${needed}, but only ${left} are left`, {
      remedy: phrase`commit or abort a claim, wait for a lease to expire, or start the server with a larger ${optionName('memoryBytes')}`,
    });
  }

  count(claims: number): void {
    this.#memory.countBytes(bytesOfClaims(claims));
  }
}
