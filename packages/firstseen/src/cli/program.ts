// The command: its parser, assembled from one file per subcommand, and the way from arguments to an exit code.

import { readFileSync } from 'node:fs';
import { Command, CommanderError, type Option } from 'commander';
import { FirstseenError } from '../errors.js';
import { addAlgorithmsCommand } from './algorithms.js';
import { addDedupCommand } from './dedup.js';
import { endingOf } from './exit.js';
import { withExplicitStats } from './flags.js';
import { addInspectCommand } from './inspect.js';
import { addLabCommand } from './lab/command.js';
import { addMotifsCommand } from './motifs.js';
import { addNearCommand } from './near.js';
import { addPlanCommand } from './plan.js';
import { writeMessage, writeOutput } from './streams.js';

const AFTER_HELP = `
Examples:
  firstseen access.log > distinct.log
  zcat access.log.gz | firstseen --memory 256MiB --stats > distinct.log
  firstseen events.ndjson --key user.id --key event --duplicates-to repeats.ndjson -o first.ndjson
  firstseen orders.csv.gz --key order_id --state orders.state -o orders.csv
  firstseen --algorithm sbf --fpr 0.01 --param Max=1 --emit verdicts ids.txt
  firstseen inspect orders.state
  firstseen plan --memory 64MiB --fpr 1e-4 --expect-distinct 1e7
  firstseen lab run --algorithm sbf,qht --memory 1MiB --stream uniform --distinct 15%
  firstseen near /usr/share/doc --include copyright --similarity 0.8

To read a file that has the name of a command, give it as ./inspect.
Exit codes: 0 success, 1 failure, 2 usage error, 130 and 143 stopped by SIGINT and SIGTERM.`;

/** Flags as the help shows them. An optional value follows `=`. */
function optionTerm(option: Option): string {
  return option.flags.replace(/ \[(\w+)\]$/, '[=$1]');
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Refuses flags of the main command before a subcommand, which does not take them. */
function refuseFlagsBefore(program: Command, command: Command): void {
  const given = program.options.find((option) => program.getOptionValueSource(option.attributeName()) === 'cli');
  if (!given) return;
  throw new FirstseenError('E_USAGE', `${given.long} has no effect before the command ${command.name()}`, {
    remedy: `leave it out, or give a file of that name as ./${command.name()}`,
  });
}

/** Errors in the arguments of a command refer to the help of that command. */
function pointToHelp(command: Command, name: string): void {
  command.exitOverride(({ exitCode, code, message }) => {
    throw new CommanderError(exitCode, code, `${message.replace(/\.$/, '')}; see ${name} --help`);
  });
  for (const subcommand of command.commands) pointToHelp(subcommand, `${name} ${subcommand.name()}`);
}

/** The parser with every command. It throws instead of printing errors or exiting. Help goes to `writeOut`. */
export function buildProgram(writeOut: (text: string) => void): Command {
  const program = new Command('firstseen')
    .description('Write the first occurrence of every record unchanged and drop the repeats, in fixed memory.')
    .version(packageVersion())
    .enablePositionalOptions()
    .configureHelp({ optionTerm })
    .configureOutput({ writeOut, outputError: () => {} })
    .addHelpText('after', AFTER_HELP);
  program.hook('preSubcommand', refuseFlagsBefore);
  addDedupCommand(program);
  addInspectCommand(program);
  addAlgorithmsCommand(program);
  addPlanCommand(program);
  addLabCommand(program);
  addMotifsCommand(program);
  addNearCommand(program);
  pointToHelp(program, program.name());
  return program;
}

/** Runs the command line. Returns the exit code, after all output to the standard streams. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let help = '';
  const program = buildProgram((text) => {
    help += text;
  });
  try {
    await program.parseAsync(withExplicitStats(args), { from: 'user' });
    return 0;
  } catch (error) {
    const failure = help === '' ? error : await writeHelp(help, error);
    if (process.env.FIRSTSEEN_DEBUG === '1') console.error(failure);
    const { exitCode, message } = endingOf(failure);
    if (message !== undefined) writeMessage(message);
    return exitCode;
  }
}

/** Prints the help. Returns the error that came with it, or an error from printing. */
async function writeHelp(help: string, error: unknown): Promise<unknown> {
  try {
    await writeOutput(help);
    return error;
  } catch (failure) {
    return failure;
  }
}
