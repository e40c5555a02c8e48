// `firstseen [FILES...]`: its flags, and the run they ask for.

import { type Command, Option } from 'commander';
import type { Emission, ErrorPolicy, MissingKeyPolicy, RunOptions, RunStats } from '../dedup/options.js';
import { DEFAULT_MAX_LEAD_SECONDS, STANDARD_STREAM } from '../dedup/options.js';
import { runFiles } from '../dedup/run.js';
import { type LayoutName, layoutNames, type ParameterValue } from '../detectors/contract.js';
import { FirstseenError } from '../errors.js';
import { type FingerprintName, fingerprintNames } from '../fingerprint/fingerprint.js';
import { RANDOM_SECRET } from '../fingerprint/secret.js';
import { parseBytes } from '../memory.js';
import { algorithmNames, defaultAlgorithm, type PlannedOptions } from '../plan/auto.js';
import { type FormatName, formatNames } from '../records/formats.js';
import {
  addParameter,
  parseChoice,
  parseDuration,
  parseGaps,
  parseNumber,
  parseSeed,
  refuseFlagsWithout,
} from './flags.js';
import { expectationFlags } from './plan.js';
import { openProgress, showsProgress } from './progress.js';
import { Interrupted, stopListener } from './signals.js';
import { writeMessage } from './streams.js';
import { formatStats, type StatsFormat, statsFormats } from './summary.js';
import { formatCount } from './text.js';

const emissions: readonly Emission[] = ['distinct', 'duplicates', 'verdicts'];
const missingKeyPolicies: readonly MissingKeyPolicy[] = ['distinct', 'drop', 'fail'];
const errorPolicies: readonly ErrorPolicy[] = ['fail', 'pass', 'drop'];

/** The flags as the parser leaves them. */
export interface DedupFlags {
  memory?: string;
  algorithm?: string;
  fpr?: number;
  param?: Record<string, ParameterValue>;
  layout?: LayoutName;
  seed?: bigint;
  fingerprint?: FingerprintName;
  keyed?: boolean;
  secretFile?: string;
  gaps?: number[];
  window?: string;
  refresh?: boolean;
  timeKey?: string;
  maxLead: number;
  expectDistinct?: number;
  expectLength?: number;
  format?: FormatName;
  key: string[];
  header: boolean;
  missingKey: MissingKeyPolicy;
  emit: Emission;
  duplicatesTo?: string;
  output?: string;
  state?: string;
  checkpoint: number;
  newRun?: boolean;
  onError: ErrorPolicy;
  maxRecord: number;
  strict?: boolean;
  compress?: boolean;
  stats?: StatsFormat;
  witness: boolean;
  witnessMemory?: string;
  progress: boolean;
}

/** An option whose value is one of a list of words, which its help shows. */
function choiceOption(flags: string, description: string, words: readonly string[]): Option {
  const option = new Option(flags, `${description}: ${words.join(', ')}`);
  return option.argParser((text) => parseChoice(text, option.long ?? flags, words));
}

function detectorFlags(): Option[] {
  return [
    new Option('-m, --memory <size>', 'memory of the detector: bytes, or KiB, MiB, GiB (default: 64MiB)'),
    new Option('-a, --algorithm <name>', `${algorithmNames.join(', ')} (default: ${defaultAlgorithm})`),
    new Option('--fpr <rate>', 'target rate of false positives').argParser((text) => parseNumber(text, '--fpr')),
    new Option('--param <name=value>', "a parameter by its paper's letter, such as K=2; repeatable").argParser(
      addParameter,
    ),
    choiceOption('--layout <name>', "where an element's cells lie", layoutNames),
    new Option('--seed <number>', 'seed of everything random, 0 to 2^64 - 1 (default: 0)').argParser(parseSeed),
    choiceOption('--fingerprint <name>', 'how a key becomes 64 bits', fingerprintNames),
    new Option('--keyed', 'hash under a random secret, so that nobody can craft input to fool the detector'),
    new Option('--secret-file <file>', 'hash under the secret in a file: 32 hexadecimal digits'),
    new Option('--gaps <n,...>', 'gaps between duplicates in elements, from which auto and sbf choose').argParser(
      parseGaps,
    ),
    new Option(
      '--window <size>',
      'how far back repeats are surely found: a number of elements, or a duration such as 90s, 30m, 1h, 1d',
    ),
    new Option('--refresh', 'begin the window anew at every repeat, not only at what is reported distinct'),
    ...expectationFlags(),
  ];
}

function recordFlags(): Option[] {
  return [
    choiceOption('-f, --format <name>', "format of the records, guessed from the file's ending", formatNames),
    new Option('-k, --key <key>', 'what decides identity: a path in JSON, a column in CSV; repeatable')
      .argParser((text, before: string[]) => [...before, text])
      .default([], 'the whole record'),
    new Option(
      '--time-key <key>',
      'where a record tells its time, for a window in time: a path in JSON, a column in CSV (default: when it arrives)',
    ),
    new Option('--max-lead <duration>', 'how far ahead of the clock the time of a record may be')
      .argParser((text) => parseDuration(text, '--max-lead'))
      .default(DEFAULT_MAX_LEAD_SECONDS, '1h'),
    new Option('--no-header', 'csv and tsv begin with a record, not with a header'),
    choiceOption('--missing-key <policy>', 'what becomes of a record without the key', missingKeyPolicies).default(
      'fail',
      'fail',
    ),
    choiceOption('--on-error <policy>', 'what becomes of an invalid or over-long record', errorPolicies).default(
      'fail',
      'fail',
    ),
    new Option('--max-record <size>', 'longest record allowed')
      .argParser((text) => parseBytes(text, '--max-record'))
      .default(parseBytes('16MiB'), '16MiB'),
    new Option('--strict', 'parse every record in full, not only as far as its key'),
  ];
}

