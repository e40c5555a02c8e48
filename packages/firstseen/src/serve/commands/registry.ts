// All commands, by name.

import { type Reply, Status } from '../resp/replies.js';
import type { Arguments } from './arguments.js';
import { bloomRows } from './bloom.js';
import { claimRows } from './claims.js';
import { connectionRows } from './connection.js';
import { detectorRows } from './detectors.js';
import { keyRows } from './keys.js';
import { keyspaceRows } from './keyspace.js';
import { memberRows } from './members.js';
import { type CommandRow, isKeysRow, type SingleRow } from './row.js';
import { scriptingRows } from './scripting.js';
import { serverRows } from './server.js';
import { setRows } from './set.js';
import { type Subcommands, withSubcommands } from './subcommands.js';
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
function rowsNamed(command: Arguments): readonly (CommandRow | undefined)[] {
  if (command.count < 3) return commandRows;
  return command.texts(2).map((name) => commandNamed.get(name.toUpperCase()));
}

const commandCommands: Subcommands = {
  COUNT: { summary: 'answers the number of commands', arguments: [0, 0], run: () => commandRows.length },
  LIST: {
    summary: 'answers the names of the commands',
    arguments: [0],
    run: () => commandRows.map(({ name }) => name.toLowerCase()),
  },
  INFO: {
    usage: '[<name> ...]',
    summary: 'tells about commands',
    arguments: [0],
    run: (command) => rowsNamed(command).map((row) => (row ? describe(row) : null)),
  },
  DOCS: {
    usage: '[<name> ...]',
    summary: 'tells what commands do',
    arguments: [0],
    run: (command) => new Map(rowsNamed(command).flatMap((row) => (row ? [document(row)] : []))),
  },
};

const commandSubcommands = withSubcommands(commandCommands);

const commandRow: SingleRow = {
  ...commandSubcommands,
  name: 'COMMAND',
  summary: 'tells about the commands',
  replies: [{ usage: '', reply: 'the name, the arity and the key of each command' }],
  isWhileLoading: true,
  role: 'read',
  arguments: [0],
  run: (command, context) =>
    command.count === 1 ? commandRows.map(describe) : commandSubcommands.run(command, context),
};

export const commandRows: readonly CommandRow[] = [
  ...connectionRows,
  ...serverRows,
  ...keyRows,
  ...keyspaceRows,
  commandRow,
  ...transactionRows,
  ...bloomRows,
  ...detectorRows,
  ...claimRows,
  ...setRows,
  ...memberRows,
  ...scriptingRows,
];

export const commandNamed: ReadonlyMap<string, CommandRow> = new Map(commandRows.map((row) => [row.name, row]));
