// Runs near-duplicate detection over files.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { unfitOption } from '../../base/unfitoption.js';
import { withoutCompression } from '../../io/compression/compressions.js';
import { listFiles } from '../../io/file/folderfiles.js';
import { commonFormat, suggestedFormat } from '../../io/formats.js';
import { namingEmissions } from '../../io/policies.js';
import type { InputRequest } from '../../io/source.js';
import { requestsOf } from '../../io/sources.js';
import { OpenStores } from '../../io/store/openstores.js';
import { isObjectName } from '../../io/system/objectname.js';
import { withoutFields } from '../../records/fieldplace.js';
import { type FormatName, recordFormatOf, recordFormats } from '../../records/formats.js';
import { joinedTexts, keysOfTexts } from '../../records/texts.js';
import { WARC_NAME, WARC_TEXT } from '../../records/warc.js';
import { checkPatterns, filesOfInputs, inOrder, isFolder, listName } from '../../run/inputfiles.js';
import { pathOf, pathOfOne } from '../../run/missingkeys.js';
import { checkApart, filesWritten } from '../../run/names.js';
import { runJob } from '../../run/runjob.js';
import { fillDefaults, keyedIfUntrusted } from '../../run/settled.js';
import type { RunStats } from '../../run/stats.js';
import { type DocumentFile, DocumentFiles } from './documentfiles.js';
import { type DocumentFormat, type DocumentOptions, type DocumentStats, documentDefaults } from './documentoptions.js';
import { type NearJobOptions, type NearJobRun, nearJob } from './job.js';
import { checkKept, parseDocumentKeep } from './keep.js';
import { documentStats } from './stats.js';

const U64_BYTES = 8;

/** The format of the documents. @throws FirstseenError E_USAGE when the inputs suggest several. */
export function documentFormat(
  { format, outputFolder }: Pick<DocumentOptions, 'format' | 'outputFolder'>,
  inputs: readonly InputRequest[],
): DocumentFormat {
  if (format !== undefined) return format;
  if (outputFolder === undefined && inputs.some(isFolder)) return 'files';
  // A file whose name suggests no format is a document.
  return commonFormat(inputs, ({ file }) => (file ? 'files' : 'lines'));
}

/** @throws FirstseenError E_USAGE for lines that are no records where each file is a document. */
function checkNoLines({ comment, skipLines = 0 }: DocumentOptions): void {
  if (comment === undefined && skipLines === 0) return;
  const option = comment === undefined ? 'skipLines' : 'comment';
  const remedy = phrase`leave it out, or give ${optionName('format')} lines if each line is one`;
  throw unfitOption(option, 'each file is a document', { remedy });
}

/** @throws FirstseenError E_USAGE for an option that has no effect with the format or the inputs. */
function checkUseful(options: DocumentOptions, inputs: readonly InputRequest[], format: DocumentFormat): void {
  const hasFields = format !== 'files' && recordFormats[recordFormatOf(format)].keys !== 'none';
  const needless = hasFields
    ? []
    : ([
        ['textKey', options.textKey && keysOfTexts(options.textKey).join(', ')],
        ['idKey', options.idKey],
      ] as const);
  for (const [option, value] of needless) {
    if (value !== undefined) throw withoutFields(option, value, `documents of format ${format}`);
  }
  if (options.isZeroTerminated && format !== 'files') {
    const remedy = phrase`leave it out, or give ${optionName('format')} nul`;
    throw unfitOption('isZeroTerminated', `the documents are records of format ${format}`, { remedy });
  }
  if (options.emit === 'ids' && options.idsTo !== undefined) {
    const problem = phrase`${optionName('idsTo')} ${options.idsTo} would have what ${optionName('emit')} ids writes to the output`;
    throw new FirstseenError('E_USAGE', problem, { option: 'idsTo', remedy: 'leave one of them out' });
  }
  if (format === 'files') checkNoLines(options);
  checkPatterns(options, inputs);
}

/** The texts of a record, and its name, if it has one. */
interface DocumentKeys {
  texts: readonly string[];
  name: string | undefined;
}

