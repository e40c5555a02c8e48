// Shared by the commands that run over inputs: the flags of records, outputs, state and report, and the run with its progress bar,
// its summary, and its end after a signal.

import { type Command, Option } from 'commander';
import { checkBytes } from '../base/check.js';
import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { formatDuration } from '../base/duration.js';
import type { FirstseenError } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import type { LayoutName, ParameterValue } from '../detectors/contract.js';
import { checkWindow } from '../detectors/settings.js';
import { isAllOrNothing } from '../io/formats.js';
import { type Emission, type PartialPolicy, partialPolicies } from '../io/policies.js';
import { outputPath, STANDARD_STREAM } from '../io/system/paths.js';
import { type AlgorithmName, AUTO } from '../plan/auto.js';
import { type ErrorPolicy, errorPolicies, type MissingKeyPolicy, missingKeyPolicies } from '../records/policies.js';
import { timeFormatNames } from '../records/timeformat.js';
import { runDefaults, type SharedOptions } from '../run/options.js';
import type { RunStats } from '../run/stats.js';
import { checkFlagRules, choiceOption, type FlagRule, parseDuration } from './flags.js';
import { openProgress, showsProgress } from './progress.js';
import { type Report, type ReportFlags, reportTo, type Summary } from './report.js';
import { Interrupted, onStatsSignal, stopListener } from './signals.js';
import { statsData, summaryText } from './summary.js';

/** Flags of the detector that deduplication and near-duplicates have in common. */
export interface DetectorFlags {
  memory?: string;
  algorithm?: AlgorithmName;
  fpr?: number;
  param?: Record<string, ParameterValue>;
  layout?: LayoutName;
  seed?: bigint;
  window?: string;
  windowSlack?: number;
  refresh?: boolean;
  expectDistinct?: number;
}

/** The shared flags as the parser leaves them. */
export interface SharedFlags extends ReportFlags {
  keyed?: boolean;
  secretFile?: string;
  timeKey?: string;
  timeFormat?: string;
  timeZone?: string;
  maxLead: number;
  resetClock?: boolean;
  header: boolean;
  missingKey: MissingKeyPolicy;
  emit: Emission;
  annotate?: string;
  duplicatesTo?: string;
  output?: string;
  state?: string;
  checkpoint: number;
  newRun?: boolean;
  readOnly?: boolean;
  follow?: boolean;
  partial?: PartialPolicy;
  onError: ErrorPolicy;
  maxRecord: number;
  strict?: boolean;
  compress?: boolean;
  progress: boolean;
}

export function secretFlags(): Option[] {
  return [
    new Option('--keyed', 'hash with a random secret, so that nobody can craft input that fools the detector'),
    new Option('--secret-file <file>', 'hash with the secret in a file: 32 hexadecimal digits'),
  ];
}

export function recordFlags(): Option[] {
  return [
    new Option(
      '--time-key <key>',
      'time of a record, for a window that is a duration: a path in JSON, a column in CSV (default: time of arrival)',
    ),
    new Option(
      '--time-format <format>',
      `${timeFormatNames.join(', ')}, or a pattern such as %d.%m.%Y %H:%M (default: auto)`,
    ),
    new Option('--time-zone <zone>', 'zone of times that name none: an offset or a name (default: UTC)'),
    new Option('--max-lead <duration>', 'how far the time of a record or of a saved window may be ahead of the clock')
      .argParser((text) => parseDuration(text, '--max-lead'))
      .default(runDefaults.maxLeadSeconds, formatDuration(runDefaults.maxLeadSeconds)),
    new Option('--no-header', 'csv and tsv start with a record, not with a header'),
    choiceOption('--missing-key <policy>', 'what to do with a record without the key', missingKeyPolicies).default(
      runDefaults.missingKey,
      runDefaults.missingKey,
    ),
    choiceOption('--on-error <policy>', 'what to do with an invalid or over-long record', errorPolicies).default(
      runDefaults.onError,
      runDefaults.onError,
    ),
    new Option('--max-record <size>', 'longest record allowed')
      .argParser((text) => checkBytes('maxRecordBytes', text))
      .default(runDefaults.maxRecordBytes, formatBytes(runDefaults.maxRecordBytes)),
    new Option('--strict', 'validate whole records, not only up to the key'),
    new Option('--follow', 'read the last file on as it grows, also after log rotation, until a signal'),
  ];
}

