// The command: its parser, put together from one file per command.

import { type Command, CommanderError, Option } from 'commander';
import { FirstseenError } from '../errors.js';
import { addAlgorithmsCommand } from './algorithms.js';
import { newProgram, pointToHelp, runProgram } from './commandline.js';
import { addDedupCommand } from './dedup.js';
import { parseChoice } from './flags.js';
import { generate, generatedKinds } from './generate.js';
import { addInspectCommand } from './inspect.js';
import { addLabCommand, runLab } from './lab.js';
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

A file named like a command is given as ./inspect.
Exit codes: 0 done, 1 failed, 2 wrong use, 130 and 143 stopped by SIGINT and SIGTERM.`;

/** Flags of the main command mean nothing to the others, and nothing given is passed over without a word. */
function refuseFlagsBefore(program: Command, command: Command): void {
  const given = program.options.find((option) => program.getOptionValueSource(option.attributeName()) === 'cli');
  if (!given) return;
  throw new FirstseenError(
    'E_USAGE',
    `${given.long} stands before ${command.name()}, which does not take it; leave it out, or give a file of that name as ./${command.name()}`,
  );
}

/** Prints a file that is made from the parser, and ends as --version does. */
function addGenerateFlag(program: Command, writeOut: (text: string) => void): void {
  const description = `print the manual page or the completions of a shell: ${generatedKinds.join(', ')}`;
  program.addOption(new Option('--generate <what>', description));
  program.on('option:generate', (text: string) => {
    writeOut(generate(program, parseChoice(text, '--generate', generatedKinds)));
    throw new CommanderError(0, 'firstseen.generated', '');
  });
}

/** The parser with every command; `onLab` is what the laboratory's command does. */
export function buildProgram(writeOut: (text: string) => void, onLab: () => Promise<void> = async () => {}): Command {
  const program = newProgram(writeOut)
    .description(
      'Write the first occurrence of every record, byte for byte as it came, and drop the repeats, in memory that never grows.',
    )
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

/** Does what the arguments ask for; returns the exit code, with whatever there is to say said on the standard streams. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  let labExitCode = 0;
  const onLab = async () => {
    labExitCode = await runLab(args);
  };
  const exitCode = await runProgram((writeOut) => buildProgram(writeOut, onLab), args);
  return exitCode === 0 ? labExitCode : exitCode;
}
