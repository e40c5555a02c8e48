// `firstseen motifs`: groups records of one length into sets of similar records.

import { type Command, Option } from 'commander';
import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import { outputPath, STANDARD_STREAM } from '../io/system/paths.js';
import { type MotifFormat, motifFormats } from '../jobs/motifs/records.js';
import {
  type MotifEmission,
  type MotifRunOptions,
  type MotifRunStats,
  motifDefaults,
  motifEmissions,
} from '../jobs/motifs/run.js';
import { jobs } from '../jobs/registry.js';
import { type MotifOpening, motifOpenings } from '../near/motifsettings.js';
import type { Threads } from '../run/threads.js';
import { choiceOption, numberOption, parseSeed, threadsFlag } from './flags.js';
import { motifStatsData, motifStatsText } from './motifsummary.js';
import { followFlags, type Report, type ReportFlags, reportFlags, reportTo } from './report.js';
import { Interrupted, stopListener } from './signals.js';
import { writeOutput } from './streams.js';

interface MotifFlags extends ReportFlags {
  recordBytes?: number;
  format: MotifFormat;
  sets?: number;
  hashes?: number;
  addressBits?: number;
  threshold?: number;
  opening?: MotifOpening;
  seed?: bigint;
  batchRecords?: number;
  threads?: Threads;
  labels?: string;
  emit: MotifEmission;
  output?: string;
}

function options(): Option[] {
  return [
    numberOption('-b, --record-bytes <n>', 'length of every record in bytes; required'),
    choiceOption('-f, --format <name>', 'records as they are, or one line of digits per record', motifFormats).default(
      motifDefaults.format,
      motifDefaults.format,
    ),
    numberOption('--sets <n>', 'maximum number of sets, 1 to 15; with 1, votes show redundant records (default: 4)'),
    numberOption('--hashes <n>', 'number of hash functions (k), 1 to 255 (default: 32)'),
    numberOption('--address-bits <n>', "bits that a hash function reads (l'), 1 to 30 (default: 20)"),
    numberOption('--threshold <n>', 'votes that a record requires (t) (default: half of the hashes)'),
    choiceOption('--opening <rule>', 'when a record with too few votes opens a set', motifOpenings),
    new Option('--seed <number>', 'seed of all randomness, 0 to 2^64 - 1 (default: 0)').argParser(parseSeed),
    numberOption(
      '--batch-records <n>',
      'records of a batch, within which exact repeats are found first (default: 4096)',
    ),
    threadsFlag('the files have 500,000 records or more with 32 hashes'),
    new Option('--labels <file>', 'file of known labels, one line per record, for the error rates'),
    choiceOption('--emit <what>', 'what to write to the output', motifEmissions).default(
      motifDefaults.emit,
      motifDefaults.emit,
    ),
    new Option('-o, --output <file>', 'write assignments or records to a file instead of standard output'),
    ...reportFlags(),
  ];
}

/** @throws FirstseenError E_USAGE when the length of a record is missing, or a flag has no effect. */
function runOptions(files: readonly string[], flags: MotifFlags): MotifRunOptions {
  const { recordBytes, format, emit, labels, threads, stats, statsTo } = flags;
  const { sets, hashes, addressBits, threshold, opening, seed, batchRecords } = flags;
  if (recordBytes === undefined) {
    throw new FirstseenError('E_USAGE', '--record-bytes is missing', {
      remedy: 'give the length of every record in bytes',
    });
  }
  const output = outputPath(flags.output);
  if (emit === 'summary' && output !== undefined) {
    throw new FirstseenError('E_USAGE', '--output has no effect with --emit summary', {
      remedy: 'give another --emit, or leave --output out',
    });
  }
  if (labels !== undefined && emit !== 'summary' && stats === undefined && statsTo === undefined) {
    throw new FirstseenError('E_USAGE', `--labels has no effect with --emit ${emit} and without --stats`, {
      remedy: 'give --stats, or leave --labels out',
    });
  }
  return {
    inputs: files.length > 0 ? files : [STANDARD_STREAM],
    format,
    emit,
    motifs: { recordBytes, ...defined({ sets, hashes, addressBits, threshold, opening, seed, batchRecords }) },
    ...defined({ labels, output, threads }),
  };
}

async function runAndReportMotifs(files: readonly string[], flags: MotifFlags, report: Report): Promise<void> {
  const stop = stopListener();
  const summarize = (stats: MotifRunStats): void =>
    report.summarize({ text: () => motifStatsText(stats), data: () => motifStatsData(stats) });
  try {
    const options = runOptions(files, flags);
    reportTo(report, flags.statsTo, [...options.inputs, options.output, options.labels]);
    stop.listen();
    const onWarning = (warning: FirstseenError) => report.warn(warning);
    const stats = await jobs.motifs.run({ ...options, signal: stop.signal, onWarning, onFailure: summarize });
    if (flags.emit === 'summary') await writeOutput(`${motifStatsText(stats)}\n`);
    summarize(stats);
    const signal = stop.received();
    if (stats.interrupted && signal !== undefined) {
      throw new Interrupted(signal, `after ${formatCounted(stats.records, 'record')}`);
    }
  } finally {
    stop.close();
  }
}

export function addMotifsCommand(program: Command, report: Report): void {
  const command = program
    .command('motifs')
    .description('group records of one length into sets of records that differ in few bits')
    .argument('[files...]', 'input files in order, or - for standard input, the default');
  for (const option of options()) command.addOption(option);
  command.action(async (files: string[], flags: MotifFlags) => {
    followFlags(report, flags);
    await runAndReportMotifs(files, flags, report);
  });
}
