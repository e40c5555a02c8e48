// The options that have no effect beside some others on a command line, for each command.

import type { Command } from 'commander';
import { FirstseenError, rendered } from '../base/errors.js';
import { defaultFamily, detectorFamilies } from '../detectors/registry.js';
import { checkWindow } from '../detectors/settings.js';
import { storedEnding } from '../io/formats.js';
import { namingEmissions } from '../io/policies.js';
import { outputPath } from '../io/system/paths.js';
import { spillFolderOf } from '../jobs/spill/folder.js';
import { lshFamilyNamed } from '../near/registry.js';
import type { NearOptions } from '../near/settings.js';
import { verifies } from '../near/verify.js';
import type { CommandJob } from '../options/commands.js';
import { onOverload } from '../options/detector.js';
import { flagOfOption } from '../options/flagnames.js';
import { motifEmit } from '../options/motifs.js';
import { explain as explainOption } from '../options/near.js';
import type { OptionName } from '../options/rows.js';
import { checkRules, type OptionRule } from '../options/rules.js';
import { AUTO, defaultAlgorithm } from '../plan/auto.js';
import { flagRows, type GivenValues, givenValues } from './options.js';

/** A window that is a number of elements. */
function windowOfElements({ window }: GivenValues): string | undefined {
  if (typeof window !== 'string') return undefined;
  return 'elements' in checkWindow(window) ? `--window ${window}, which is a number of elements` : undefined;
}

const DURATION_REMEDY = 'leave it out, or give a duration such as 1h as --window';

/** An output whose records wait until a part of it is full. */
function storedInParts({ output, duplicatesTo, idsTo }: GivenValues): string | undefined {
  const path = [output, duplicatesTo, idsTo].find((one) => typeof one === 'string' && storedEnding(one) !== '');
  return path === undefined ? undefined : `the output ${path}, which is written in parts`;
}

/** With a state, the window may have been given to an earlier run. */
const sharedRules: readonly OptionRule[] = [
  { options: ['checkpoint', 'isNewRun', 'isClockReset', 'partial', 'isReadOnly'], requires: ['state'] },
  { options: ['checkpoint', 'isNewRun'], excludes: ['isReadOnly'] },
  { options: ['maxLead'], requires: ['timeKey', 'window', 'state'] },
  { options: ['maxLead', 'isClockReset'], idleWith: windowOfElements, remedy: DURATION_REMEDY },
  // A secret is chosen at random, so the seed does not make answers repeat.
  { options: ['seed'], excludes: ['secret'] },
  { options: ['timeFormat', 'timeZone', 'timeUntil'], requires: ['timeKey'] },
];

/** The option because of which the run reads its input twice. */
function spilling(given: GivenValues): string | undefined {
  const folder = spillFolderOf(given);
  return folder && rendered(folder.because, flagOfOption);
}

const promptRule: OptionRule = {
  options: ['isUnbuffered'],
  excludes: ['isCompressed'],
  idleWith: (given) => spilling(given) ?? storedInParts(given),
};

/** Options that describe the stream have an effect only where they choose the algorithm. */
function expectationRules(options: readonly OptionName[], byDefault: string): readonly OptionRule[] {
  return [
    { options, excludes: ['window', 'windowSlack', 'refresh'] },
    {
      options,
      idleWith: ({ algorithm = byDefault }) => (algorithm === AUTO ? undefined : `--algorithm ${algorithm}`),
      remedy: `leave it out, or give --algorithm ${AUTO}`,
    },
  ];
}

/** All that names documents. */
const idRule: OptionRule = { options: ['idKey'], requires: ['explain', 'report', 'idsTo'], orElse: '--emit ids' };

/** Tells if the answers of the algorithm meet any rate. */
function isExact(algorithm: unknown): boolean {
  return detectorFamilies.some(({ name, comparesFingerprints }) => name === algorithm && comparesFingerprints);
}

/** Tells if the names of documents are written in place of them. */
function writesNames({ emit }: GivenValues): boolean {
  return namingEmissions.some((emission) => emission === emit);
}

