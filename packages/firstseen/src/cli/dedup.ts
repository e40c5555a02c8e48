// `firstseen [FILES...]`: its flags, and the run that they describe.

import { type Command, Option } from 'commander';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import { layoutNames } from '../detectors/contract.js';
import { type FingerprintName, fingerprintNames } from '../fingerprint/fingerprint.js';
import { RANDOM_SECRET } from '../fingerprint/secret.js';
import { jobs } from '../jobs/registry.js';
import { AUTO, algorithmNames, defaultAlgorithm, type PlannedOptions } from '../plan/auto.js';
import { type OverloadPolicy, overloadPolicies } from '../plan/overload.js';
import { type InputFormatName, inputFormatNames } from '../records/formats.js';
import { type NullMeaning, nullMeanings } from '../records/nulls.js';
import { type EmptyKeyPolicy, emptyKeyPolicies } from '../records/policies.js';
import { type RunOptions, runDefaults } from '../run/options.js';
import type { Threads } from '../run/threads.js';
import {
  addParameter,
  choiceOption,
  type FlagRule,
  numberOption,
  parseGaps,
  parseSeed,
  partitionsFlag,
  repeatableOption,
  threadsFlag,
  windowSlackFlag,
} from './flags.js';
import { expectationFlags } from './plan.js';
import { followFlags, type Report, reportFlags } from './report.js';
import {
  addGroups,
  checkRunFlags,
  type DetectorFlags,
  expectationRules,
  isExactAlgorithm,
  outputFlags,
  progressFlag,
  recordFlags,
  runAndReport,
  type SharedFlags,
  secretFlags,
  sharedOptions,
  stateFlags,
} from './run.js';

/** The flags as the parser leaves them. */
export interface DedupFlags extends SharedFlags, DetectorFlags {
  fingerprint?: FingerprintName;
  gaps?: number[];
  expectLength?: number;
  onOverload: OverloadPolicy;
  format?: InputFormatName;
  emptyKey?: EmptyKeyPolicy;
  nullKey?: NullMeaning;
  key: string[];
  shard?: string;
  witness: boolean;
  witnessMemory?: string;
  spill?: string;
  partitions?: number;
  threads?: Threads;
}

export function detectorFlags(): Option[] {
  return [
    new Option(
      '-m, --memory <size>',
      'memory of the detector, such as 64MiB or 1G; auto: as little as the expectations require (default: 64MiB, or more if they require it)',
    ),
    new Option('-a, --algorithm <name>', `${algorithmNames.join(', ')} (default: ${defaultAlgorithm})`),
    numberOption('--fpr <rate>', 'target rate of false positives'),
    new Option(
      '--param <name=value>',
      'parameter of the algorithm by letter or name, such as K=2 or hashCount=2; repeatable',
    ).argParser(addParameter),
    choiceOption('--layout <name>', 'layout of the cells in memory', layoutNames),
    new Option('--seed <number>', 'seed of all randomness, 0 to 2^64 - 1 (default: 0)').argParser(parseSeed),
    choiceOption('--fingerprint <name>', 'hash function from a key to 64 bits', fingerprintNames),
    ...secretFlags(),
    new Option('--gaps <n,...>', 'gaps between duplicates in elements, for auto and sbf').argParser(parseGaps),
    new Option(
      '--window <size>',
      'how far back repeats are always found, and perhaps farther: a number of elements, or a duration such as 90s, 30m, 1h, 1d',
    ),
    windowSlackFlag('an element'),
    partitionsFlag('parts of the detector, a power of two up to 4096, that split and merge can move (default: 1)'),
    new Option('--spill <folder>', 'with exact: read the input twice and keep on disk what memory cannot hold'),
    threadsFlag('the detector and the input have 256MiB or more'),
    new Option('--refresh', 'restart the window of an element at every repeat'),
    ...expectationFlags(),
    choiceOption(
      '--on-overload <policy>',
      'what to do once the detector exceeds --fpr, or 1e-6 with auto',
      overloadPolicies,
    ).default(runDefaults.onOverload, runDefaults.onOverload),
  ];
}

