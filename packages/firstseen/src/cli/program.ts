// The command: its parser, assembled from one file per subcommand.

import { type Command, CommanderError } from 'commander';
import { FirstseenError } from '../errors.js';
import { addAlgorithmsCommand } from './algorithms.js';
import { newProgram, packageVersion, pointToHelp, runProgram } from './commandline.js';
import { addDedupCommand } from './dedup.js';
import { type CommandDescription, describeCommand, type ProgramDescription } from './describe.js';
import { choiceOption, refuseFlagsBeside } from './flags.js';
import { type GeneratedKind, generate, generatedKinds } from './generate.js';
import { addInspectCommand } from './inspect.js';
import { addLabCommand, describeLab, forwardToLab } from './lab.js';
import { addMotifsCommand } from './motifs.js';
import { addNearCommand } from './near.js';
import { addPlanCommand } from './plan.js';

const examples = [
  'firstseen access.log > distinct.log',
  'zcat access.log.gz | firstseen --memory 256MiB --stats > distinct.log',
  'firstseen events.ndjson --key user.id --key event --duplicates-to repeats.ndjson -o first.ndjson',
  'firstseen orders.csv.gz --key order_id --state orders.state -o orders.csv',
  'firstseen --algorithm sbf --fpr 0.01 --param Max=1 --emit verdicts ids.txt',
  'firstseen inspect orders.state',
  'firstseen plan --memory 64MiB --fpr 1e-4 --expect-distinct 1e7',
  'firstseen lab run --algorithm sbf,qht --memory 1MiB --stream uniform --distinct 15%',
  'firstseen near /usr/share/doc --include copyright --similarity 0.8',
] as const;

const AFTER_HELP = `
Examples:
${examples.map((line) => `  ${line}`).join('\n')}

To read a file that has the name of a command, give it as ./inspect.
Exit codes: 0 success, 1 failure, 2 usage error, 3 overload, 130 and 143 stopped by SIGINT and SIGTERM.`;

/** Refuses flags of the main command before a subcommand, which does not take them. */
function refuseFlagsBefore(program: Command, command: Command): void {
  const given = program.options.find((option) => program.getOptionValueSource(option.attributeName()) === 'cli');
  if (!given) return;
  throw new FirstseenError('E_USAGE', `${given.long} has no effect before the command ${command.name()}`, {
    remedy: `leave it out, or give a file of that name as ./${command.name()}`,
  });
}

/** The program, with the laboratory's commands if they are given. */
export function describeProgram(program: Command, lab?: CommandDescription): ProgramDescription {
  const description = describeCommand(program);
  const commands = description.commands.map((command) => (command.name === lab?.name ? lab : command));
  return { ...description, commands, version: packageVersion(), examples };
}

/** @throws FirstseenError E_USAGE when anything is given beside --generate. */
function refuseAllBesideGenerate(program: Command): void {
  const others = program.options.map((option) => option.attributeName()).filter((name) => name !== 'generate');
  refuseFlagsBeside(program, 'generate', others);
  if (program.args.length === 0) return;
  throw new FirstseenError('E_USAGE', '--generate takes no files', { remedy: 'leave them out' });
}

/** Prints a file that is made from the parser, and ends as --version does. */
function addGenerateFlag(program: Command, writeOut: (text: string) => void): void {
  const description = 'print the manual page, or the completions for a shell';
  program.addOption(choiceOption('--generate <what>', description, generatedKinds));
  program.hook('preAction', async () => {
    const { generate: kind } = program.opts<{ generate?: GeneratedKind }>();
    if (kind === undefined) return;
    refuseAllBesideGenerate(program);
    writeOut(generate(describeProgram(program, await describeLab()), kind));
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
