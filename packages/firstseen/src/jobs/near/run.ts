// The job of near-duplicate detection over files.

import { statSync } from 'node:fs';
import { FirstseenError } from '../../errors.js';
import { decisionOf } from '../../near/decision.js';
import { formatShingle } from '../../near/shingle.js';
import { type FormatName, guessFormat, recordFormats } from '../../records/formats.js';
import type { DocumentList } from '../../run/input/contract.js';
import { fillDefaults, STANDARD_STREAM } from '../../run/options.js';
import { checkApart, filesWritten } from '../../run/output/names.js';
import { runJob } from '../../run/runjob.js';
import type { RunStats } from '../../run/stats.js';
import { listFiles } from './files.js';
import { type NearJobOptions, type NearJobRun, nearJob } from './job.js';
import {
  type DocumentFormat,
  type DocumentOptions,
  type DocumentStats,
  documentDefaults,
  type NearRunStats,
} from './options.js';

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
  const { include = [], exclude = [] } = options;
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
  const [pattern] = [...include, ...exclude];
  if (pattern === undefined || (format === 'files' && options.inputs.some(isFolder))) return;
  const reason = format === 'files' ? 'no input is a folder' : `records of format ${format} are no files`;
  throw new FirstseenError('E_USAGE', `the pattern ${pattern} was given, but ${reason}; leave it out or name a folder`);
}

function keysOf({ textKey = documentDefaults.textKey, idKey }: DocumentOptions, format: FormatName): string[] {
  if (recordFormats[format].keys === 'none') return [];
  return idKey === undefined ? [textKey] : [textKey, idKey];
}

/** The list of files in a message. */
function nameOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** Files as the lines of one list. */
function documentsOf(options: DocumentOptions): DocumentList {
  const { inputs, include, exclude } = { ...documentDefaults, ...options };
  if (inputs.includes(STANDARD_STREAM)) {
    throw new FirstseenError(
      'E_USAGE',
      'format files was given, but standard input is no file; name files or folders, or give another format',
    );
  }
  const paths = listFiles(inputs, { include, exclude });
  checkApart(
    paths.map((path) => [path, 'a document']),
    filesWritten(options),
  );
  return { name: nameOf(inputs), paths };
}

/** Records of u64 have one length. */
function nearOptions({ near = documentDefaults.near }: DocumentOptions, format: DocumentFormat) {
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
    rowsPerBand,
    agreeing,
    decision: decisionOf(near.settings).name,
    sets,
    setsOpened: opened,
    add,
    tableFpr: fpr,
    documents: observed,
    duplicates,
    textBytes: observer.textBytes,
  };
}

/**
 * Passes on the documents of the inputs that are near none that was kept before.
 * @throws FirstseenError as a run over records does.
 */
export async function runDocuments(options: DocumentOptions): Promise<DocumentStats> {
  const format = documentFormat(options);
  checkUseful(options, format);
  const isFiles = format === 'files';
  const recordFormat = isFiles ? 'lines' : format;
  const filled = fillDefaults(options);
  const { maxRecordBytes, onError, missingKey, state, idKey, onFailure } = filled;
  let begun: NearJobRun | undefined;
  const asked: NearJobOptions = {
    ...{ format, maxRecordBytes, onError, missingKey, hasId: idKey !== undefined },
    near: nearOptions(options, format),
    ...(state === undefined ? {} : { state }),
    onBegin: (run) => {
      begun = run;
    },
  };
  // The load of the table is counted when it is asked for, so the object stays what it is.
  const withNear = (stats: RunStats) => Object.assign(stats, { near: nearStats(begun as NearJobRun) });
  const stats = await runJob({
    job: nearJob,
    asked,
    options,
    format: recordFormat,
    keys: keysOf(options, recordFormat),
    documents: isFiles ? documentsOf(options) : undefined,
    onFailure: (failed) => onFailure?.(withNear(failed)),
  });
  return withNear(stats);
}
