// Claims: a key is held while its record is being delivered, and marked seen when it was.

import { randomUUID } from 'node:crypto';
import { parseMilliseconds } from '../../base/duration.js';
import { FirstseenError } from '../../base/errors.js';
import { isLease, type Lease } from '../../claims/lease.js';
import { withAnswer } from '../../claims/wait.js';
import { areAlikeBut, isText, spanAt } from '../resp/batch.js';
import type { ParsedCommands } from '../resp/commands.js';
import { ErrorReply, type Reply, Status } from '../resp/replies.js';
import type { ReplyWriter } from '../resp/writer.js';
import type { Presence } from '../session.js';
import { MAX_TOKEN_BYTES } from '../store/portions.js';
import { Arguments } from './arguments.js';
import {
  abortEach,
  type Claiming,
  claimEach,
  claimOne,
  commitEach,
  extendEach,
  type SettleEach,
  type Taken,
} from './claimeach.js';
import { MAX_CLAIM_MILLISECONDS } from './createoptions.js';
import { noDetector, SYNTAX_ERROR, writeError } from './errors.js';
import type { BatchRow, BatchStep, CommandContext, NextCommands } from './row.js';

const [KEY, TOKEN, FIRST_WORD, ANSWER_WORD] = [2, 3, 3, 4];
/** The reply to FS.CLAIM up to the token. */
const DISTINCT_HEAD = Buffer.from('*2\r\n+distinct\r\n');

const NO_CLAIMS = new ErrorReply('ERR the detector was not made for claims; create it with the word CLAIMS');

/** The detector of a command; an error if it was not made for claims. */
function claimingOf(given: Arguments, { server }: CommandContext): Claiming | ErrorReply {
  const name = given.text(1);
  const entry = server.store.find(name);
  if (entry === undefined) return noDetector(name);
  return entry.claims ? { entry, claims: entry.claims } : NO_CLAIMS;
}

/** The request for a claim on a key. */
export interface AskedClaim {
  token: string;
  leaseMilliseconds: number | undefined;
  waitMilliseconds: number;
}

/** Milliseconds of a lease or a wait, from a number or a duration; undefined for anything else. */
export function claimMilliseconds(text: string): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : parseMilliseconds(text);
  return value !== undefined && value > 0 && value <= MAX_CLAIM_MILLISECONDS ? value : undefined;
}

function millisecondsAt(given: Arguments, index: number): number | undefined {
  return index < given.count ? claimMilliseconds(given.text(index)) : undefined;
}

/** The messages about a token or a time that is not valid. */
export const claimProblems = {
  token: `a token has 1 to ${MAX_TOKEN_BYTES} bytes`,
  time: 'a lease and a wait are milliseconds, or a duration such as 30s, of at most a day',
} as const;

const BAD_TOKEN = new ErrorReply(`ERR ${claimProblems.token}`);
const BAD_TIME = new ErrorReply(`ERR ${claimProblems.time}`);

/** Tells if an argument can be a token. */
export function isTokenAt(given: Arguments, index: number): boolean {
  const [start, end] = given.span(index);
  return end > start && end - start <= MAX_TOKEN_BYTES;
}

/** The words of FS.CLAIM besides the key, and the place of the token. */
interface ClaimWords {
  tokenAt: number | undefined;
  leaseMilliseconds: number | undefined;
  waitMilliseconds: number;
}

function readWords(given: Arguments): ClaimWords | ErrorReply {
  const words: ClaimWords = { tokenAt: undefined, leaseMilliseconds: undefined, waitMilliseconds: 0 };
  for (let i = FIRST_WORD; i < given.count; i += 2) {
    if (given.is(i, 'TOKEN')) {
      if (i + 1 === given.count || !isTokenAt(given, i + 1)) return BAD_TOKEN;
      words.tokenAt = i + 1;
      continue;
    }
    const time = millisecondsAt(given, i + 1);
    if (given.is(i, 'LEASE')) words.leaseMilliseconds = time;
    else if (given.is(i, 'WAIT')) words.waitMilliseconds = time ?? 0;
    else return SYNTAX_ERROR;
    if (time === undefined) return BAD_TIME;
  }
  return words;
}

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
  asked: AskedClaim,
  client: Pick<Presence, 'whenGone'>,
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
    const taken = (ended: Lease | undefined) => {
      const one = claimOne(claiming, key, asked);
      return isLease(one) ? one : withAnswer(one, ended);
    };
    const claim = (ended?: Lease) => end(() => (entry.isDropped ? undefined : taken(ended)));
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
): Taken | Promise<Taken | undefined> {
  const answer = claimOne(claiming, key, asked);
  const isWaiting = !isLease(answer) && answer.verdict === 'pending' && asked.waitMilliseconds > 0;
  return isWaiting ? claimLater(claiming, key, asked, client) : answer;
}

function replyOfTaken(taken: Taken, token: string): readonly Reply[] {
  if (isLease(taken)) return [new Status('distinct'), Buffer.from(token, 'latin1')];
  const verdict = new Status(taken.verdict);
  if (taken.verdict === 'pending') return [verdict, Math.ceil(taken.remainingMilliseconds)];
  const answer = taken.verdict === 'duplicate' ? taken.answer : undefined;
  return answer === undefined ? [verdict] : [verdict, Buffer.from(answer as Uint8Array)];
}