export function keyFlags(): Option[] {
  return [
    choiceOption(
      '-f, --format <name>',
      'format of the records, guessed from the file name by default',
      inputFormatNames,
    ),
    repeatableOption(
      '-k, --key <key>',
      'key of a record: a path in JSON, a column in CSV; repeatable',
      'the whole record',
    ),
    new Option('--shard <i/n>', 'take only shard i of n, by a hash of the keys'),
    choiceOption(
      '--empty-key <policy>',
      'what to do with a record whose key is empty',
      emptyKeyPolicies,
      runDefaults.keyRules.emptyKey,
    ),
    choiceOption(
      '--null-key <meaning>',
      'what a JSON null is as a key',
      Object.keys(nullMeanings),
      runDefaults.keyRules.nullKey,
    ),
  ];
}

function ownReportFlags(): Option[] {
  return [
    ...reportFlags(),
    new Option('--no-witness', 'do not measure error rates'),
    new Option('--witness-memory <size>', 'memory of the witness, which measures the error rates (default: 512KiB)'),
    progressFlag(),
  ];
}

/** @throws FirstseenError E_USAGE when the witness is both given memory and turned off. */
function witnessAsked({ witness, witnessMemory: memory }: DedupFlags): boolean | { memory: string } {
  if (memory === undefined) return witness;
  if (witness) return { memory };
  throw new FirstseenError('E_USAGE', '--witness-memory has no effect together with --no-witness', {
    remedy: 'leave one of them out',
  });
}

/** The detector that the flags describe. */
export function detectorOptions(flags: DedupFlags): PlannedOptions {
  const { algorithm, memory, layout, fpr, seed, fingerprint, window, windowSlack, refresh } = flags;
  const { param: parameters, gaps: gapsElements } = flags;
  const { expectDistinct: distinctElements, expectLength: lengthElements } = flags;
  const secret = flags.keyed ? RANDOM_SECRET : undefined;
  const witness = witnessAsked(flags);
  return defined({
    ...{
      algorithm,
      memory,
      layout,
      fpr,
      seed,
      fingerprint,
      secret,
      parameters,
      gapsElements,
      window,
      windowSlack,
      refresh,
    },
    ...{ distinctElements, lengthElements, partitions: flags.partitions, witness },
  });
}

/** The run that the files and flags describe. */
function runOptions(files: readonly string[], flags: DedupFlags): RunOptions {
  return {
    ...sharedOptions(files, flags),
    keys: flags.key,
    onOverload: flags.onOverload,
    detector: detectorOptions(flags),
    ...defined({ format: flags.format, shard: flags.shard, spill: flags.spill }),
    ...defined({ emptyKey: flags.emptyKey, nullKey: flags.nullKey, threads: flags.threads }),
  };
}

const rules: readonly FlagRule[] = [
  ...expectationRules(['expectDistinct', 'expectLength'], defaultAlgorithm),
  {
    flags: ['onOverload'],
    // The target of a state may have been given to an earlier run.
    idleWith: ({ algorithm = defaultAlgorithm, onOverload, fpr, state }) =>
      onOverload !== 'fail' ||
      algorithm === AUTO ||
      isExactAlgorithm(algorithm) ||
      fpr !== undefined ||
      state !== undefined
        ? undefined
        : `--algorithm ${algorithm}, which has no target`,
    remedy: 'give the target as --fpr',
  },
];

/** Makes deduplication what the program does without a subcommand. */
export function addDedupCommand(program: Command, report: Report): void {
  program.argument('[files...]', 'input files in order, or - for standard input, the default');
  addGroups(program, [
    ['Detector:', detectorFlags()],
    ['Records:', [...keyFlags(), ...recordFlags()]],
    ['Output:', outputFlags(jobs.exact.emissions)],
    ['State:', stateFlags()],
    ['Report:', ownReportFlags()],
  ]);
  program.action(async (files: string[], flags: DedupFlags) => {
    followFlags(report, flags);
    checkRunFlags(program, rules);
    await runAndReport(jobs.exact.run, runOptions(files, flags), { flags, report });
  });
}
