// Parquet as a format of files: the checks of keys, times and outputs that need what its files say about themselves.

import { isDeepStrictEqual } from 'node:util';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { containerFormats } from '../../records/formats.js';
import type { AskedColumns, AskedOutput, FileFormat } from '../format.js';
import type { Emission } from '../policies.js';
import type { Source } from '../source.js';
import { descriptionOf } from './file.js';
import { checkKey, isWithoutZone } from './keys.js';
import { parquetSinkKind, unfinishedPath } from './sink.js';
import { parquetSourceKind } from './source.js';

function checkColumns(source: Source, { keys, timeKeys }: AskedColumns): boolean {
  const { fields } = descriptionOf(source);
  for (const key of keys) checkKey('keys', key, source.name, fields);
  for (const key of timeKeys) checkKey('timeKey', key, source.name, fields);
  return timeKeys.some((key) => isWithoutZone(key, fields));
}

const COPIED = 'whose rows are copied as they are';

function refuse(option: string, path: string, why: string): never {
  throw new FirstseenError('E_USAGE', phrase`${optionName(option)} was given, but ${path} is Parquet, ${why}`, {
    option,
    remedy: phrase`leave ${optionName(option)} out, or give ${optionName('output')} with a name that ends in .ndjson`,
  });
}

/** @throws FirstseenError E_USAGE or E_OUTPUT when the rows of the inputs cannot be copied to one file. */
function checkInputs(path: string, sources: readonly Source[]): void {
  const otherSource = sources.find(({ format }) => format !== parquetFormat.name);
  if (otherSource) {
    const problem = `${path} would be Parquet, but ${otherSource.name} is not`;
    throw new FirstseenError('E_USAGE', problem, { option: 'output', remedy: 'name an output with another ending' });
  }
  const [first, ...otherSources] = sources as [Source, ...Source[]];
  // The name of the root says nothing about the columns.
  const columnsOf = (source: Source) => descriptionOf(source).metadata.schema.slice(1);
  const differentSource = otherSources.find((source) => !isDeepStrictEqual(columnsOf(source), columnsOf(first)));
  if (differentSource) {
    const problem = `cannot write ${path}: the columns of ${differentSource.name} differ from those of ${first.name} in name, order or type`;
    throw new FirstseenError('E_OUTPUT', problem, {
      remedy: 'deduplicate files with different columns separately, or name an output that ends in .ndjson',
    });
  }
}

/** The emissions that are written in place of rows. */
const notOfRows: readonly Emission[] = ['verdicts', 'annotated', 'ids', 'attributes', 'spans', 'rewritten'];

/** @throws FirstseenError when an output cannot be Parquet with these inputs and options. */
function checkOutput(path: string, { isCompressed, annotate, emit, sources, isMain }: AskedOutput): void {
  if (isCompressed) refuse('isCompressed', path, 'which compresses its pages itself');
  if (isMain && annotate !== undefined) refuse('annotate', path, COPIED);
  if (isMain && notOfRows.includes(emit)) refuse('emit', path, COPIED);
  checkInputs(path, sources);
}

export const parquetFormat: FileFormat = {
  name: 'parquet',
  ...containerFormats.parquet,
  isBinary: true,
  whyNotFollowed: 'a Parquet file, which never grows',
  sources: [parquetSourceKind],
  sinks: [parquetSinkKind],
  container: {
    temporaryPath: unfinishedPath,
    whyNotExtended: `Parquet, ${COPIED}`,
    whyNotContinued: 'nothing can be added to a Parquet file',
    checkColumns,
    checkOutput,
  },
};
