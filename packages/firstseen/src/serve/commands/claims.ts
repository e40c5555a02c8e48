// Claims: a key is held while its record is being delivered, and marked seen when it was.

import { randomUUID } from 'node:crypto';
import { parseMilliseconds } from '../../base/duration.js';
import type { ClaimAnswer } from '../../claims/claim.js';
import type { Claims } from '../../claims/claims.js';
import { ErrorReply, type Reply } from '../resp/replies.js';
import type { Presence } from '../session.js';
import type { DetectorEntry } from '../store/entry.js';
import { MOST_TOKEN_BYTES } from '../store/portions.js';
import type { Arguments } from './arguments.js';
import { MOST_CLAIM_MILLISECONDS } from './createoptions.js';
import { NOT_FOUND, replyOfError, SYNTAX_ERROR } from './errors.js';
import type { CommandContext, SingleRow } from './row.js';

const NO_CLAIMS = new ErrorReply('ERR the detector was not made for claims; create it with the word CLAIMS');

/** A detector that was made for claims. */
export interface Claiming {
  entry: DetectorEntry;
  claims: Claims;
}

function onClaims(
  run: (claiming: Claiming, given: Arguments, context: CommandContext) => Reply | Promise<Reply>,
): SingleRow['run'] {
  return (given, context) => {
    const entry = context.server.store.find(given.text(1));
    if (entry === undefined) return NOT_FOUND;
    return entry.claims ? run({ entry, claims: entry.claims }, given, context) : NO_CLAIMS;
  };
}

/** What FS.CLAIM says besides the key. */
export interface AskedClaim {
  token: string;
  leaseMilliseconds: number | undefined;
  waitMilliseconds: number;
}

/** Milliseconds of a lease or a wait, from a number or a duration; undefined for anything else. */
export function claimMilliseconds(text: string): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : parseMilliseconds(text);
  return value !== undefined && value > 0 && value <= MOST_CLAIM_MILLISECONDS ? value : undefined;
}

function millisecondsAt(given: Arguments, index: number): number | undefined {
  return index < given.count ? claimMilliseconds(given.text(index)) : undefined;
}

function tokenAt(given: Arguments, index: number): string | undefined {
  if (index >= given.count) return undefined;
  const { length } = given.bytes(index);
  return length > 0 && length <= MOST_TOKEN_BYTES ? given.bytes(index).toString('latin1') : undefined;
}

/** What is wrong with a token or a time. */
export const claimProblems = {
  token: `a token has 1 to ${MOST_TOKEN_BYTES} bytes`,
  time: 'a lease and a wait are milliseconds, or a duration such as 30s, of at most a day',
} as const;

const BAD_TOKEN = new ErrorReply(`ERR ${claimProblems.token}`);
const BAD_TIME = new ErrorReply(`ERR ${claimProblems.time}`);

function readAsked(given: Arguments): AskedClaim | ErrorReply {
  let token: string | undefined;
  const times = { leaseMilliseconds: undefined as number | undefined, waitMilliseconds: 0 };
  for (let i = 3; i < given.count; i += 2) {
    if (given.is(i, 'TOKEN')) {
      token = tokenAt(given, i + 1);
      if (token === undefined) return BAD_TOKEN;
      continue;
    }
    const time = millisecondsAt(given, i + 1);
    if (given.is(i, 'LEASE')) times.leaseMilliseconds = time;
    else if (given.is(i, 'WAIT')) times.waitMilliseconds = time ?? 0;
    else return SYNTAX_ERROR;
    if (time === undefined) return BAD_TIME;
  }
  return { token: token ?? randomUUID(), ...times };
}

/** Notes in the log what a claim came to. */
function record({ entry, claims }: Claiming, key: Uint8Array, token: string, answer: ClaimAnswer): void {
  const { recorder } = entry;
  if (recorder === undefined) return;
  const fingerprint = entry.detector.fingerprint(key);
  // A repeat is observed, as by FS.OBSERVE.
  if (answer.verdict === 'duplicate') recorder.observed(entry, BigUint64Array.of(fingerprint));
  if (answer.verdict !== 'distinct') return;
  const held = claims.heldClaim(fingerprint);
  if (held) recorder.held(entry, { ...held, token });
}

function replyOfAnswer(answer: ClaimAnswer, token: string): Reply {
  if (answer.verdict === 'distinct') return ['distinct', token];
  return answer.verdict === 'pending' ? ['pending', Math.ceil(answer.remainingMilliseconds)] : [answer.verdict];
}

/** Claims a key, and notes it in the log. */
export function claimNow(
  claiming: Claiming,
  key: Uint8Array,
  { token, leaseMilliseconds }: Pick<AskedClaim, 'token' | 'leaseMilliseconds'>,
): ClaimAnswer {
  const { entry, claims } = claiming;
  entry.keepTime();
  const answer = claims.claim(key, { token, lease: leaseMilliseconds });
  record(claiming, key, token, answer);
  return answer;
}

