// The commands that run a job over inputs, one for each row of the registry that has one: their flags, and the run that the flags
// describe, with its progress bar, its summary, and its end after a signal.

import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import type { FirstseenError } from '../base/errors.js';
import { isAllOrNothing } from '../io/formats.js';
import { requestOf } from '../io/sources.js';
import { outputPath, STANDARD_STREAM } from '../io/system/paths.js';
import { standardStreams } from '../io/system/standardstreams.js';
import { jobs } from '../jobs/jobs.js';
import type { CommandJob } from '../options/commands.js';
import { type ValuesOf, valuesOf } from '../options/filled.js';
import { motifEmit } from '../options/motifs.js';
import { filesFrom, isZeroTerminated } from '../options/records.js';
import { optionsOf } from '../options/rows.js';
import { progress as progressRow, summaryOptions } from '../options/run.js';
import { checkApart, checkStandardOutput, filesWritten } from '../run/names.js';
import type { RunProgress, SharedOptions } from '../run/runoptions.js';
import type { RunStats } from '../run/stats.js';
import { listedFiles } from './filelist.js';
import { motifStatsData, motifStatsText } from './motifsummary.js';
import { addFlags, filesGiven, givenOptions, givenValues } from './options.js';
import { openProgress, showsProgress } from './progress.js';
import { checkReports, followFlags, type Report, type Summary } from './report.js';
import { checkGiven } from './rules.js';
import { RunPage } from './runpage.js';
import { endSoon, Interrupted, onStatsSignal, stopListener } from './signals.js';
import { writeOutput } from './streams.js';
import { type AnyRunStats, statsData, summaryText } from './summary.js';

/** The part that the summaries of all jobs have. */
type AnyStats = Pick<RunStats, 'records' | 'interrupted'> & { notices?: readonly string[]; idle?: boolean };

/** A job as the command runs it: the options of each are those of its rows. */
interface CommandRun {
  readonly run: (options: object) => Promise<AnyStats>;
  readonly text: (stats: AnyStats) => string;
  readonly data: (stats: AnyStats) => object;
  /** Tells if the output receives the summary instead of records. */
  readonly writesSummary?: (options: CommandOptions) => boolean;
}

type CommandOptions = Pick<SharedOptions, 'inputs' | 'output' | 'duplicatesTo' | 'state' | 'isReadOnly'> & {
  emit?: unknown;
};

/** Joins the run of a job with the texts of its summary; the compiler checks that they are of one kind. */
function commandRun<Options extends object, Stats extends AnyStats>(
  run: (options: Options) => Promise<Stats>,
  text: (stats: Stats) => string,
  data: (stats: Stats) => object,
): CommandRun {
  return { run, text, data } as unknown as CommandRun;
}

const runs: Readonly<Record<CommandJob, CommandRun>> = {
  exact: commandRun(jobs.exact.run, summaryText, statsData),
  near: commandRun(jobs.near.run, summaryText, statsData),
  passages: commandRun(jobs.passages.run, summaryText, statsData),
  motifs: {
    ...commandRun(jobs.motifs.run, motifStatsText, motifStatsData),
    writesSummary: ({ emit = motifEmit.default }) => emit === 'summary',
  },
};

/** The options that are of the command, and not of a run. */
const ownRows = [...summaryOptions, progressRow, filesFrom, isZeroTerminated] as const;

type OwnValues = ValuesOf<(typeof ownRows)[number]>;

/** @throws FirstseenError E_USAGE when the list of the inputs would be written. */
function checkList(list: string | undefined, options: CommandOptions): void {
  if (list === undefined) return;
  const file = requestOf(list);
  checkApart([[file, 'the list of the inputs']], filesWritten(options));
  if (options.output === undefined) checkStandardOutput([file]);
}

/** The inputs that a command line names: as arguments, in a list, or else standard input. */
async function inputsGiven(list: string | undefined, files: readonly string[]): Promise<readonly string[]> {
  if (list !== undefined) return listedFiles(list, files);
  return files.length > 0 ? files : [STANDARD_STREAM];
}

/** The options that the files and flags of a command line describe. */
async function optionsGiven(
  command: Command,
  job: CommandJob,
  files: readonly string[],
  { filesFrom: list, isZeroTerminated: hasZeros }: OwnValues,
): Promise<CommandOptions> {
  const { run, own: jobOptions } = givenOptions(command, job);
  const { output, ...otherOptions } = run;
  const path = outputPath(output as string | undefined);
  return {
    inputs: await inputsGiven(list, files),
    // Elsewhere, paths that end with a zero byte are an option of the job.
    ...(job === 'exact' && hasZeros ? { format: 'nul' } : {}),
    ...otherOptions,
    ...(path === undefined ? {} : { output: path }),
    [jobs[job].command.own]: jobOptions,
  };
}

function continueHint({ state, isReadOnly, output, duplicatesTo }: CommandOptions): string {
  const unwritten = [output, duplicatesTo].filter((path) => path !== undefined && isAllOrNothing({ path }));
  if (unwritten.length > 0) return `; ${unwritten.join(' and ')} not written: run the same command again`;
  return state === undefined || isReadOnly ? '' : '; run the same command again to continue';
}