export function outputFlags(emissions: readonly Emission[]): Option[] {
  return [
    choiceOption('--emit <what>', 'what to write to the output', emissions).default(runDefaults.emit, runDefaults.emit),
    new Option('--annotate <field>', 'with --emit all, add the verdict as this field'),
    new Option('-o, --output <file>', 'write to a file instead of standard output'),
    new Option('--duplicates-to <file>', 'also write the duplicates, to this file'),
    new Option('--compress', 'compress all outputs with gzip, not only names that end in .gz'),
  ];
}

export function stateFlags(): Option[] {
  return [
    new Option('--state <file>', 'save the detector and the position in the input, and continue from them'),
    new Option('--checkpoint <duration>', 'how often to save the state')
      .argParser((text) => parseDuration(text, '--checkpoint'))
      .default(runDefaults.checkpointSeconds, formatDuration(runDefaults.checkpointSeconds)),
    new Option('--reset-clock', 'set the time of a saved window that is too far ahead back to the clock'),
    new Option('--new-run', 'start a new run with the detector of the state, and overwrite the outputs'),
    new Option('--read-only', 'look records up in the state without adding them'),
    choiceOption('--partial <policy>', 'what to do with an unfinished last record of a file', partialPolicies),
  ];
}

export function progressFlag(): Option {
  return new Option('--no-progress', 'do not show a progress bar');
}

export function addGroups(command: Command, groups: readonly (readonly [string, readonly Option[]])[]): void {
  for (const [heading, options] of groups) {
    for (const option of options) command.addOption(option.helpGroup(heading));
  }
}

/** Families that answer exactly as long as fingerprints differ. */
const exactFamilies: readonly unknown[] = ['exact', 'exactwindow', 'buffer'];

/** Whether the answers of the algorithm meet any rate. */
export function isExactAlgorithm(algorithm: unknown): boolean {
  return exactFamilies.includes(algorithm);
}

/** A window that is a number of elements. */
function windowOfElements({ window }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof window !== 'string') return undefined;
  return 'elements' in checkWindow(window) ? `--window ${window}, which is a number of elements` : undefined;
}

const DURATION_REMEDY = 'give a duration such as 1h as --window';

/** With a state, the window may have been given to an earlier run. */
const sharedRules: readonly FlagRule[] = [
  { flags: ['checkpoint', 'newRun', 'resetClock', 'partial', 'readOnly'], requires: ['state'] },
  { flags: ['checkpoint', 'newRun'], excludes: ['readOnly'] },
  { flags: ['maxLead'], requires: ['timeKey', 'window', 'state'] },
  { flags: ['maxLead', 'resetClock'], idleWith: windowOfElements, remedy: DURATION_REMEDY },
  { flags: ['timeFormat', 'timeZone'], requires: ['timeKey'] },
];

/** @throws FirstseenError E_USAGE for a flag that has no effect, by the rules of all runs and those of the command. */
export function checkRunFlags(command: Command, rules: readonly FlagRule[]): void {
  checkFlagRules(command, [...sharedRules, ...rules]);
}

/** Flags that describe the stream have an effect only where they choose the algorithm. */
export function expectationRules(flags: readonly string[], defaultAlgorithm: string): readonly FlagRule[] {
  return [
    { flags, excludes: ['window', 'windowSlack', 'refresh'] },
    {
      flags,
      idleWith: ({ algorithm = defaultAlgorithm }) => (algorithm === AUTO ? undefined : `--algorithm ${algorithm}`),
      remedy: `give --algorithm ${AUTO}`,
    },
  ];
}

