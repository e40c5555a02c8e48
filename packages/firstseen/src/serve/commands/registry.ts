// All commands, by name.

import { type Reply, Status } from '../resp/replies.js';
import type { Arguments } from './arguments.js';
import { bloomRows } from './bloom.js';
import { claimRows } from './claims.js';
import { connectionRows } from './connection.js';
import { detectorRows } from './detectors.js';
import { unknownSubcommand, wrongArguments } from './errors.js';
import { keyRows } from './keys.js';
import { memberRows } from './members.js';
import { type CommandRow, isKeysRow, type SingleRow } from './row.js';
import { serverRows } from './server.js';
import { setRows } from './set.js';
import { transactionRows } from './transaction.js';

/** The number of arguments with the name, as COMMAND tells it: negative if there may be more. */
function arityOf({ arguments: [least, most] }: CommandRow): number {
  return least === most ? least + 1 : -(least + 1);
}

/** A command as COMMAND tells it: its name, its arity, its flags, and where its key is. */
function describe(row: CommandRow): Reply {
  const isOnKey = isKeysRow(row) || /^(?:detector|filter|key)/.test(row.usage);
  const flag = new Status(row.role === 'read' ? 'readonly' : row.role === 'none' ? 'noscript' : 'write');
  const [first, last, step] = isOnKey ? [1, 1, 1] : [0, 0, 0];
  return [row.name.toLowerCase(), arityOf(row), [flag], first, last, step];
}

function document({ name, summary, usage }: CommandRow): [string, Reply] {
  const facts: [string, Reply][] = [
    ['summary', summary],
    ['group', 'module'],
    ['syntax', `${name} ${usage}`.trim()],
  ];
  return [name.toLowerCase(), new Map(facts)];
}

/** The rows that were asked for by name, or all. One that there is not is undefined. */
function asked(given: Arguments): readonly (CommandRow | undefined)[] {
  if (given.count < 3) return commandRows;
  return given.texts(2).map((name) => commandNamed.get(name.toUpperCase()));
}

function command(given: Arguments): Reply {
  if (given.count === 1) return commandRows.map(describe);
  if (given.is(1, 'COUNT')) return given.count === 2 ? commandRows.length : wrongArguments('command|count');
  if (given.is(1, 'LIST')) return commandRows.map(({ name }) => name.toLowerCase());
  if (given.is(1, 'INFO')) return asked(given).map((row) => (row ? describe(row) : null));
  if (given.is(1, 'DOCS')) return new Map(asked(given).flatMap((row) => (row ? [document(row)] : [])));
  return unknownSubcommand(given);
}

const commandRow: SingleRow = {
  name: 'COMMAND',
  usage: '[COUNT | LIST | INFO [name ...] | DOCS [name ...]]',
  summary: 'tells about the commands',
  isWhileLoading: true,
  role: 'read',
  arguments: [0],
  run: command,
};

export const commandRows: readonly CommandRow[] = [
  ...connectionRows,
  ...serverRows,
  ...keyRows,
  commandRow,
  ...transactionRows,
  ...bloomRows,
  ...detectorRows,
  ...claimRows,
  ...setRows,
  ...memberRows,
];

export const commandNamed: ReadonlyMap<string, CommandRow> = new Map(commandRows.map((row) => [row.name, row]));
