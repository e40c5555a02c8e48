// The answer for a claimed key, and the claim that holds it.

import { FirstseenError } from '../base/errors.js';
import { type Answer, checkAnswer } from './answer.js';
import type { Lease } from './lease.js';

/**
 * The result of a commit. `committed`: the claim still held its key. `late`: the claim had lost its key, because its lease
 * expired or another claim on the key was committed. The key is marked seen either way, as far as the detector has room: `unstored`
 * of its stats counts what a window of `pocketwindow` had no room for. After `late` the record may have
 * been delivered twice.
 */
export type CommitOutcome = 'committed' | 'late';

/** The key was not seen, and this claim holds it. The methods do not use `this`. */
export interface Claim {
  /** The key was not seen before. */
  readonly verdict: 'distinct';
  /**
   * Marks the key seen, because its record is delivered. A second call returns the same result.
   * @param answer what repeats of the key get as `answer`, as long as the memory `answers` of the claims has room; bytes are copied
   * @throws FirstseenError E_CLAIM_ABORTED after `abort`; E_FULL from a full exact detector, and the claim remains; E_PARAMETER for an
   * answer that is neither text nor bytes, or if the claims have no memory for answers.
   */
  readonly commit: (answer?: Answer) => CommitOutcome;
  /** Releases the key for the next claim. Returns false and does nothing if the claim no longer holds the key. */
  readonly abort: () => boolean;
  /** Restarts the lease. Returns false if the claim no longer holds the key: another may deliver its record. */
  readonly extend: () => boolean;
}

/** The answer for a claimed key: a claim that holds it, or that it was seen, or that another claim holds it. */
export type ClaimAnswer =
  | Claim
  /** The detector reports the key as seen. `answer` is that of the commit, as long as it is kept. */
  | { readonly verdict: 'duplicate'; readonly answer?: Answer }
  /** The key is seen or pending, but came with another body. Refuse the request: its key was used for something else. */
  | { readonly verdict: 'mismatch' }
  /** Another claim holds the key. Do not drop or acknowledge the record: the other claim may fail. */
  | {
      readonly verdict: 'pending';
      /**
       * Time until the key is free again, unless the other claim is settled or extended first. `Infinity` for a claim that never
       * expires, such as that of a stream, which holds the key until its delivery ends.
       */
      readonly remainingMilliseconds: number;
    };

/** The answer for a key that is not claimed. */
export type ClaimRefusal = Exclude<ClaimAnswer, Claim>;

/** The claims that gave a lease. */
export interface LeaseHolder {
  commitLease(lease: Lease, answer: Answer | undefined): CommitOutcome;
  abortLease(lease: Lease): boolean;
  extendLease(lease: Lease): boolean;
}

/** A claim that has a lease. */
export function claimOf(claims: LeaseHolder, lease: Lease): Claim {
  return {
    verdict: 'distinct',
    commit(answer) {
      const keptAnswer = checkAnswer(answer);
      if (lease.outcome === 'aborted') {
        throw new FirstseenError('E_CLAIM_ABORTED', 'commit was called after abort, so the key is not marked seen', {
          remedy: 'settle each claim once',
        });
      }
      lease.outcome ??= claims.commitLease(lease, keptAnswer);
      return lease.outcome;
    },
    abort() {
      if (lease.outcome !== undefined) return false;
      lease.outcome = 'aborted';
      return claims.abortLease(lease);
    },
    extend: () => lease.outcome === undefined && claims.extendLease(lease),
  };
}

/**
 * Claims keys, in order. If one is refused, the claims that this gave are aborted.
 * @param isFree whether no claim holds a key
 * @throws FirstseenError as `claim`
 */
export function claimAll<Asked>(
  requests: readonly Asked[],
  isFree: (request: Asked) => boolean,
  claim: (request: Asked) => ClaimAnswer,
): ClaimAnswer[] {
  const newClaims: Claim[] = [];
  try {
    return requests.map((request) => {
      const isNew = isFree(request);
      const answer = claim(request);
      if (isNew && answer.verdict === 'distinct') newClaims.push(answer);
      return answer;
    });
  } catch (error) {
    for (const claim of newClaims) claim.abort();
    throw error;
  }
}
