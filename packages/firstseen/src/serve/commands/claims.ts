// Claims: a key is held while its record is being delivered, and marked seen when it was.

import { randomUUID } from 'node:crypto';
import { FirstseenError } from '../../base/errors.js';
import { isLease, type Lease } from '../../claims/lease.js';
import {
  abortEach,
  type Claiming,
  claimEach,
  commitEach,
  extendEach,
  type SettleEach,
  type Taken,
} from '../operations/claimeach.js';
import { claimMilliseconds, claimProblems, claimWithin } from '../operations/claimwithin.js';
import { areAlikeBut, isText, spanAt } from '../resp/batch.js';
import type { ParsedCommands } from '../resp/commands.js';
import { ErrorReply, type Reply, Status } from '../resp/replies.js';
import type { ReplyWriter } from '../resp/writer.js';
import { MAX_TOKEN_BYTES } from '../store/portions.js';
import { Arguments } from './arguments.js';
import { noDetector, SYNTAX_ERROR, writeError } from './errors.js';
import type { BatchRow, BatchStep, CommandContext, NextCommands, Replied } from './row.js';

const [KEY, TOKEN, FIRST_WORD, ANSWER_WORD] = [2, 3, 3, 4];
/** The reply to FS.CLAIM up to the token. */
const DISTINCT_HEAD = Buffer.from('*2\r\n+distinct\r\n');

const NO_CLAIMS = new ErrorReply('ERR the detector was not made for claims; create it with the word CLAIMS');

/** The detector of a command; an error if it was not made for claims. */
function claimingOf(command: Arguments, { server }: CommandContext): Claiming | ErrorReply {
  const name = command.text(1);
  const entry = server.store.find(name);
  if (entry === undefined) return noDetector(name);
  return entry.claims ? { entry, claims: entry.claims } : NO_CLAIMS;
}

function millisecondsAt(command: Arguments, index: number): number | undefined {
  return index < command.count ? claimMilliseconds(command.text(index)) : undefined;
}

const BAD_TOKEN = new ErrorReply(`ERR ${claimProblems.token}`);
const BAD_TIME = new ErrorReply(`ERR ${claimProblems.time}`);

/** Tells if an argument can be a token. */
export function isTokenAt(command: Arguments, index: number): boolean {
  const [start, end] = command.span(index);
  return end > start && end - start <= MAX_TOKEN_BYTES;
}

/** The words of FS.CLAIM besides the key, and the place of the token. */
interface ClaimWords {
  tokenAt: number | undefined;
  leaseMilliseconds: number | undefined;
  waitMilliseconds: number;
}

function readWords(command: Arguments): ClaimWords | ErrorReply {
  const words: ClaimWords = { tokenAt: undefined, leaseMilliseconds: undefined, waitMilliseconds: 0 };
  for (let i = FIRST_WORD; i < command.count; i += 2) {
    if (command.is(i, 'TOKEN')) {
      if (i + 1 === command.count || !isTokenAt(command, i + 1)) return BAD_TOKEN;
      words.tokenAt = i + 1;
      continue;
    }
    const time = millisecondsAt(command, i + 1);
    if (command.is(i, 'LEASE')) words.leaseMilliseconds = time;
    else if (command.is(i, 'WAIT')) words.waitMilliseconds = time ?? 0;
    else return SYNTAX_ERROR;
    if (time === undefined) return BAD_TIME;
  }
  return words;
}

function replyOfTaken(outcome: Taken, token: string): readonly Reply[] {
  if (isLease(outcome)) return [new Status('distinct'), Buffer.from(token, 'latin1')];
  const verdict = new Status(outcome.verdict);
  if (outcome.verdict === 'pending') return [verdict, Math.ceil(outcome.remainingMilliseconds)];
  const answer = outcome.verdict === 'duplicate' ? outcome.answer : undefined;
  return answer === undefined ? [verdict] : [verdict, Buffer.from(answer as Uint8Array)];
}

