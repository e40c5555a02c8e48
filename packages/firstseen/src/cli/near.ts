// `firstseen near [FILES...]`: near-duplicate documents.

import { type Command, Option } from 'commander';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import { layoutNames } from '../detectors/contract.js';
import { defaultFamily } from '../detectors/registry.js';
import { RANDOM_SECRET } from '../fingerprint/secret.js';
import { type DocumentFormat, type DocumentOptions, documentFormats } from '../jobs/near/options.js';
import { jobs } from '../jobs/registry.js';
import { encodingNames } from '../near/hex.js';
import { lshNames } from '../near/registry.js';
import { additions, type NearOptions } from '../near/settings.js';
import { caseNames, normalizationNames } from '../near/text.js';
import { algorithmNames } from '../plan/auto.js';
import type { Threads } from '../run/threads.js';
import {
  addParameter,
  choiceOption,
  type FlagRule,
  numberOption,
  parseSeed,
  repeatableOption,
  threadsFlag,
  windowSlackFlag,
} from './flags.js';
import { followFlags, type Report, reportFlags } from './report.js';
import {
  addGroups,
  checkRunFlags,
  type DetectorFlags,
  expectationRules,
  outputFlags,
  progressFlag,
  recordFlags,
  runAndReport,
  type SharedFlags,
  secretFlags,
  sharedOptions,
  stateFlags,
} from './run.js';

const AFTER_HELP = `
Examples:
  firstseen near /usr/share/doc --include copyright --stats > kept.txt
  firstseen near crawl.ndjson.gz --text-key page.text --memory 1GiB -o kept.ndjson
  firstseen near posts.csv --text-key body --similarity 0.7 --shingle 24c --emit all --annotate near --explain 1000
  firstseen near hashes.u64 --lsh bits --similarity 0.95 --window 1000000
  firstseen near images.csv --text-key phash --lsh bits --document-bytes 8 --encoding hex --similarity 0.9`;

/** The flags as the parser leaves them. */
export interface NearFlags extends SharedFlags, DetectorFlags {
  lsh?: NearOptions['lsh'];
  similarity?: number;
  shingle?: string;
  hashes?: number;
  variant?: NearOptions['variant'];
  bands?: string;
  agreeing?: number;
  sets?: number;
  documentBytes?: number;
  encoding?: NearOptions['encoding'];
  case?: NearOptions['case'];
  normalize?: NearOptions['normalize'];
  add?: NearOptions['add'];
  explain?: number;
  format?: DocumentFormat;
  textKey?: string;
  idKey?: string;
  include: string[];
  exclude: string[];
  threads?: Threads;
}

function similarityFlags(): Option[] {
  return [
    numberOption('-s, --similarity <s>', 'similarity from which on documents count as near (default: 0.8)'),
    choiceOption('--lsh <family>', 'measure of similarity: sets of shingles, their counts, or bits', lshNames),
    new Option(
      '--shingle <size>',
      'shingles: 5w for words, 24c for characters, 8t for tokens (default: 5w, or 1w with simhash)',
    ),
    numberOption('--hashes <n>', 'hash functions of a signature (default: 128)'),
    new Option('--variant <name>', 'one-permutation: faster minhash, less accurate for short documents'),
    new Option('--bands <bxr>', 'bands and rows per band, such as 9x13 (default: those with the fewest errors)'),
    numberOption('--agreeing <n>', 'bands that must be seen (default: 1)'),
    numberOption('--sets <n>', 'assign documents to at most n numbered sets (default: 0)'),
    choiceOption('--case <what>', 'letters that are converted to lowercase', caseNames),
    choiceOption('--normalize <form>', 'Unicode normalization of documents', normalizationNames),
    numberOption('--document-bytes <n>', 'length of every document in bytes, for bits'),
    choiceOption('--encoding <name>', 'encoding of documents, for bits', encodingNames),
  ];
}