interface Listeners {
  onProgress?: (progress: RunProgress) => void;
}

function isTerminal(stream: Writable & { isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}

async function runWithProgress<Stats>(
  run: (listeners: Listeners) => Promise<Stats>,
  { isWanted, hasOutputFile }: { isWanted: boolean; hasOutputFile: boolean },
): Promise<Stats> {
  const { error, output } = standardStreams();
  const terminals = {
    ...{ isWanted, hasOutputFile },
    isDumb: process.env.TERM === 'dumb',
    isErrorTerminal: isTerminal(error),
    isOutputTerminal: isTerminal(output),
  };
  if (!showsProgress(terminals)) return run({});
  const bar = await openProgress();
  try {
    return await run({ onProgress: bar.update });
  } finally {
    bar.stop();
  }
}

/** The command of a job, without its options. */
function commandName(job: CommandJob): string {
  const { name } = jobs[job].command;
  return name === undefined ? 'firstseen' : `firstseen ${name}`;
}

/** Runs to the end of the inputs or until a signal, and hands the summary to the report. */
async function runAndReport(
  command: Command,
  job: CommandJob,
  files: readonly string[],
  { values, report }: { values: OwnValues; report: Report },
) {
  const { progress, statsTo, report: pagePath, filesFrom: list } = values;
  const { run, text, data, writesSummary } = runs[job];
  const takes = new Set(optionsOf(job).map(({ name }) => name));
  const stop = stopListener();
  let stopReporting = () => {};
  const summaryOf = (stats: AnyStats): Summary => ({
    ...{ text: () => text(stats), data: () => data(stats) },
    notices: stats.notices ?? [],
    isIdle: stats.idle ?? false,
  });
  const page = pagePath === undefined ? undefined : new RunPage(commandName(job));
  const summarize = (stats: AnyStats): void => {
    if (page) page.stats = stats as AnyRunStats;
    report.summarize(summaryOf(stats));
  };
  const onReady = (statsSoFar: () => RunStats): void => {
    stop.listen();
    stopReporting = onStatsSignal(() => report.tellSoFar(summaryOf(statsSoFar())));
  };
  try {
    const options = await optionsGiven(command, job, files, values);
    const usedFiles = [...options.inputs, list, ...filesGiven(command, job), ...filesWritten(options)];
    checkReports(defined({ statsTo, report: pagePath }), usedFiles);
    if (statsTo !== undefined) report.writeTo(statsTo);
    if (page) report.writePageTo(pagePath as string, (messages) => page.html(messages));
    checkList(list, options);
    if (!takes.has('onReady')) stop.listen();
    const listeners = {
      signal: stop.signal,
      ...(takes.has('onReady') ? { onReady } : {}),
      ...(page ? { onReview: page.onReview } : {}),
      onWarning: (warning: FirstseenError) => report.warn(warning),
      onFailure: summarize,
    };
    const stats = await runWithProgress((more) => run({ ...options, ...listeners, ...more }), {
      isWanted: takes.has('onProgress') && progress,
      hasOutputFile: options.output !== undefined,
    });
    if (writesSummary?.(options)) await writeOutput(`${text(stats)}\n`);
    summarize(stats);
    const signal = stop.received();
    if (stats.interrupted && signal !== undefined) {
      const hint = takes.has('state') ? continueHint(options) : '';
      throw new Interrupted(signal, `after ${formatCounted(stats.records, 'record')}${hint}`);
    }
  } finally {
    stopReporting();
    stop.close();
    const signal = stop.received();
    if (signal !== undefined) report.afterwards(() => endSoon(signal));
  }
}

/** Adds the command of a job: a subcommand, or what the program does without one. */
function addJobCommand(program: Command, job: CommandJob, report: Report): void {
  const { name, description, files, examples, headings } = jobs[job].command;
  const command = name === undefined ? program : program.command(name);
  if (description !== undefined) command.description(description);
  command.argument('[files...]', files);
  if (examples) command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  addFlags(command, job, headings);
  command.action(async (inputs: string[]) => {
    const values = valuesOf(ownRows, givenValues(command, ownRows));
    followFlags(report, values);
    checkGiven(command, job);
    await runAndReport(command, job, inputs, { values, report });
  });
}

const commandJobs = Object.keys(runs) as CommandJob[];

/** Makes the job without a name what the program does without a subcommand. */
export function addMainCommand(program: Command, report: Report): void {
  for (const job of commandJobs) {
    if (jobs[job].command.name === undefined) addJobCommand(program, job, report);
  }
}

/** Adds the subcommands of the other jobs, in the order of the registry. */
export function addJobCommands(program: Command, report: Report): void {
  const inOrder = Object.keys(jobs).filter((name): name is CommandJob => name in runs);
  for (const job of inOrder) {
    if (jobs[job].command.name !== undefined) addJobCommand(program, job, report);
  }
}