/** Claims a key, within a time if that is asked for. */
function claimAlone(
  claiming: Claiming,
  command: Arguments,
  { tokenAt, ...words }: ClaimWords,
  { session }: CommandContext,
): BatchStep {
  const token = tokenAt === undefined ? randomUUID() : command.bytes(tokenAt).toString('latin1');
  // A copy: the buffer of the connection is used again while the command waits.
  const key = new Uint8Array(command.bytes(KEY));
  const outcome = claimWithin(claiming, key, { token, ...words }, session.presence);
  if (!(outcome instanceof Promise)) return replyOfTaken(outcome, token);
  return outcome.then((later) => (later ? replyOfTaken(later, token) : noDetector(claiming.entry.name)));
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
function writeTaken(writer: ReplyWriter, outcome: Taken, token: string): void {
  if (isLease(outcome)) {
    writer.bytes(DISTINCT_HEAD);
    writer.latin1(token);
  } else writer.write(replyOfTaken(outcome, token));
}

function runClaims(next: NextCommands, context: CommandContext): BatchStep {
  const { commands, index, writer, keys, tokens } = next;
  const command = new Arguments(commands, index);
  const claiming = claimingOf(command, context);
  if (claiming instanceof ErrorReply) return claiming;
  const words = readWords(command);
  if (words instanceof ErrorReply) return words;
  const { tokenAt, leaseMilliseconds } = words;
  if (words.waitMilliseconds > 0) return claimAlone(claiming, command, words, context);
  keys.takeOne(commands, { from: index, to: endOfBatch(commands, index, tokenAt) }, KEY);
  let token = '';
  const tokenOf = (i: number) => {
    token = tokenAt === undefined ? randomUUID() : tokens.of(commands.bytes, ...spanAt(commands, index + i, tokenAt));
    return token;
  };
  return claimEach(claiming, keys, { leaseMilliseconds, isRepeatable: true, tokenOf }, (_, outcome) => {
    if (outcome instanceof FirstseenError) writeError(next, outcome, context);
    else writeTaken(writer, outcome, token);
  });
}

/** Returns the answer of FS.COMMIT to those who wait; undefined if it tells them nothing. */
function answerIn(command: Arguments): Uint8Array | undefined | ErrorReply {
  if (command.count === ANSWER_WORD) return undefined;
  if (command.count !== ANSWER_WORD + 2 || !command.is(ANSWER_WORD, 'ANSWER')) return SYNTAX_ERROR;
  // A copy: the buffer of the connection is used again while the answer waits to be sent.
  return new Uint8Array(command.bytes(ANSWER_WORD + 1));
}

function runSettling(settle: SettleEach, next: NextCommands, context: CommandContext): BatchStep {
  const { commands, index, writer, keys } = next;
  const command = new Arguments(commands, index);
  const claiming = claimingOf(command, context);
  if (claiming instanceof ErrorReply) return claiming;
  if (!isTokenAt(command, TOKEN)) return BAD_TOKEN;
  const answer = answerIn(command);
  if (answer instanceof ErrorReply) return answer;
  keys.takeOne(commands, { from: index, to: endOfBatch(commands, index, TOKEN) }, KEY);
  const holds = ({ token }: Lease, i: number) => isText(commands.bytes, spanAt(commands, index + i, TOKEN), token);
  return settle(claiming, keys, { holds, answer }, (_, isDone) => {
    if (isDone instanceof FirstseenError) writeError(next, isDone, context);
    else writer.write(isDone ? 1 : 0);
  });
}

function settling(name: string, summary: string, reply: string, settle: SettleEach): BatchRow & Replied {
  return {
    name,
    usage: 'detector key token',
    summary: `${summary}; answers 0 for a token that holds nothing`,
    replies: [{ reply: `1: ${reply}; 0: the token holds nothing` }],
    role: 'observe',
    arguments: [3, 3],
    runBatch: (next, context) => runSettling(settle, next, context),
  };
}

export const claimRows: readonly (BatchRow & Replied)[] = [
  {
    name: 'FS.CLAIM',
    usage: 'detector key [TOKEN token] [LEASE ms] [WAIT ms]',
    summary: 'answers distinct with a token, duplicate, or pending with the milliseconds left',
    replies: [
      {
        reply:
          '`distinct` and the token, `duplicate`, with the answer that was waited for, or `pending` and milliseconds',
      },
    ],
    role: 'observe',
    arguments: [2, 8],
    runBatch: runClaims,
  },
  {
    ...settling('FS.COMMIT', 'marks the key of a claim seen', 'the key is marked seen', commitEach),
    usage: 'detector key token [ANSWER answer]',
    arguments: [3, 5],
  },
  settling('FS.ABORT', 'releases the key of a claim', 'the key is free', abortEach),
  settling('FS.EXTEND', 'renews the lease of a claim', 'the lease begins again', extendEach),
];
