// Describes a command as plain data: what its help shows. The laboratory may have its own copy of the parser, so that only data is
// exchanged with it.

import type { Command, Option } from 'commander';

export interface OptionDescription {
  /** The flags, the short one first. */
  readonly names: readonly string[];
  /** The flags and the value as the help shows them, such as `-f, --format <name>`. */
  readonly term: string;
  /** The description with the default. */
  readonly description: string;
  /** The kind of value that the flag takes. An optional value follows `=`. */
  readonly value: 'none' | 'required' | 'optional';
  /** The words that the flag accepts; empty if it accepts other values too. */
  readonly choices: readonly string[];
  /** True if the value is the name of a file or folder. */
  readonly takesFile: boolean;
}

export interface CommandDescription {
  readonly name: string;
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string }[];
  /** The options in the groups of the help, under their headings. */
  readonly groups: readonly { readonly heading: string; readonly options: readonly OptionDescription[] }[];
  readonly commands: readonly CommandDescription[];
}

export interface ProgramDescription extends CommandDescription {
  readonly version: string;
  /** Command lines. */
  readonly examples: readonly string[];
}

/** The words that a flag accepts, which its description lists after a colon. */
function choicesOf({ description, required, optional }: Option): readonly string[] {
  if (!required && !optional) return [];
  const list = /(?:^|: )([a-z0-9-]+(?:, [a-z0-9-]+)+)(?: \(|$)/.exec(description)?.[1];
  return list?.split(', ') ?? [];
}

function describeOption(option: Option, help: ReturnType<Command['createHelp']>): OptionDescription {
  const { short, long, required, optional, flags } = option;
  return {
    names: [short, long].filter((name) => name !== undefined),
    term: help.optionTerm(option),
    description: help.optionDescription(option),
    value: required ? 'required' : optional ? 'optional' : 'none',
    choices: choicesOf(option),
    takesFile: /<(?:file|path|folder)>/.test(flags),
  };
}

/** The command with its visible options and commands, but without the command `help`. */
export function describeCommand(command: Command): CommandDescription {
  const help = command.createHelp();
  const groups = help.groupItems(
    [...command.options],
    help.visibleOptions(command),
    ({ helpGroupHeading }) => helpGroupHeading ?? 'Options:',
  );
  return {
    name: command.name(),
    usage: command.usage(),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: help.argumentDescription(argument),
    })),
    groups: [...groups].map(([heading, options]) => ({
      heading: heading.replace(/:$/, ''),
      options: options.map((option) => describeOption(option, help)),
    })),
    commands: help
      .visibleCommands(command)
      .filter((subcommand) => subcommand.name() !== 'help')
      .map(describeCommand),
  };
}

/** A command, and the words that select it. */
export interface CommandEntry {
  readonly words: readonly string[];
  readonly command: CommandDescription;
}

/** The command, its commands, and theirs in turn. */
export function entriesOf(command: CommandDescription, words: readonly string[] = []): CommandEntry[] {
  const entries = command.commands.flatMap((subcommand) => entriesOf(subcommand, [...words, subcommand.name]));
  return [{ words, command }, ...entries];
}

export function optionsOf({ groups }: CommandDescription): OptionDescription[] {
  return groups.flatMap(({ options }) => options);
}