/** The target of a state may have been given to an earlier run. */
function withoutTarget({
  algorithm = defaultAlgorithm,
  onOverload: policy = onOverload.default,
  fpr,
  state,
}: GivenValues): string | undefined {
  const hasTarget = algorithm === AUTO || isExact(algorithm) || fpr !== undefined || state !== undefined;
  return policy !== 'fail' || hasTarget ? undefined : `--algorithm ${algorithm}, which has no target`;
}

/** With sketches, the similarity decides, whatever the bands are. */
function comparesSimilarities(given: NearOptions): boolean {
  return verifies(given, lshFamilyNamed(given.lsh));
}

/** Bands say by themselves which documents are near. */
const bandsRule: OptionRule = { options: ['similarity'], excludes: ['bands'] };

const rules: Readonly<Record<CommandJob, (given: GivenValues) => readonly OptionRule[]>> = {
  exact: () => [
    ...sharedRules,
    promptRule,
    {
      options: ['isZeroTerminated'],
      idleWith: ({ format }) => (format === undefined || format === 'nul' ? undefined : `--format ${format}`),
    },
    { options: ['distinctElements', 'lengthElements'], idleWith: spilling },
    ...expectationRules(['distinctElements', 'lengthElements'], defaultAlgorithm),
    { options: ['onOverload'], idleWith: withoutTarget, remedy: 'leave it out, or give the target as --fpr' },
    { options: ['witness.memory'], excludes: ['witness'] },
  ],
  // With a state, options that others require may have been given to an earlier run.
  near: ({ state, ...given }) => [
    ...sharedRules,
    promptRule,
    ...(comparesSimilarities(given) ? [] : [bandsRule]),
    ...(state === undefined ? expectationRules(['distinctDocuments'], defaultFamily.name) : []),
    ...(state === undefined && !writesNames(given) ? [idRule] : []),
  ],
  passages: () => [...sharedRules, ...expectationRules(['distinctElements', 'lengthElements'], defaultAlgorithm)],
  motifs: () => [],
};

function checkNear({ state, explain = explainOption.default, annotate, emit, report, keep }: GivenValues): void {
  if (report !== undefined && keep !== undefined && keep !== 'first') {
    const problem = `--report was given with --keep ${keep}, but its page is of the first reading, before it is known which documents are kept`;
    throw new FirstseenError('E_USAGE', problem, { remedy: 'leave --report or --keep out' });
  }
  if (state !== undefined || explain === 0 || annotate !== undefined || emit === 'annotated') return;
  throw new FirstseenError('E_USAGE', '--explain requires --annotate', {
    remedy: 'give --emit all --annotate near, or leave --explain out',
  });
}

function checkMotifs({ recordBytes, emit = motifEmit.default, output, labels, stats, statsTo }: GivenValues): void {
  if (recordBytes === undefined) {
    throw new FirstseenError('E_USAGE', '--record-bytes is missing', {
      remedy: 'give the length of every record in bytes',
    });
  }
  if (emit === 'summary' && outputPath(output as string | undefined) !== undefined) {
    throw new FirstseenError('E_USAGE', '--output has no effect with --emit summary', {
      remedy: 'give another --emit, or leave --output out',
    });
  }
  if (labels !== undefined && emit !== 'summary' && stats === undefined && statsTo === undefined) {
    throw new FirstseenError('E_USAGE', `--labels has no effect with --emit ${emit} and without --stats`, {
      remedy: 'give --stats, or leave --labels out',
    });
  }
}

const checks: Readonly<Partial<Record<CommandJob, (given: GivenValues) => void>>> = {
  near: checkNear,
  motifs: checkMotifs,
};

/** @throws FirstseenError E_USAGE for a flag that has no effect beside the others, or that requires another flag. */
export function checkGiven(command: Command, job: CommandJob): void {
  const flagValues = givenValues(command, flagRows(job));
  checkRules(rules[job](flagValues), flagValues, flagOfOption);
  checks[job]?.(flagValues);
}
