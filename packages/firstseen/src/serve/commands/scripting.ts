// EVAL and its like. The server runs no scripts: it knows those by which libraries of locks release and extend what they hold.

import { ErrorReply, OK, type Reply } from '../resp/replies.js';
import type { ScriptForm } from '../scripts/forms.js';
import type { Arguments } from './arguments.js';
import { NOT_WHOLE } from './errors.js';
import { type LockKey, MAX_LOCK_KEYS, runLock } from './locks.js';
import { claimedAt } from './mapped.js';
import type { CommandContext, SingleRow } from './row.js';
import { type Subcommands, withSubcommands } from './subcommands.js';

const [SCRIPT, KEY_COUNT, FIRST_KEY] = [1, 2, 3];

const UNKNOWN = new ErrorReply(
  'ERR this server runs no scripts, but for those by which redis-py, redsync, redlock, redislock, redis-semaphore and Spring Integration hold, ' +
    'extend and release a lock, and this is none of them (docs/FROM-REDIS.md); FS.OBSERVE tests and adds a key in one step, and FS.CLAIM, ' +
    'FS.COMMIT and FS.ABORT are a lock',
);
const NO_SCRIPT = new ErrorReply('NOSCRIPT No matching script. Please use EVAL.');
const NEGATIVE = new ErrorReply("ERR Number of keys can't be negative");
const MORE_KEYS = new ErrorReply("ERR Number of keys can't be greater than number of args");
const NO_KEY = new ErrorReply('ERR the script of a lock has a key and a token; give them');
const MANY_KEYS = new ErrorReply(`ERR a lock has at most ${MAX_LOCK_KEYS} keys`);
const NOT_RUNNING = new ErrorReply('NOTBUSY No scripts in execution right now.');

/** The number of keys that a call says. */
function keyCountOf(command: Arguments): number | ErrorReply {
  const count = command.whole(KEY_COUNT);
  if (count === undefined) return NOT_WHOLE;
  if (count < 0) return NEGATIVE;
  return count > command.count - FIRST_KEY ? MORE_KEYS : count;
}

/** The keys of a lock, or the first error. */
function lockKeysOf(command: Arguments, count: number, context: CommandContext): LockKey[] | ErrorReply {
  const keys: LockKey[] = [];
  for (let i = FIRST_KEY; i < FIRST_KEY + count; i++) {
    const mapped = claimedAt(command, i, context);
    if (mapped instanceof ErrorReply) return mapped;
    keys.push({ mapped, key: command.bytes(i) });
  }
  return keys;
}

/** Does what a script of a lock does with its keys and arguments. */
function run(form: ScriptForm, command: Arguments, context: CommandContext): Reply {
  const { timeArgument, unitMilliseconds = 1, adds, ownerArgument } = form;
  const count = keyCountOf(command);
  if (count instanceof ErrorReply) return count;
  if (count === 0 || command.count === FIRST_KEY + count) return NO_KEY;
  if (count > MAX_LOCK_KEYS) return MANY_KEYS;
  const keys = lockKeysOf(command, form.keys === 'first' ? 1 : count, context);
  if (keys instanceof ErrorReply) return keys;
  const argumentAt = (number: number) => FIRST_KEY + count + number - 1;
  const time = timeArgument === undefined ? undefined : command.whole(argumentAt(timeArgument));
  if (timeArgument !== undefined && time === undefined) return NOT_WHOLE;
  return runLock({
    form,
    keys,
    token: command.bytes(argumentAt(1)).toString('latin1'),
    milliseconds: time === undefined ? undefined : time * unitMilliseconds,
    ownerBytes: ownerArgument === undefined ? undefined : command.whole(argumentAt(ownerArgument)),
    isAdded: adds === 'always' || (adds === 'unless replaced' && command.is(argumentAt(3), '0')),
  });
}

function evaluate(command: Arguments, context: CommandContext): Reply {
  const learned = context.server.scripts.learn(command.bytes(SCRIPT));
  return learned === undefined ? UNKNOWN : run(learned.form, command, context);
}

function evaluateDigest(command: Arguments, context: CommandContext): Reply {
  const form = context.server.scripts.find(command.text(SCRIPT));
  return form === undefined ? NO_SCRIPT : run(form, command, context);
}

const scriptCommands: Subcommands = {
  LOAD: {
    usage: '<script>',
    summary: 'stores the script of a lock, and answers its digest',
    arguments: [1, 1],
    run: (command, { server }) => server.scripts.learn(command.bytes(2))?.digest ?? UNKNOWN,
  },
  EXISTS: {
    usage: '<digest> [<digest> ...]',
    summary: 'tells which digests are those of stored scripts',
    arguments: [1],
    run: (command, { server }) => command.texts(2).map((digest) => (server.scripts.find(digest) ? 1 : 0)),
  },
  FLUSH: {
    usage: '[ASYNC|SYNC]',
    summary: 'removes the stored scripts',
    arguments: [0, 1],
    run(_given, { server }) {
      server.scripts.clear();
      return OK;
    },
  },
  KILL: { summary: 'answers NOTBUSY: no script ever runs', arguments: [0, 0], run: () => NOT_RUNNING },
};

export const scriptingRows: readonly SingleRow[] = [
  {
    name: 'EVAL',
    usage: 'script numkeys key [key ...] token [arg ...]',
    summary: 'holds, extends or releases keys that are claimed, by the script of a lock',
    replies: [
      {
        usage: 'script ...',
        mapped: ['an error', 'what the script of a lock does ([FROM-REDIS.md](FROM-REDIS.md#locks))'],
      },
    ],
    role: 'observe',
    arguments: [2],
    logsEach: true,
    run: evaluate,
  },
  {
    name: 'EVALSHA',
    usage: 'digest numkeys key [key ...] token [arg ...]',
    summary: 'runs EVAL by the digest of a script that was sent before',
    replies: [
      {
        usage: 'digest ...',
        mapped: ['an error', 'what the script of a lock does ([FROM-REDIS.md](FROM-REDIS.md#locks))'],
      },
    ],
    role: 'observe',
    arguments: [2],
    logsEach: true,
    run: evaluateDigest,
  },
  { name: 'SCRIPT', summary: 'stores the scripts of locks', role: 'observe', ...withSubcommands(scriptCommands) },
];