/** Claims a key, within a time if that is asked for. */
function claimAlone(
  claiming: Claiming,
  given: Arguments,
  { tokenAt, ...words }: ClaimWords,
  { session }: CommandContext,
): BatchStep {
  const token = tokenAt === undefined ? randomUUID() : given.bytes(tokenAt).toString('latin1');
  // A copy: the buffer of the connection is used again while the command waits.
  const key = new Uint8Array(given.bytes(KEY));
  const taken = claimWithin(claiming, key, { token, ...words }, session.presence);
  if (!(taken instanceof Promise)) return replyOfTaken(taken, token);
  return taken.then((later) => (later ? replyOfTaken(later, token) : noDetector(claiming.entry.name)));
}

/** The end of the commands that are like the first one, with other keys and other tokens. */
function endOfBatch(commands: ParsedCommands, from: number, tokenAt: number | undefined): number {
  const differing = tokenAt === undefined ? [KEY] : [KEY, tokenAt];
  let to = from + 1;
  for (; to < commands.count && areAlikeBut(commands, [from, to], differing); to++) {
    if (tokenAt !== undefined && !isTokenAt(new Arguments(commands, to), tokenAt)) break;
  }
  return to;
}

/** Writes the replies to FS.CLAIM. That to a claim that holds its key is written without making a list of it. */
function writeTaken(writer: ReplyWriter, taken: Taken, token: string): void {
  if (isLease(taken)) {
    writer.bytes(DISTINCT_HEAD);
    writer.latin1(token);
  } else writer.write(replyOfTaken(taken, token));
}

function runClaims(next: NextCommands, context: CommandContext): BatchStep {
  const { commands, index, writer, keys, tokens } = next;
  const given = new Arguments(commands, index);
  const claiming = claimingOf(given, context);
  if (claiming instanceof ErrorReply) return claiming;
  const words = readWords(given);
  if (words instanceof ErrorReply) return words;
  const { tokenAt, leaseMilliseconds } = words;
  if (words.waitMilliseconds > 0) return claimAlone(claiming, given, words, context);
  keys.takeOne(commands, { from: index, to: endOfBatch(commands, index, tokenAt) }, KEY);
  let token = '';
  const tokenOf = (i: number) => {
    token = tokenAt === undefined ? randomUUID() : tokens.of(commands.bytes, ...spanAt(commands, index + i, tokenAt));
    return token;
  };
  return claimEach(claiming, keys, { leaseMilliseconds, isRepeatable: true, tokenOf }, (_, taken) => {
    if (taken instanceof FirstseenError) writeError(next, taken, context);
    else writeTaken(writer, taken, token);
  });
}

/** Returns the answer of FS.COMMIT to those who wait; undefined if it tells them nothing. */
function answerIn(given: Arguments): Uint8Array | undefined | ErrorReply {
  if (given.count === ANSWER_WORD) return undefined;
  if (given.count !== ANSWER_WORD + 2 || !given.is(ANSWER_WORD, 'ANSWER')) return SYNTAX_ERROR;
  // A copy: the buffer of the connection is used again while the answer waits to be sent.
  return new Uint8Array(given.bytes(ANSWER_WORD + 1));
}

function runSettling(settle: SettleEach, next: NextCommands, context: CommandContext): BatchStep {
  const { commands, index, writer, keys } = next;
  const given = new Arguments(commands, index);
  const claiming = claimingOf(given, context);
  if (claiming instanceof ErrorReply) return claiming;
  if (!isTokenAt(given, TOKEN)) return BAD_TOKEN;
  const answer = answerIn(given);
  if (answer instanceof ErrorReply) return answer;
  keys.takeOne(commands, { from: index, to: endOfBatch(commands, index, TOKEN) }, KEY);
  const holds = ({ token }: Lease, i: number) => isText(commands.bytes, spanAt(commands, index + i, TOKEN), token);
  return settle(claiming, keys, { holds, answer }, (_, isDone) => {
    if (isDone instanceof FirstseenError) writeError(next, isDone, context);
    else writer.write(isDone ? 1 : 0);
  });
}

function settling(name: string, summary: string, settle: SettleEach, more: Partial<BatchRow> = {}): BatchRow {
  return {
    name,
    usage: 'detector key token',
    summary,
    role: 'observe',
    arguments: [3, 3],
    ...more,
    runBatch: (next, context) => runSettling(settle, next, context),
  };
}

export const claimRows: readonly BatchRow[] = [
  {
    name: 'FS.CLAIM',
    usage: 'detector key [TOKEN token] [LEASE ms] [WAIT ms]',
    summary: 'answers distinct with a token, duplicate, or pending with the milliseconds left',
    role: 'observe',
    arguments: [2, 8],
    runBatch: runClaims,
  },
  settling('FS.COMMIT', 'marks the key of a claim seen; answers 0 for a token that holds nothing', commitEach, {
    usage: 'detector key token [ANSWER answer]',
    arguments: [3, 5],
  }),
  settling('FS.ABORT', 'releases the key of a claim; answers 0 for a token that holds nothing', abortEach),
  settling('FS.EXTEND', 'renews the lease of a claim; answers 0 for a token that holds nothing', extendEach),
];
