// Commands that consist of subcommands, and their HELP.

import { type Reply, Status } from '../resp/replies.js';
import type { Arguments } from './arguments.js';
import { unknownSubcommand, wrongArguments } from './errors.js';
import type { CommandContext, SingleRow } from './row.js';

export interface Subcommand {
  /** The arguments in words. */
  readonly usage?: string;
  readonly summary: string;
  /** The fewest and the most arguments after its name; without a second number, any number. */
  readonly arguments: readonly [least: number, most?: number];
  run(command: Arguments, context: CommandContext): Reply;
}

/** By name, in upper case. */
export type Subcommands = Readonly<Record<string, Subcommand>>;

/** The lines of HELP, in the form that Redis has. */
function helpOf(command: string, subcommands: Subcommands): Reply {
  const help = { usage: undefined, summary: 'prints this help' };
  const lines = Object.entries({ ...subcommands, HELP: help }).flatMap(([name, { usage, summary }]) => [
    usage === undefined ? name : `${name} ${usage}`,
    `    ${summary}`,
  ]);
  return [`${command} <subcommand> [<arg> ...]. Subcommands are:`, ...lines].map((line) => new Status(line));
}

/** Runs the subcommand that is the first argument. */
export function runSubcommand(subcommands: Subcommands, command: Arguments, context: CommandContext): Reply {
  const [commandName, name] = [command.word(0), command.word(1)];
  if (name === 'HELP' && command.count === 2) return helpOf(commandName, subcommands);
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand === undefined) return unknownSubcommand(command);
  const [least, most = Number.POSITIVE_INFINITY] = subcommand.arguments;
  const count = command.count - 2;
  return count < least || count > most ? wrongArguments(`${commandName}|${name}`) : subcommand.run(command, context);
}

/** Returns the members of the row of a command with subcommands, besides its name and its role. */
export function withSubcommands(subcommands: Subcommands): Pick<SingleRow, 'usage' | 'arguments' | 'run'> {
  const usage = [...Object.keys(subcommands), 'HELP'].join(' | ');
  return { usage, arguments: [1], run: (command, context) => runSubcommand(subcommands, command, context) };
}
