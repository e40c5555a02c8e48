// The command: its parser, assembled from one file per subcommand.

import { type Command, CommanderError } from 'commander';
import { FirstseenError } from '../base/errors.js';
import { type StandardStreams, withStandardStreams } from '../io/system/standardstreams.js';
import { findKernelBy } from '../kernel/wholekernel.js';
import { addAlgorithmsCommand } from './algorithms.js';
import { commandArguments } from './arguments.js';
import { newProgram, packageVersion, pointToHelp, runProgram } from './commandline.js';
import { type CommandDescription, describeCommand, type ProgramDescription } from './describe.js';
import { addCombineCommand, addMapCommand, addReduceCommand } from './engines.js';
import { checkFlagRules, choiceOption } from './flags.js';
import { type GeneratedKind, generate, generatedKinds } from './generate.js';
import { addHelpCommand, type OnLab } from './help.js';
import { addInspectCommand } from './inspect.js';
import { addJobCommands, addMainCommand } from './jobs.js';
import { addKafkaCommand } from './kafkacommand.js';
import { kernelOfFile } from './kernelfile.js';
import { addLabCommand, describeLab, forwardToLab } from './lab.js';
import { addMergeCommand, addSplitCommand } from './partitions.js';
import { addPipeCommand } from './pipecommand.js';
import { addPlanCommand } from './plan.js';
import { Report } from './report.js';
import { addServeCommand } from './servecommand.js';
import { addShortHelp } from './shorthelp.js';

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

To read a file that has the name of a command, give it after --, or as ./inspect.
Exit codes: 0 success, 1 failure, 2 usage error, 3 overload; 129, 130 and 143 stopped by SIGHUP, SIGINT and SIGTERM.`;

/** Refuses flags of the main command before a subcommand, which does not take them. */
function refuseFlagsBefore(program: Command, command: Command): void {
  const given = program.options.find((option) => program.getOptionValueSource(option.attributeName()) === 'cli');
  if (!given) return;
  throw new FirstseenError('E_USAGE', `${given.long} has no effect before the command ${command.name()}`, {
    remedy: `leave it out, or put -- before a file of that name`,
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
  checkFlagRules(program, [{ options: others, excludes: ['generate'] }]);
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

export interface ProgramOptions {
  /** Runs the laboratory with these arguments, by default those of the command line. */
  onLab?: OnLab;
  /** Leaves the commands out, so that all arguments are flags and files. */
  hasCommands?: boolean;
  /** The arguments, which tell whether the commands are needed; by default, they are. */
  args?: readonly string[];
  /** Receives messages and summaries. */
  report?: Report;
}

/** The parser of the whole command line. */
export function buildProgram(
  writeOut: (text: string) => void,
  { onLab = async () => {}, hasCommands = true, args, report = new Report({}) }: ProgramOptions = {},
): Command {
  const program = newProgram(writeOut)
    .description(
      'Write the first occurrence of every record unchanged and drop the repeats, in fixed memory. A stream that needs more memory has repeats that pass; a warning at the end says how many.',
    )
    .addHelpText('after', AFTER_HELP);
  addGenerateFlag(program, writeOut);
  addMainCommand(program, report);
  if (hasCommands && (!args || needsCommands(program, args))) addCommands(program, onLab, report);
  // The commands, which are there by now, have one help.
  addShortHelp(program, writeOut);
  pointToHelp(program, program.name());
  return program;
}

/** The names of the commands that `addCommands` adds. */
export const commandNames: readonly string[] = [
  ...['help', 'inspect', 'algorithms', 'plan', 'lab', 'near', 'passages', 'motifs', 'split', 'merge'],
  ...['map', 'combine', 'reduce', 'serve', 'kafka', 'pipe'],
];

function addCommands(program: Command, onLab: OnLab, report: Report): void {
  program.hook('preSubcommand', refuseFlagsBefore);
  addHelpCommand(program, onLab);
  addInspectCommand(program);
  addAlgorithmsCommand(program);
  addPlanCommand(program);
  addLabCommand(program, () => onLab());
  addJobCommands(program, report);
  addSplitCommand(program);
  addMergeCommand(program);
  addMapCommand(program);
  addCombineCommand(program);
  addReduceCommand(program);
  addServeCommand(program);
  addKafkaCommand(program);
  addPipeCommand(program);
}

/** Tells if the parser knows a flag, and does not need the commands for it. */
function isOwnFlag(program: Command, arg: string): boolean {
  const [name] = arg.split('=');
  if (arg === '--') return true;
  if (name === '--generate') return false;
  if (arg.startsWith('--')) return program.options.some(({ long }) => long === name);
  // Flags of one letter can be given together, and -h is one of them.
  return !arg.includes('h') && program.options.some(({ short }) => short === arg.slice(0, 2));
}

/**
 * Tells if the commands are needed: an argument is the name of one, or a flag that only a command may have, or asks for what names all of
 * them. They take a third of the time in which the parser is made.
 */
function needsCommands(program: Command, args: readonly string[]): boolean {
  return args.some((arg) => commandNames.includes(arg) || (/^-./.test(arg) && !isOwnFlag(program, arg)));
}

/** Tells if an argument before `--` is a command. If none is, what follows `--` are files, whatever their names. */
function namesCommand(args: readonly string[]): boolean {
  const separator = args.indexOf('--');
  if (separator === -1) return true;
  const program = buildProgram(() => {});
  try {
    const [first] = program.parseOptions(args.slice(0, separator)).operands;
    return program.commands.some((command) => command.name() === first);
  } catch {
    // The run reports the invalid flag.
    return true;
  }
}

/**
 * Runs the command line. Returns the exit code, after all output to the standard streams.
 * @param streams take the place of those of the process
 */
export function runCommandLine(
  args: readonly string[] = commandArguments(),
  streams?: StandardStreams,
): Promise<number> {
  findKernelBy(kernelOfFile);
  return streams === undefined ? runArguments(args) : withStandardStreams(streams, () => runArguments(args));
}

async function runArguments(args: readonly string[]): Promise<number> {
  let labExitCode = 0;
  const onLab: OnLab = async (labArgs = args.toSpliced(args.indexOf('lab'), 1)) => {
    labExitCode = await forwardToLab(labArgs);
  };
  const hasCommands = namesCommand(args);
  const build = (writeOut: (text: string) => void, report: Report) =>
    buildProgram(writeOut, { onLab, hasCommands, args, report });
  const exitCode = await runProgram(build, args);
  return exitCode === 0 ? labExitCode : exitCode;
}