/** @throws FirstseenError E_USAGE for what is no path, and for a name that is not one value. */
function keysOf({ textKey, idKey, emit, idsTo }: DocumentOptions, format: FormatName): DocumentKeys {
  const kind = recordFormats[format].keys;
  if (kind === 'none') return { texts: [], name: undefined };
  const isWarc = kind === 'headers';
  const texts = keysOfTexts(textKey ?? (isWarc ? WARC_TEXT : documentDefaults.textKey));
  const isNamed = idsTo !== undefined || namingEmissions.some((emission) => emission === emit);
  const name = idKey ?? (isWarc && isNamed ? WARC_NAME : undefined);
  if (kind === 'paths') for (const key of texts) pathOf(key, 'textKey');
  if (kind === 'paths' && name !== undefined) pathOfOne(name, 'idKey');
  return { texts, name };
}

/** The files that are the documents, in the order that was asked for. */
function filesOf(options: DocumentOptions, inputs: readonly InputRequest[]): readonly DocumentFile[] {
  if (!inputs.every(({ file }) => file)) {
    throw new FirstseenError('E_USAGE', 'the documents are files, but an input is standard input', {
      option: 'format',
      given: 'files',
      remedy: phrase`name files or folders, or give another ${optionName('format')}`,
    });
  }
  const object = inputs.find(({ name }) => isObjectName(name));
  if (object) {
    throw new FirstseenError('E_USAGE', `the documents are files, but ${object.name} is an object of a store`, {
      option: 'format',
      given: 'files',
      remedy: phrase`give ${optionName('format')} if it has records, such as ndjson, or copy it to a file`,
    });
  }
  const { include = [], exclude = [] } = options;
  const documents = listFiles(inputs, { include, exclude });
  checkApart(
    documents.map((input) => [input, 'a document']),
    filesWritten(options),
  );
  return inOrder(documents, options).map(({ name: path, isFile }) => ({ path, isFile }));
}

/** Tells if an input has the name of a file of records, which is never a document. A file of JSON may be one document. */
function hasNameOfRecords(input: InputRequest): boolean {
  const isJson = withoutCompression(input.name.toLowerCase()).endsWith('.json');
  return ['ndjson', 'warc'].includes(suggestedFormat(input) ?? '') && !isJson;
}

/** Tells if all files in the inputs have names of records of one format. */
function areNamedAsRecords({ include = [], exclude = [] }: DocumentOptions, inputs: readonly InputRequest[]): boolean {
  const files = listFiles(inputs, { include, exclude });
  return files.length > 0 && files.every(hasNameOfRecords) && new Set(files.map(suggestedFormat)).size === 1;
}

/** The files of folders whose files have records; undefined if no folder was given, or each file is a document. */
function shardsOf(options: DocumentOptions, inputs: readonly InputRequest[]): readonly InputRequest[] | undefined {
  const { format, outputFolder } = options;
  if (format === 'files' || !inputs.some(isFolder)) return undefined;
  const haveRecords = format !== undefined || outputFolder !== undefined || areNamedAsRecords(options, inputs);
  return haveRecords ? filesOfInputs(inputs, options) : undefined;
}

/** @throws FirstseenError E_USAGE for an output folder if each file is a document. */
function checkRecords({ outputFolder }: DocumentOptions, format: DocumentFormat): void {
  if (outputFolder === undefined || format !== 'files') return;
  const remedy = phrase`give ${optionName('format')} if the files have records, such as ndjson`;
  throw unfitOption('outputFolder', 'each file is a document', { given: outputFolder, remedy });
}

/** Fills in the length of documents of format u64. */
function nearOptions({ near = documentDefaults.near }: DocumentOptions, format: DocumentFormat) {
  const isKnown = format === 'u64' && near.lsh === 'bits' && near.documentBytes === undefined;
  return isKnown ? { ...near, documentBytes: U64_BYTES } : near;
}