export function sharedOptions(files: readonly string[], flags: SharedFlags): SharedOptions {
  const { annotate, duplicatesTo, state, timeKey, timeFormat, timeZone, secretFile, partial } = flags;
  const output = outputPath(flags.output);
  return {
    inputs: files.length > 0 ? files : [STANDARD_STREAM],
    hasHeader: flags.header,
    maxLeadSeconds: flags.maxLead,
    isClockReset: flags.resetClock ?? runDefaults.isClockReset,
    missingKey: flags.missingKey,
    onError: flags.onError,
    isStrict: flags.strict ?? runDefaults.isStrict,
    maxRecordBytes: flags.maxRecord,
    emit: flags.emit,
    isCompressed: flags.compress ?? runDefaults.isCompressed,
    checkpointSeconds: flags.checkpoint,
    isNewRun: flags.newRun ?? runDefaults.isNewRun,
    isReadOnly: flags.readOnly ?? runDefaults.isReadOnly,
    isFollowing: flags.follow ?? runDefaults.isFollowing,
    ...defined({ annotate, output, duplicatesTo, state, timeKey, timeFormat, timeZone, secretFile, partial }),
  };
}

function continueHint({ state, readOnly, output, duplicatesTo }: SharedFlags): string {
  const unwritten = [output, duplicatesTo].filter((path) => path !== undefined && isAllOrNothing({ path }));
  if (unwritten.length > 0) return `; ${unwritten.join(' and ')} not written: run the same command again`;
  return state === undefined || readOnly ? '' : '; run the same command again to continue';
}

async function runWithProgress<Options extends SharedOptions, Stats>(
  run: (options: Options) => Promise<Stats>,
  options: Options,
  flags: SharedFlags,
): Promise<Stats> {
  const terminals = {
    isWanted: flags.progress,
    isDumb: process.env.TERM === 'dumb',
    isErrorTerminal: process.stderr.isTTY === true,
    isOutputTerminal: process.stdout.isTTY === true,
    hasOutputFile: options.output !== undefined,
  };
  if (!showsProgress(terminals)) return run(options);
  const bar = await openProgress();
  try {
    return await run({ ...options, onProgress: bar.update });
  } finally {
    bar.stop();
  }
}

export interface Reporting {
  flags: SharedFlags;
  report: Report;
}

/** Runs to the end of the inputs or until a signal, and hands the summary to the report. */
export async function runAndReport<
  Stats extends RunStats,
  Options extends SharedOptions & { onFailure?: ((stats: Stats) => void) | undefined },
>(run: (options: Options) => Promise<Stats>, options: Options, { flags, report }: Reporting): Promise<void> {
  const stop = stopListener();
  let stopReporting = () => {};
  const summaryOf = (stats: Stats | RunStats): Summary => ({
    text: () => summaryText(stats),
    data: () => statsData(stats),
    notices: stats.notices,
  });
  const summarize = (stats: Stats): void => report.summarize(summaryOf(stats));
  const onReady = (statsSoFar: () => RunStats): void => {
    stop.listen();
    stopReporting = onStatsSignal(() => report.tellSoFar(summaryOf(statsSoFar())));
  };
  try {
    const { inputs, output, duplicatesTo, state, secretFile } = options;
    reportTo(report, flags.statsTo, [...inputs, output, duplicatesTo, state, secretFile]);
    const listeners = {
      signal: stop.signal,
      onReady,
      onWarning: (warning: FirstseenError) => report.warn(warning),
      onFailure: summarize,
    };
    const stats = await runWithProgress(run, { ...options, ...listeners }, flags);
    summarize(stats);
    const signal = stop.received();
    if (stats.interrupted && signal !== undefined) {
      throw new Interrupted(signal, `after ${formatCounted(stats.records, 'record')}${continueHint(flags)}`);
    }
  } finally {
    stopReporting();
    stop.close();
  }
}
