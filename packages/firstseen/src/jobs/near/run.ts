// The job of near-duplicate detection over files.

import { statSync } from 'node:fs';
import { FirstseenError } from '../../errors.js';
import { decisionOf } from '../../near/decision.js';
import { formatShingle } from '../../near/shingle.js';
import { type FormatName, guessFormat, recordFormats } from '../../records/formats.js';
import { type RunOptions, type RunStats, STANDARD_STREAM } from '../../run/options.js';
import { checkApart, filesWritten } from '../../run/output/names.js';
import { runExtended } from '../../run/runjob.js';
import { listFiles, listSource } from './files.js';
import { type NearJobRun, nearJob } from './job.js';
import type { DocumentFormat, DocumentOptions, DocumentStats, NearRunStats } from './options.js';

/** The field of a record that is its text where none is named. */
const DEFAULT_TEXT_KEY = 'text';
const U64_BYTES = 8;

function isFolder(path: string): boolean {
  return path !== STANDARD_STREAM && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

/** What the name of an input says; of a name that says nothing, that the file is a document. */
function formatOf(input: string): DocumentFormat {
  if (input === STANDARD_STREAM) return 'lines';
  const format = guessFormat(input);
  return format === 'lines' ? 'files' : format;
}

/** @throws FirstseenError E_USAGE when the inputs suggest several formats. */
export function documentFormat({ format, inputs }: Pick<DocumentOptions, 'format' | 'inputs'>): DocumentFormat {
  if (format !== undefined) return format;
  if (inputs.some(isFolder)) return 'files';
  const guesses = [...new Set(inputs.map(formatOf))];
  if (guesses.length === 1) return guesses[0] as DocumentFormat;
  throw new FirstseenError(
    'E_USAGE',
    `the names of the inputs suggest the formats ${guesses.join(' and ')}; say which one with --format`,
  );
}

/** @throws FirstseenError E_USAGE for a flag that the format or the inputs have no use for. */
function checkUseful(options: DocumentOptions, format: DocumentFormat): void {
  const hasFields = format !== 'files' && recordFormats[format].keys !== 'none';
  const needless = hasFields
    ? []
    : ([
        ['--text-key', options.textKey],
        ['--id-key', options.idKey],
      ] as const);
  const given = needless.find(([, value]) => value !== undefined);
  if (given) {
    throw new FirstseenError(
      'E_USAGE',
      `${given[0]} was given, but documents of format ${format} have no fields; leave it out or give --format`,
    );
  }
  const [pattern] = [...options.include, ...options.exclude];
  if (pattern === undefined || (format === 'files' && options.inputs.some(isFolder))) return;
  const reason = format === 'files' ? 'no input is a folder' : `records of format ${format} are no files`;
  throw new FirstseenError('E_USAGE', `the pattern ${pattern} was given, but ${reason}; leave it out or name a folder`);
}

function keysOf({ textKey = DEFAULT_TEXT_KEY, idKey }: DocumentOptions, format: FormatName): string[] {
  if (recordFormats[format].keys === 'none') return [];
  return idKey === undefined ? [textKey] : [textKey, idKey];
}

/** The list of files in a message. */
function nameOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** The inputs as a run takes them: files as the lines of one list. */
function inputsOf(options: DocumentOptions, format: DocumentFormat) {
  if (format !== 'files') return { inputs: options.inputs, format };
  if (options.inputs.includes(STANDARD_STREAM)) {
    throw new FirstseenError(
      'E_USAGE',
      'format files was given, but standard input is no file; name files or folders, or give another format',
    );
  }
  const paths = listFiles(options.inputs, options);
  checkApart(
    paths.map((path) => [path, 'a document']),
    filesWritten(options),
  );
  return { inputs: [nameOf(options.inputs)], format: 'lines' as const, source: listSource(paths) };
}

/** Records of u64 have one length. */
function nearOptions({ near }: DocumentOptions, format: DocumentFormat) {
  const isKnown = format === 'u64' && near.lsh === 'bits' && near.documentBytes === undefined;
  return isKnown ? { ...near, documentBytes: U64_BYTES } : near;
}

function nearStats({ near, observer }: NearJobRun): NearRunStats {
  const { lsh, variant, similarity, shingle, hashes, bands, rowsPerBand, agreeing, sets, add, fpr } = near.settings;
  const { observed, duplicates, sets: opened } = near.stats();
  return {
    lsh: lsh.name,
    variant,
    similarity,
    shingle: shingle === undefined ? null : formatShingle(shingle),
    hashes,
    bands,
    rows_per_band: rowsPerBand,
    agreeing,
    decision: decisionOf(near.settings).name,
    sets,
    sets_opened: opened,
    add,
    table_fpr: fpr,
    documents: observed,
    duplicates,
    text_bytes: observer.textBytes,
  };
}

/**
 * Passes on the documents of the inputs that are near none that was kept before.
 * @throws FirstseenError as a run over records does.
 */
export async function runDocuments(options: DocumentOptions): Promise<DocumentStats> {
  const format = documentFormat(options);
  checkUseful(options, format);
  const { textKey: _text, idKey, include: _include, exclude: _exclude, near: _near, onFailure, ...shared } = options;
  const { source, ...own } = { source: undefined, ...inputsOf(options, format) };
  let begun: NearJobRun | undefined;
  const job = nearJob({
    ...{
      format,
      maxRecordBytes: options.maxRecordBytes,
      onError: options.onError,
      missingKey: options.missingKey,
      near: nearOptions(options, format),
    },
    ...(idKey === undefined ? {} : { idKey }),
    ...(options.state === undefined ? {} : { state: options.state }),
    onBegin: (run) => {
      begun = run;
    },
  });
  // The load of the table is counted when it is asked for, so the object stays what it is.
  const withNear = (stats: RunStats) => Object.assign(stats, { near: nearStats(begun as NearJobRun) });
  const run: RunOptions = {
    ...shared,
    ...own,
    keys: keysOf(options, own.format),
    detector: {},
    onFailure: (stats) => onFailure?.(withNear(stats)),
  };
  return withNear(await runExtended(run, { job, ...(source ? { source } : {}) }));
}