/** The error for a document that cannot be read again. */
function readTwice({ path }: DocumentFile): FirstseenError {
  const problem = phrase`${path} is no file, but with ${optionName('keep')} the documents are read twice`;
  return new FirstseenError('E_USAGE', problem, { option: 'keep', remedy: 'leave it out of the inputs' });
}

/** An error about the folder for temporary files, for which there is no option. */
function temporaryError(error: unknown): unknown {
  if (!(error instanceof FirstseenError) || error.code !== 'E_SPILL') return error;
  const remedy =
    'set TMPDIR to a folder with room for a byte for each document, for 40 and its name with names, and for inputs that are not files';
  return new FirstseenError('E_SPILL', error.data.problem, { remedy, cause: error });
}

/**
 * Passes on the documents of the inputs that are not near a kept document.
 * @throws FirstseenError as a run over records does.
 */
export async function runDocuments(options: DocumentOptions): Promise<DocumentStats> {
  const stores = new OpenStores();
  const inputs = await requestsOf(options.inputs, stores);
  const shards = shardsOf(options, inputs);
  const format = documentFormat(options, shards ?? inputs);
  checkUseful(options, inputs, format);
  checkKept(options);
  checkRecords(options, format);
  const isFiles = format === 'files';
  const isZeroTerminated = options.isZeroTerminated ?? documentDefaults.isZeroTerminated;
  const recordFormat = isFiles ? (isZeroTerminated ? 'nul' : 'lines') : format;
  const scannedFormat = recordFormatOf(recordFormat);
  const { texts, name } = keysOf(options, scannedFormat);
  let jobRun: NearJobRun | undefined;
  const statsOf = (stats: RunStats) => documentStats(stats, jobRun as NearJobRun);
  const { onReady, keep, ...runOptions } = options;
  const runSettings = fillDefaults({ ...runOptions, onReady: (soFar) => onReady?.(() => statsOf(soFar())) });
  const { maxRecordBytes, onError, missingKey } = runSettings.records;
  const { isReadOnly, state } = runSettings.state;
  const { onWarning, onReview } = runSettings.report;
  const documents = isFiles ? filesOf(options, inputs) : undefined;
  const files =
    documents &&
    new DocumentFiles(documents, {
      maxRecordBytes,
      isText: options.near?.lsh !== 'bits',
      isGuessed: options.format === undefined,
    });
  const jobOptions: NearJobOptions = {
    ...{ format, files, maxRecordBytes, onError, missingKey, isReadOnly, onWarning },
    emit: runSettings.output.emit,
    idsTo: runSettings.output.idsTo,
    keep: parseDocumentKeep(keep),
    hasId: name !== undefined,
    texts: joinedTexts(texts, scannedFormat, { areStrings: false }),
    isReviewed: onReview !== undefined,
    near: keyedIfUntrusted(nearOptions(options, format), options),
    ...(state === undefined ? {} : { state }),
    onBegin: (run) => {
      jobRun = run;
    },
  };
  const pipe = jobOptions.keep && documents?.find(({ isFile }) => !isFile);
  if (pipe) throw readTwice(pipe);
  const stats = await runJob({
    job: nearJob,
    asked: jobOptions,
    options: runSettings,
    format: recordFormat,
    stores,
    key: {
      keys: name === undefined ? texts : [...texts, name],
      keyOptions: [...texts.map(() => 'textKey'), 'idKey'],
    },
    inputs: files ? [files.list(listName(options.inputs), isZeroTerminated)] : (shards ?? inOrder(inputs, options)),
    onFailure: (failedStats) => options.onFailure?.(statsOf(failedStats)),
  })
    .catch((error: unknown) => {
      throw jobOptions.keep ? temporaryError(error) : error;
    })
    .finally(() => jobRun?.review && onReview?.(jobRun.review.review()));
  jobRun?.watch.finish();
  const unreadWarning = files?.warning();
  if (unreadWarning && files?.areAllUnread && onError === 'drop') throw unreadWarning;
  if (unreadWarning) options.onWarning?.(unreadWarning);
  return statsOf(stats);
}
