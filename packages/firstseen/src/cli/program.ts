// The command: its parser, assembled from one file per subcommand.

import { type Command, CommanderError, Option } from 'commander';
import { FirstseenError } from '../errors.js';
import { addAlgorithmsCommand } from './algorithms.js';
import { newProgram, pointToHelp, runProgram } from './commandline.js';
import { addDedupCommand } from './dedup.js';
import { parseChoice } from './flags.js';
import { generate, generatedKinds } from './generate.js';
import { addInspectCommand } from './inspect.js';
import { addLabCommand, forwardToLab } from './lab.js';
import { addMotifsCommand } from './motifs.js';
import { addNearCommand } from './near.js';
import { addPlanCommand } from './plan.js';

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

/** Refuses flags of the main command before a subcommand, which does not take them. */
function refuseFlagsBefore(program: Command, command: Command): void {
  const given = program.options.find((option) => program.getOptionValueSource(option.attributeName()) === 'cli');
  if (!given) return;
  throw new FirstseenError('E_USAGE', `${given.long} has no effect before the command ${command.name()}`, {
    remedy: `leave it out, or give a file of that name as ./${command.name()}`,
  });
}

/** Prints a file that is made from the parser, and ends as --version does. */
function addGenerateFlag(program: Command, writeOut: (text: string) => void): void {
  const description = `print the manual page, or the completions for a shell: ${generatedKinds.join(', ')}`;
  program.addOption(new Option('--generate <what>', description));
  program.on('option:generate', (text: string) => {
    writeOut(generate(program, parseChoice(text, '--generate', generatedKinds)));
    throw new CommanderError(0, 'firstseen.generated', '');
  });
}

/** The parser with every command; `onLab` is what the laboratory's command does. */
export function buildProgram(writeOut: (text: string) => void, onLab: () => Promise<void> = async () => {}): Command {
  const program = newProgram(writeOut)
    .description('Write the first occurrence of every record unchanged and drop the repeats, in fixed memory.')
    .addHelpText('after', AFTER_HELP);
  program.hook('preSubcommand', refuseFlagsBefore);
  addGenerateFlag(program, writeOut);
  addDedupCommand(program);
  addInspectCommand(program);
  addAlgorithmsCommand(program);
  addPlanCommand(program);
  addLabCommand(program, onLab);
  addMotifsCommand(program);
  addNearCommand(program);
  pointToHelp(program, program.name());
  return program;
}

/** Runs the command line. Returns the exit code, after all output to the standard streams. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let labExitCode = 0;
  const onLab = async () => {
    labExitCode = await forwardToLab(args);
  };
  const exitCode = await runProgram((writeOut) => buildProgram(writeOut, onLab), args);
  return exitCode === 0 ? labExitCode : exitCode;
}
