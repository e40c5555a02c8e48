// Shared by every command of the package: an empty parser, and running a command line to its exit code.

import { readFileSync } from 'node:fs';
import { Command, CommanderError, type Option } from 'commander';
import type { OptionNaming } from '../base/errors.js';
import { stats } from '../options/run.js';
import { endingOf, exitCodes } from './exit.js';
import { withExplicitStats } from './flags.js';
import { hintFor } from './otherprograms.js';
import { formatsAsked, Report } from './report.js';
import { writeOutput } from './streams.js';
import { checkUnits } from './units.js';

/** A flag as the help shows it: an optional value follows `=`. */
function optionTerm(option: Option): string {
  return option.flags.replace(/ \[(\w+)\]$/, '[=$1]');
}

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** A parser without commands. It throws where it would print an error or exit; help goes to `writeOut`. */
export function newProgram(writeOut: (text: string) => void): Command {
  return new Command('firstseen')
    .version(packageVersion())
    .enablePositionalOptions()
    .configureHelp({ optionTerm })
    .configureOutput({ writeOut, outputError: () => {} });
}

/** The flag that a message of the parser calls unknown. */
function unknownFlag(message: string): string | undefined {
  return /unknown option '(-[^'=]+)/.exec(message)?.[1];
}

/** The subcommand with a flag. */
function commandWithFlag({ commands }: Command, flag: string): Command | undefined {
  return commands.find(({ options }) => options.some(({ short, long }) => flag === short || flag === long));
}

/** Returns the message about a flag that a command does not have: what does the same, and which subcommand has it. */
function unknownFlagText(message: string, hint: string | undefined, owner: string | undefined): string {
  if (hint === undefined) {
    return owner === undefined ? message : `${message}, which is a flag of ${owner} and has to follow that word`;
  }
  const problem = message.replace(/\s\(Did you mean .*\?\)$/, '');
  return owner === undefined
    ? `${problem}; ${hint}`
    : `${problem}; ${hint}; as a flag of ${owner}, it has to follow that word`;
}

/**
 * Makes usage errors of a command refer to the help of that command. A flag of a subcommand that precedes the subcommand's name
 * refers to the help of the subcommand.
 */
export function pointToHelp(command: Command, name: string): void {
  command.exitOverride(({ exitCode, code, message }) => {
    const wrongFlag = unknownFlag(message);
    const hint = wrongFlag === undefined ? undefined : hintFor(wrongFlag, command);
    const owner = wrongFlag === undefined ? undefined : commandWithFlag(command, wrongFlag)?.name();
    const problem = unknownFlagText(message.replace(/\.$/, ''), hint, owner);
    const help = [name, ...(owner === undefined ? [] : [owner]), '--help'].join(' ');
    throw new CommanderError(exitCode, code, `${problem}; see ${help}`);
  });
  for (const subcommand of command.commands) pointToHelp(subcommand, `${name} ${subcommand.name()}`);
}

/**
 * Runs a command line; returns the exit code, after all output to the standard streams.
 * @param nameOf the flags of options in error messages; those of the main command by default
 */
export async function runProgram(
  build: (writeOut: (text: string) => void, report: Report) => Command,
  args: readonly string[],
  nameOf?: OptionNaming,
): Promise<number> {
  let help = '';
  const report = new Report(formatsAsked(args));
  const program = build((text) => {
    help += text;
  }, report);
  try {
    checkUnits(args);
    await program.parseAsync(withExplicitStats(args, stats.words), { from: 'user' });
    return await report.end({ exitCode: exitCodes.done.code });
  } catch (error) {
    const failure = help === '' ? error : await writeHelp(help, error);
    if (process.env.FIRSTSEEN_DEBUG === '1') console.error(failure);
    return report.end(endingOf(failure, nameOf));
  }
}

/** Prints the help; returns the error that came with it, or the error of printing. */
async function writeHelp(help: string, error: unknown): Promise<unknown> {
  try {
    await writeOutput(help);
    return error;
  } catch (failure) {
    return failure;
  }
}
