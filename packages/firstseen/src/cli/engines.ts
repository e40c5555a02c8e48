// `firstseen map`, `combine` and `reduce`: the tasks of an engine that runs many of them side by side. They talk on standard streams.

import { type Command, Option } from 'commander';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import { checkCombinable, runCombine } from '../engines/combine.js';
import { runMap } from '../engines/map.js';
import { runReduce } from '../engines/reduce.js';
import { sharedSettings } from '../engines/settings.js';
import { isHadoopTask } from '../engines/task.js';
import type { Emission } from '../io/policies.js';
import { OutputClosed, STANDARD_OUTPUT } from '../io/sink.js';
import { STANDARD_STREAM } from '../io/system/paths.js';
import { jobs } from '../jobs/registry.js';
import type { ErrorPolicy, MissingKeyPolicy } from '../records/policies.js';
import { runDefaults } from '../run/options.js';
import { type DedupFlags, detectorFlags, detectorOptions, keyFlags } from './dedup.js';
import { outputFlags, recordFlags } from './run.js';
import { writeMessage } from './streams.js';

/** Flags of a detector that need its whole stream, or one secret for all tasks. */
const wholeStreamFlags: readonly unknown[] = ['--keyed', '--spill', '--on-overload'];

/** Flags that decide the family, and so whether repeats may be dropped. */
const familyFlags: readonly unknown[] = ['--algorithm', '--window', '--window-slack', '--refresh'];

/** Flags of records that apply to a part of a stream. */
const partFlags: readonly unknown[] = [
  ...['--no-header', '--missing-key', '--on-error', '--max-record', '--strict', '--max-lead'],
];

/** Flags of records that say where their times are. */
const timeFlags: readonly unknown[] = ['--time-key', '--time-format', '--time-zone'];

interface EngineFlags extends DedupFlags {
  timeKey?: string;
  timeFormat?: string;
  timeZone?: string;
  maxLead: number;
  inputOrder?: string;
  header: boolean;
  missingKey: MissingKeyPolicy;
  onError: ErrorPolicy;
  keepPosition?: boolean;
  emit: Emission;
  states?: string;
  statesTo?: string;
  approximate?: boolean;
}

const AFTER_HELP = `
The flags of the detector, of records and --emit are those of firstseen. All tasks must have the same ones.`;

/** Flags that the help of firstseen describes. */
function hidden(flags: readonly Option[]): Option[] {
  return flags.map((flag) => flag.hideHelp());
}

/** What all tasks share: the detector, the keys and the times. */
function sharedFlags(): Option[] {
  const detector = detectorFlags().filter(({ long }) => !wholeStreamFlags.includes(long));
  return hidden([...detector, ...keyFlags(), ...recordFlags().filter(({ long }) => timeFlags.includes(long))]);
}

function addOptions(command: Command, options: readonly Option[]): void {
  for (const option of options) command.addOption(option);
}

/** The detector that all tasks share. */
function detectorOf(flags: EngineFlags) {
  return detectorOptions({ ...flags, witness: false });
}

/** The keys and the times that all tasks share. */
function keyOptions({ key: keys, format, emptyKey, nullKey, shard, secretFile, ...flags }: EngineFlags) {
  const { timeKey, timeFormat, timeZone } = flags;
  return { keys, ...defined({ format, emptyKey, nullKey, shard, secretFile, timeKey, timeFormat, timeZone }) };
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
  addOptions(command, [
    ...sharedFlags(),
    ...hidden(recordFlags().filter(({ long }) => partFlags.includes(long))),
    new Option('--input-order <file>', 'a file that lists all inputs in their order, one path a line'),
  ]);
  command.action(async (input: string = STANDARD_STREAM, flags: EngineFlags) => {
    const { inputOrder, header: hasHeader, missingKey, onError, maxRecord, strict } = flags;
    const options = {
      ...{ input, environment: process.env, detector: detectorOf(flags), hasHeader, missingKey, onError },
      ...{ maxRecordBytes: maxRecord, isStrict: strict ?? runDefaults.isStrict, maxLeadSeconds: flags.maxLead },
      ...keyOptions(flags),
      ...defined({ inputOrder }),
    };
    const { records, passed, dropped } = await runTask(() => runMap(options));
    countForHadoop('map', { records, passed, dropped });
  });
}

export function addCombineCommand(program: Command): void {
  const command = program
    .command('combine')
    .description('drop the repeats among the elements of one map task, which come in the order of their positions')
    .addHelpText('after', AFTER_HELP);
  addOptions(command, [
    ...hidden(detectorFlags().filter(({ long }) => familyFlags.includes(long))),
    new Option('--approximate', 'also with an algorithm that gives other answers without the repeats'),
  ]);
  command.action(async (flags: EngineFlags) => {
    const { family, parameters } = sharedSettings(detectorOf(flags));
    if (!flags.approximate) checkCombinable(family);
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
  addOptions(command, [
    ...sharedFlags(),
    ...hidden(outputFlags(jobs.exact.emissions).filter(({ long }) => long === '--emit')),
    new Option('--keep-position', 'write the position and a tab before each record'),
    new Option('--states <folder>', 'folder of the states of the partitions; they stay as they are'),
    new Option('--states-to <folder>', 'folder for the states of the partitions after this task'),
  ]);
  command.action(async (flags: EngineFlags) => {
    const { emit, keepPosition: keepsPosition, states, statesTo } = flags;
    const options = { detector: detectorOf(flags), emit, ...keyOptions(flags) };
    const counts = await runTask(() => runReduce({ ...options, ...defined({ keepsPosition, states, statesTo }) }));
    const { records, distinct, duplicates, passed } = counts;
    countForHadoop('reduce', { elements: records, distinct, duplicates, passed });
  });
}
