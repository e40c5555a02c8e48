// Claims a key within a time: at once, or when another claim lets it go.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseMilliseconds } from '../../base/duration.js';
import { isLease, type Lease } from '../../claims/lease.js';
import { withAnswer } from '../../claims/wait.js';
import { MAX_TOKEN_BYTES } from '../store/portions.js';
import { type Claiming, claimOne, type Taken } from './claimeach.js';
import { MAX_CLAIM_MILLISECONDS } from './createoptions.js';

/** The bytes of an answer from which on those who wait are told one after the other. */
const MIN_TOLD_ALONE_BYTES = 2 ** 14;

/** The turns in which the last clients that wait are told, by the leases with such answers. */
const lastTurns = new WeakMap<Lease, Promise<void>>();

/**
 * Waits for a turn of the event loop in which no other client is told the answer of a lease. Each reply has a copy of the answer: it is
 * sent, or given up because it is not read, before there is another one.
 */
function waitForTurn(lease: Lease): Promise<void> {
  const turn = (lastTurns.get(lease) ?? Promise.resolve()).then(() => nextTurn());
  lastTurns.set(lease, turn);
  return turn;
}

function hasLargeAnswer(ended: Lease | undefined): ended is Lease {
  return (ended?.answer?.length ?? 0) >= MIN_TOLD_ALONE_BYTES;
}

/** The request for a claim on a key. */
export interface AskedClaim {
  token: string;
  leaseMilliseconds: number | undefined;
  waitMilliseconds: number;
}

/** A client that may leave while it waits. */
export interface WaitingClient {
  /** Calls back once the client has left: at once if it has. @returns how to stop waiting */
  whenGone(callback: () => void): () => void;
}

/** Milliseconds of a lease or a wait, from a number or a duration; undefined for anything else. */
export function claimMilliseconds(text: string): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : parseMilliseconds(text);
  return value !== undefined && value > 0 && value <= MAX_CLAIM_MILLISECONDS ? value : undefined;
}

/** The messages about a token or a time that is not valid. */
export const claimProblems = {
  token: `a token has 1 to ${MAX_TOKEN_BYTES} bytes`,
  time: 'a lease and a wait are milliseconds, or a duration such as 30s, of at most a day',
} as const;

/** A key that another claim holds. */
function pendingKey({ entry, claims }: Claiming, key: Uint8Array): Taken {
  const time = claims.advance();
  const lease = claims.holding.get(entry.detector.fingerprint(key));
  return { verdict: 'pending', remainingMilliseconds: lease ? lease.expiresAt - time : 0 };
}

/** Waits until the key is settled, and claims it then, or until the time is over. Parameters and result as those of `claimWithin`. */
function claimLater(
  claiming: Claiming,
  key: Uint8Array,
  request: AskedClaim,
  client: WaitingClient,
): Promise<Taken | undefined> {
  const { entry, claims } = claiming;
  return new Promise((resolve, reject) => {
    let isOver = false;
    const stops: (() => void)[] = [];
    const end = (answer: () => Taken | undefined) => {
      isOver = true;
      for (const stop of stops) stop();
      try {
        resolve(answer());
      } catch (error) {
        reject(error);
      }
    };
    const claimAgain = (ended: Lease | undefined) => {
      const one = claimOne(claiming, key, request);
      return isLease(one) ? one : withAnswer(one, ended);
    };
    const claim = (ended?: Lease) => end(() => (entry.isDropped ? undefined : claimAgain(ended)));
    const claimInTurn = (ended: Lease | undefined) => {
      if (!hasLargeAnswer(ended)) return claim(ended);
      clearTimeout(timer);
      void waitForTurn(ended).then(() => isOver || claim(ended));
    };
    const timer = setTimeout(claim, request.waitMilliseconds);
    // A server that stops does not wait for it.
    timer.unref();
    stops.push(() => clearTimeout(timer));
    // At once, if the lease has ended since.
    stops.push(claims.whenFree(entry.detector.fingerprint(key), claimInTurn));
    // Who has gone does not get the key: the next one that waits does.
    if (!isOver) stops.push(client.whenGone(() => end(() => pendingKey(claiming, key))));
  });
}

/**
 * Claims a key: at once, or within the time that is asked for. Only the client that asks waits, and no longer than it is there.
 * @returns undefined if the detector was dropped meanwhile
 */
export function claimWithin(
  claiming: Claiming,
  key: Uint8Array,
  request: AskedClaim,
  client: WaitingClient,
): Taken | Promise<Taken | undefined> {
  const answer = claimOne(claiming, key, request);
  const isWaiting = !isLease(answer) && answer.verdict === 'pending' && request.waitMilliseconds > 0;
  return isWaiting ? claimLater(claiming, key, request, client) : answer;
}
