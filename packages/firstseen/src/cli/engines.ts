// `firstseen map`, `combine` and `reduce`: the tasks of an engine that runs many of them side by side. They talk on standard streams.

import type { Command } from 'commander';
import { FirstseenError } from '../base/errors.js';
import { checkCombinable, runCombine } from '../engines/combine.js';
import { type MapOptions, runMap } from '../engines/map.js';
import { runReduce } from '../engines/reduce.js';
import { isHadoopTask } from '../engines/task.js';
import { sharedSettings } from '../engines/taskdetector.js';
import { OutputClosed, STANDARD_OUTPUT } from '../io/sink.js';
import { STANDARD_STREAM } from '../io/system/paths.js';
import { isApproximate, taskOptions } from '../options/engines.js';
import type { JobName, OptionRow } from '../options/row.js';
import type { PlannedOptions } from '../plan/auto.js';
import { flagFor, flagRows, type GivenValues, givenOptions, givenValues } from './options.js';
import { writeMessage } from './streams.js';

const AFTER_HELP = `
The flags of the detector, of records and --emit are those of firstseen. All tasks must have the same ones.`;

const shown: readonly OptionRow[] = taskOptions;

/** Adds the flags of a task. The help of firstseen describes those that a run has too. */
function addTaskFlags(command: Command, job: JobName): void {
  for (const row of flagRows(job)) {
    const flag = flagFor(row, job);
    command.addOption(shown.includes(row) ? flag : flag.hideHelp());
  }
}

/** The options of a task, which take no witness: it would need the whole stream. */
function taskOptionsOf(command: Command, job: JobName): GivenValues & { detector: PlannedOptions } {
  const { run, own } = givenOptions(command, job);
  return { ...run, detector: { ...own, witness: false } };
}

/** Tells Hadoop the counts of a task, which it adds up over all tasks. */
function countForHadoop(phase: string, counts: Readonly<Record<string, number>>): void {
  if (!isHadoopTask(process.env)) return;
  for (const [name, count] of Object.entries(counts)) {
    writeMessage(`reporter:counter:firstseen,${phase} ${name},${count}`);
  }
}

/** Runs a task. An engine that closes the output before its end has given the task up, so that is a failure. */
async function runTask<Counts>(task: () => Promise<Counts>): Promise<Counts> {
  try {
    return await task();
  } catch (cause) {
    if (!(cause instanceof OutputClosed)) throw cause;
    throw new FirstseenError('E_OUTPUT', `${STANDARD_OUTPUT} was closed before its end`, {
      remedy: 'see why its reader ended',
      cause,
    });
  }
}

export function addMapCommand(program: Command): void {
  const command = program
    .command('map')
    .description('write the records of a part of a stream as elements, for an engine such as Hadoop')
    .argument('[file]', 'input file, or - for standard input, the default')
    .addHelpText('after', AFTER_HELP);
  addTaskFlags(command, 'map');
  command.action(async (input: string = STANDARD_STREAM) => {
    const options: MapOptions = { ...taskOptionsOf(command, 'map'), input, environment: process.env };
    const { records, passed, dropped } = await runTask(() => runMap(options));
    countForHadoop('map', { records, passed, dropped });
  });
}

export function addCombineCommand(program: Command): void {
  const command = program
    .command('combine')
    .description('drop the repeats among the elements of one map task, which come in the order of their positions')
    .addHelpText('after', AFTER_HELP);
  addTaskFlags(command, 'combine');
  command.action(async () => {
    const { family, parameters } = sharedSettings(taskOptionsOf(command, 'combine').detector);
    if (!givenValues(command, [isApproximate]).isApproximate) checkCombinable(family);
    const { elements, dropped } = await runTask(() => runCombine(parameters.isTimed === true));
    countForHadoop('combine', { elements, dropped });
  });
}

export function addReduceCommand(program: Command): void {
  const command = program
    .command('reduce')
    .description(
      'write the first occurrences among the elements of partitions, which come in the order of their positions',
    )
    .addHelpText('after', AFTER_HELP);
  addTaskFlags(command, 'reduce');
  command.action(async () => {
    const { records, distinct, duplicates, passed } = await runTask(() => runReduce(taskOptionsOf(command, 'reduce')));
    countForHadoop('reduce', { elements: records, distinct, duplicates, passed });
  });
}