function tableFlags(): Option[] {
  return [
    new Option('-m, --memory <size>', 'memory of the table, such as 64MiB or 1G (default: 64MiB)'),
    new Option(
      '-a, --algorithm <name>',
      `algorithm of the table: ${algorithmNames.join(', ')} (default: qht, or apbf with a window)`,
    ),
    numberOption('--fpr <rate>', 'share of new documents reported duplicate by chance (default: 0.001)'),
    new Option(
      '--window <size>',
      'how far back documents are always remembered, and perhaps farther: a number of kept documents, or a duration',
    ),
    windowSlackFlag('a document'),
    new Option('--refresh', 'restart the window of a document at every repeat'),
    choiceOption('--add <which>', 'which documents to remember', additions),
    new Option('--param <name=value>', 'parameter of the table by letter or name; repeatable').argParser(addParameter),
    choiceOption('--layout <name>', 'layout of the cells in memory', layoutNames),
    new Option('--seed <number>', 'seed of all randomness, 0 to 2^64 - 1 (default: 0)').argParser(parseSeed),
    ...secretFlags(),
    numberOption('--expect-distinct <n>', 'expected number of different documents, for auto'),
  ];
}

function documentFlags(): Option[] {
  return [
    choiceOption('-f, --format <name>', 'format of the documents, guessed from the names by default', documentFormats),
    new Option('--text-key <key>', 'text of a record: a path in JSON, a column in CSV (default: text)'),
    new Option('--id-key <key>', 'name of a record for --explain (default: its number)'),
    repeatableOption(
      '--include <pattern>',
      'only these files in folders, such as copyright or */src/**/*.c; repeatable',
      'all files',
    ),
    repeatableOption('--exclude <pattern>', 'exclude these files in folders; repeatable', 'none'),
    threadsFlag('the documents are text of 64MiB or more, without --sets and --explain'),
  ];
}

function explainFlag(): Option {
  return numberOption('--explain <n>', 'annotate documents with the nearest of the last n kept documents');
}

function nearOptions(flags: NearFlags): NearOptions {
  const { lsh, similarity, shingle, hashes, variant, bands, agreeing, sets, documentBytes } = flags;
  const { encoding, normalize, add, explain, memory, algorithm, fpr, layout, seed, window, windowSlack, refresh } =
    flags;
  const secret = flags.keyed ? RANDOM_SECRET : undefined;
  return defined({
    lsh,
    similarity,
    shingle,
    hashes,
    variant,
    bands,
    agreeing,
    sets,
    documentBytes,
    encoding,
    normalize,
    add,
    explain,
    memory,
    algorithm,
    fpr,
    layout,
    seed,
    secret,
    window,
    windowSlack,
    refresh,
    case: flags.case,
    parameters: flags.param,
    distinctDocuments: flags.expectDistinct,
  });
}

/** The run that the files and flags describe. */
function documentOptions(files: readonly string[], flags: NearFlags): DocumentOptions {
  const { format, textKey, idKey, include, exclude, threads } = flags;
  return {
    ...sharedOptions(files, flags),
    include,
    exclude,
    near: nearOptions(flags),
    ...defined({ format, textKey, idKey, threads }),
  };
}

/** With a state, flags that others require may have been given to an earlier run. */
const rulesWithoutState: readonly FlagRule[] = [
  ...expectationRules(['expectDistinct'], defaultFamily.name),
  { flags: ['idKey'], requires: ['explain'] },
];

/** @throws FirstseenError E_USAGE for a flag that has no effect together with the others, or that requires another flag. */
function checkFlags(command: Command, { state, annotate, emit, explain = 0 }: NearFlags): void {
  checkRunFlags(command, [
    { flags: ['similarity'], excludes: ['bands'] },
    ...(state === undefined ? rulesWithoutState : []),
  ]);
  if (state !== undefined || explain === 0 || annotate !== undefined || emit === 'annotated') return;
  throw new FirstseenError('E_USAGE', '--explain requires --annotate', {
    remedy: 'give --emit all --annotate near, or leave --explain out',
  });
}

export function addNearCommand(program: Command, report: Report): void {
  const command = program
    .command('near')
    .description('pass on the first document of every group of near-duplicates, in fixed memory')
    .argument('[files...]', 'files of records, or folders and files that are documents; standard input by default')
    .addHelpText('after', AFTER_HELP);
  addGroups(command, [
    ['Similarity:', similarityFlags()],
    ['Table:', tableFlags()],
    ['Documents:', [...documentFlags(), ...recordFlags()]],
    ['Output:', [...outputFlags(jobs.near.emissions), explainFlag()]],
    ['State:', stateFlags()],
    ['Report:', [...reportFlags(), progressFlag()]],
  ]);
  command.action(async (files: string[], flags: NearFlags) => {
    followFlags(report, flags);
    checkFlags(command, flags);
    await runAndReport(jobs.near.run, documentOptions(files, flags), { flags, report });
  });
}