function outputFlags(): Option[] {
  return [
    choiceOption('--emit <what>', 'what the output receives', emissions).default('distinct', 'distinct'),
    new Option('-o, --output <file>', 'write to a file instead of standard output'),
    new Option('--duplicates-to <file>', 'write the records reported duplicate to a second file'),
    new Option('--compress', 'compress the outputs with gzip, as names that end in .gz are in any case'),
  ];
}

function stateFlags(): Option[] {
  return [
    new Option('--state <file>', 'keep the detector, and the place reached in the input, over runs'),
    new Option('--checkpoint <duration>', 'how often the state is saved')
      .argParser((text) => parseDuration(text, '--checkpoint'))
      .default(30, '30s'),
    new Option('--new-run', 'keep the detector of the state, but leave its unfinished run behind'),
  ];
}

function reportFlags(): Option[] {
  return [
    choiceOption('--stats [format]', 'print a summary to standard error', statsFormats),
    new Option('--no-witness', 'measure no error rates'),
    new Option('--witness-memory <size>', 'memory of the witness, which measures the error rates (default: 1MiB)'),
    new Option('--no-progress', 'show no progress bar'),
  ];
}

/** A copy without the members that are undefined. */
function defined<Values extends object>(values: Values): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined>;
  };
}

/** @throws FirstseenError E_USAGE when the witness is given memory and left out. */
function witnessAsked({ witness, witnessMemory: memory }: DedupFlags): boolean | { memory: string } {
  if (memory === undefined) return witness;
  if (witness) return { memory };
  throw new FirstseenError('E_USAGE', '--witness-memory was given beside --no-witness; give the one or the other');
}

function detectorOptions(flags: DedupFlags): PlannedOptions {
  const { algorithm, memory, layout, fpr, seed, fingerprint, window, refresh } = flags;
  const { param: parameters, gaps: gapsElements } = flags;
  const { expectDistinct: distinctElements, expectLength: lengthElements } = flags;
  const secret = flags.keyed ? RANDOM_SECRET : undefined;
  const witness = witnessAsked(flags);
  return defined({
    ...{ algorithm, memory, layout, fpr, seed, fingerprint, secret, parameters, gapsElements, window, refresh },
    ...{ distinctElements, lengthElements, witness },
  });
}

/** The run that files and flags ask for. */
export function runOptions(files: readonly string[], flags: DedupFlags): RunOptions {
  const { format, duplicatesTo, state, secretFile, timeKey } = flags;
  const output = flags.output === STANDARD_STREAM ? undefined : flags.output;
  return {
    inputs: files.length > 0 ? files : [STANDARD_STREAM],
    keys: flags.key,
    hasHeader: flags.header,
    maxLeadSeconds: flags.maxLead,
    missingKey: flags.missingKey,
    onError: flags.onError,
    isStrict: flags.strict ?? false,
    maxRecordBytes: flags.maxRecord,
    detector: detectorOptions(flags),
    emit: flags.emit,
    isCompressed: flags.compress ?? false,
    checkpointSeconds: flags.checkpoint,
    isNewRun: flags.newRun ?? false,
    ...defined({ format, output, duplicatesTo, state, secretFile, timeKey }),
  };
}

function whereToGoOn(flags: DedupFlags): string {
  return flags.state === undefined ? '' : '; start the same command again to go on';
}

async function runWithProgress(options: RunOptions, flags: DedupFlags): Promise<RunStats> {
  const place = {
    isWanted: flags.progress,
    isErrorTerminal: process.stderr.isTTY === true,
    isOutputTerminal: process.stdout.isTTY === true,
    hasOutputFile: options.output !== undefined,
  };
  if (!showsProgress(place)) return runFiles(options);
  const bar = await openProgress();
  try {
    return await runFiles({ ...options, onProgress: bar.update });
  } finally {
    bar.stop();
  }
}

async function dedup(files: readonly string[], flags: DedupFlags): Promise<void> {
  const stop = stopListener();
  try {
    const heard = { signal: stop.signal, onReady: stop.listen };
    const stats = await runWithProgress({ ...runOptions(files, flags), ...heard }, flags);
    if (flags.stats !== undefined) writeMessage(formatStats(stats, flags.stats));
    const signal = stop.received();
    if (stats.interrupted && signal !== undefined) {
      throw new Interrupted(signal, `after ${formatCount(stats.records)} records${whereToGoOn(flags)}`);
    }
  } finally {
    stop.close();
  }
}

/** Makes deduplication what the program does without a subcommand. */
export function addDedupCommand(program: Command): void {
  program.argument('[files...]', 'inputs, in order; standard input when there are none, or for -');
  const groups: readonly [string, Option[]][] = [
    ['Detector:', detectorFlags()],
    ['Records:', recordFlags()],
    ['Output:', outputFlags()],
    ['State:', stateFlags()],
    ['Report:', reportFlags()],
  ];
  for (const [heading, options] of groups) {
    for (const option of options) program.addOption(option.helpGroup(heading));
  }
  program.action(async (files: string[], flags: DedupFlags) => {
    refuseFlagsWithout(program, 'state', ['checkpoint', 'newRun']);
    refuseFlagsWithout(program, 'timeKey', ['maxLead']);
    await dedup(files, flags);
  });
}
