// Transactions: commands that are queued and run together, as the pipelines of many clients send them.

import { CommandQueue } from '../resp/queue.js';
import { ErrorReply, OK, type Reply, Status } from '../resp/replies.js';
import type { Session } from '../session.js';
import type { SingleRow, Together } from './row.js';

const QUEUED = new Status('QUEUED');
const NESTED = new ErrorReply('ERR MULTI calls can not be nested');
const ABORTED = new ErrorReply('EXECABORT Transaction discarded because of previous errors.');
const WATCH_INSIDE = new ErrorReply('ERR WATCH inside MULTI is not allowed');
const NO_WATCH = new ErrorReply(
  'ERR WATCH is not offered: a detector changes with each key, so a transaction that watches it would never be run; ' +
    'FS.OBSERVE tests and adds a key in one step',
);
const FULL = new ErrorReply(
  'ERR the transaction is larger than a command may be; send its commands in several transactions',
);

function without(name: string): ErrorReply {
  return new ErrorReply(`ERR ${name} without MULTI`);
}

/** Adds a command to the transaction of a session. */
export function queueCommand(session: Session, ...command: Parameters<CommandQueue['add']>): Reply {
  const { transaction } = session;
  if (transaction?.queue.add(...command)) return QUEUED;
  if (transaction) transaction.isBroken = true;
  return FULL;
}

/** The error of a command that is not run: a transaction that it belongs to runs none. */
export function refusedIn(session: Session, name: string | undefined, refusal: ErrorReply): ErrorReply {
  const { transaction } = session;
  if (name === 'EXEC') {
    session.transaction = undefined;
    return new ErrorReply(`EXECABORT Transaction discarded because of: ${refusal.text.replace(/^ERR /, '')}`);
  }
  if (transaction) transaction.isBroken = true;
  return refusal;
}

function begin(session: Session): Reply {
  if (session.transaction) return NESTED;
  session.transaction = { queue: new CommandQueue(session.limits), isBroken: false };
  return OK;
}

function execute(session: Session): Reply | Together {
  const { transaction } = session;
  if (transaction === undefined) return without('EXEC');
  session.transaction = undefined;
  return transaction.isBroken ? ABORTED : { together: transaction.queue.commands() };
}

function discard(session: Session): Reply {
  if (session.transaction === undefined) return without('DISCARD');
  session.transaction = undefined;
  return OK;
}

/** They are run inside a transaction, and not queued. */
const immediate = { role: 'read', arguments: [0, 0], usage: '', isImmediate: true } as const;

export const transactionRows: readonly SingleRow[] = [
  {
    ...immediate,
    name: 'MULTI',
    summary: 'begins a transaction: the commands after it are queued',
    run: (_given, { session }) => begin(session),
  },
  {
    ...immediate,
    name: 'EXEC',
    summary: 'runs the commands of the transaction, and answers a list of their replies',
    run: (_given, { session }) => execute(session),
  },
  {
    ...immediate,
    name: 'DISCARD',
    summary: 'ends the transaction and runs none of its commands',
    run: (_given, { session }) => discard(session),
  },
  {
    ...immediate,
    name: 'WATCH',
    usage: 'key [key ...]',
    summary: 'is refused, because detectors cannot be watched',
    arguments: [1],
    run: (_given, { session }) => (session.transaction ? WATCH_INSIDE : NO_WATCH),
  },
  {
    name: 'UNWATCH',
    usage: '',
    summary: 'answers OK, because nothing is watched',
    role: 'read',
    arguments: [0, 0],
    run: () => OK,
  },
];