/** A key that another claim holds. */
function pendingKey({ entry, claims }: Claiming, key: Uint8Array): ClaimAnswer {
  // On a clock that shows 0 now, a lease ends after the time that is left of it.
  const held = claims.heldClaim(entry.detector.fingerprint(key), 0);
  return { verdict: 'pending', remainingMilliseconds: held?.expiresAtMilliseconds ?? 0 };
}

/** Waits until the key is settled, and claims it then, or until the time is over. Parameters and result as those of `claimWithin`. */
function claimLater(
  claiming: Claiming,
  key: Uint8Array,
  asked: AskedClaim,
  client: Pick<Presence, 'whenGone'>,
): Promise<ClaimAnswer | undefined> {
  const { entry, claims } = claiming;
  return new Promise((resolve, reject) => {
    let isOver = false;
    const stops: (() => void)[] = [];
    const end = (answer: () => ClaimAnswer | undefined) => {
      isOver = true;
      for (const stop of stops) stop();
      try {
        resolve(answer());
      } catch (error) {
        reject(error);
      }
    };
    const claim = () => end(() => (entry.isDropped ? undefined : claimNow(claiming, key, asked)));
    const timer = setTimeout(claim, asked.waitMilliseconds);
    // A server that stops does not wait for it.
    timer.unref();
    stops.push(() => clearTimeout(timer));
    // At once, if the lease has ended since.
    stops.push(claims.whenFree(entry.detector.fingerprint(key), claim));
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
  asked: AskedClaim,
  client: Pick<Presence, 'whenGone'>,
): ClaimAnswer | Promise<ClaimAnswer | undefined> {
  const answer = claimNow(claiming, key, asked);
  const isWaiting = answer.verdict === 'pending' && asked.waitMilliseconds > 0;
  return isWaiting ? claimLater(claiming, key, asked, client) : answer;
}

function claim(claiming: Claiming, given: Arguments, { session }: CommandContext): Reply | Promise<Reply> {
  const asked = readAsked(given);
  if (asked instanceof ErrorReply) return asked;
  // A copy: the buffer of the connection is used again while the command waits.
  const answer = claimWithin(claiming, new Uint8Array(given.bytes(2)), asked, session.presence);
  const { token } = asked;
  if (!(answer instanceof Promise)) return replyOfAnswer(answer, token);
  return answer.then((later) => (later ? replyOfAnswer(later, token) : NOT_FOUND));
}

/** Settles or extends the claim of a key, if it has the token. @returns 1, or 0 for a token that holds nothing */
export type Settle = (claiming: Claiming, key: Uint8Array, token: string) => boolean;

/** Ends the claim of a key, if it has the token. The log is told first: who waits for the key may hold it at once. */
function settleClaim(
  { entry, claims }: Claiming,
  key: Uint8Array,
  token: string,
  outcome: 'committed' | 'aborted',
): boolean {
  const [isDone] = claims.settleMany([key], [token], outcome, (fingerprints) => {
    for (const fingerprint of fingerprints) entry.recorder?.released(entry, fingerprint);
    if (outcome === 'committed') entry.recorder?.observed(entry, fingerprints);
  });
  return isDone === true;
}

export const commitClaim: Settle = (claiming, key, token) => {
  claiming.entry.keepTime();
  return settleClaim(claiming, key, token, 'committed');
};

export const abortClaim: Settle = (claiming, key, token) => settleClaim(claiming, key, token, 'aborted');

export const extendClaim: Settle = ({ entry, claims }, key, token) => {
  const [isDone] = claims.extendMany([key], [token]);
  const held = isDone ? claims.heldClaim(entry.detector.fingerprint(key)) : undefined;
  if (held) entry.recorder?.held(entry, held);
  return isDone === true;
};

function settling(name: string, summary: string, settle: Settle): SingleRow {
  return {
    name,
    usage: 'detector key token',
    summary,
    role: 'observe',
    arguments: [3, 3],
    run: onClaims((claiming, given) => {
      const token = tokenAt(given, 3);
      if (token === undefined) return BAD_TOKEN;
      try {
        return settle(claiming, new Uint8Array(given.bytes(2)), token) ? 1 : 0;
      } catch (error) {
        return replyOfError(error);
      }
    }),
  };
}

export const claimRows: readonly SingleRow[] = [
  {
    name: 'FS.CLAIM',
    usage: 'detector key [TOKEN token] [LEASE ms] [WAIT ms]',
    summary: 'answers distinct with a token, duplicate, or pending with the milliseconds left',
    role: 'observe',
    arguments: [2, 8],
    run: onClaims(claim),
  },
  settling('FS.COMMIT', 'marks the key of a claim seen; answers 0 for a token that holds nothing', commitClaim),
  settling('FS.ABORT', 'releases the key of a claim; answers 0 for a token that holds nothing', abortClaim),
  settling('FS.EXTEND', 'begins the lease of a claim again; answers 0 for a token that holds nothing', extendClaim),
];
