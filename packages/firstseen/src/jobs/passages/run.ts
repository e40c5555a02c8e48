// A run over files that finds passages of texts that were seen before.

import { checkOptions, type OptionNames } from '../../base/check.js';
import { formatCount, formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { commonFormat } from '../../io/formats.js';
import type { InputRequest } from '../../io/source.js';
import { OpenStores } from '../../io/store/openstores.js';
import { checkKinds } from '../../options/kinds.js';
import { optionNamesOf, sharedRowsOf } from '../../options/names.js';
import { type InputFormatName, recordFormatOf } from '../../records/formats.js';
import { joinedTexts, keysOfTexts } from '../../records/texts.js';
import { WARC_NAME, WARC_TEXT } from '../../records/warc.js';
import { inputFiles } from '../../run/inputfiles.js';
import { runJob } from '../../run/runjob.js';
import { fillDefaults, keyedIfUntrusted, type SettledOptions } from '../../run/settled.js';
import type { RunStats } from '../../run/stats.js';
import type { ItemFinder } from './items/finder.js';
import { readItems, type TestItem } from './items/read.js';
import { type PassageJobOptions, passagesJob } from './job.js';
import type { PassageCounts } from './observer.js';
import {
  type ItemCounts,
  type PassageOptions,
  type PassageRunStats,
  type PassageStats,
  passageDefaults,
  passageFormats,
} from './passageoptions.js';
import { type PassageSettings, settlePassages } from './passagesettings.js';
import type { PassagesReview } from './review.js';
import { rewrittenTypes } from './warctext.js';

const passageOptionNames: OptionNames<PassageOptions> = optionNamesOf('passages', 'detector');

/**
 * The format of the inputs: NDJSON if their names suggest none.
 * @throws FirstseenError E_USAGE when they suggest several, or for records without a text.
 */
function passageFormat(
  inputs: readonly InputRequest[],
  format: InputFormatName = commonFormat(inputs, () => 'ndjson'),
): InputFormatName {
  if (passageFormats.includes(format)) return format;
  throw new FirstseenError(
    'E_USAGE',
    `passages are found in a text of records, but records of format ${format} have none`,
    {
      ...{ option: 'format', given: format, expected: `one of ${passageFormats.join(', ')}` },
      remedy: 'convert the inputs to NDJSON, one JSON object a line',
    },
  );
}

/** The settings with the keys of the format, unless others were given. */
function settingsFor(settings: PassageSettings, given: PassageOptions, format: InputFormatName): PassageSettings {
  if (format !== 'warc') return settings;
  const { textKey = WARC_TEXT, idKey = WARC_NAME } = given;
  return { ...settings, textKeys: keysOfTexts(textKey), idKey };
}

/** @throws FirstseenError E_USAGE for records that cannot be rewritten. */
function checkRewritten({ emit }: PassageSettings, format: InputFormatName): void {
  if (emit !== 'rewritten' || format === 'warc' || recordFormatOf(format) === 'ndjson') return;
  throw new FirstseenError(
    'E_USAGE',
    phrase`${optionName('emit')} rewritten changes texts of JSON and WARC, but the records are ${format}`,
    {
      ...{ option: 'emit', given: emit },
      remedy: phrase`convert the inputs to NDJSON, or use ${optionName('emit')} spans or documents`,
    },
  );
}

/** The options with the types of WARC records that are rewritten. */
function withTypes(
  options: SettledOptions,
  { emit, textKeys }: PassageSettings,
  format: InputFormatName,
): SettledOptions {
  if (emit !== 'rewritten' || format !== 'warc') return options;
  const { records } = options;
  return { ...options, records: { ...records, warcTypes: rewrittenTypes(textKeys, records.warcTypes) } };
}

function passageStats(
  { by, ngram }: PassageSettings,
  counts: PassageCounts,
  finder: ItemFinder | undefined,
): PassageRunStats {
  if (finder) return { by: 'ngram', ngram, ...counts, items: finder.counts() };
  return { by, ngram: by === 'ngram' ? ngram : null, ...counts, items: null };
}

/** The items of the files that were given, if any. */
async function itemsFor(
  { against, itemTextKey, itemIdKey, onWarning }: PassageOptions,
  { textKeys }: PassageSettings,
  maxRecordBytes: number,
): Promise<readonly TestItem[] | undefined> {
  if (against === undefined) return undefined;
  const inputs = await inputFiles({ inputs: against, ...(onWarning && { onWarning }) });
  const format = passageFormat(inputs);
  const isWarc = format === 'warc';
  return await readItems({
    ...{ inputs, format, maxRecordBytes },
    textKeys: keysOfTexts(itemTextKey ?? (isWarc ? WARC_TEXT : textKeys)),
    idKey: itemIdKey ?? (isWarc ? WARC_NAME : passageDefaults.idKey),
    mayLackId: itemIdKey === undefined,
  });
}

/** The warning about items that are not looked for; undefined if all are. */
function leftOutWarning(
  { items, leftOut }: ItemCounts,
  { ngram, minWords }: PassageSettings,
): FirstseenError | undefined {
  if (leftOut === 0) return undefined;
  const least = minWords > 0 ? Math.min(minWords, ngram) : ngram;
  const problem = `${formatCount(leftOut)} of ${formatCount(items)} items have fewer than ${formatCounted(least, 'word')}, and are not looked for`;
  return new FirstseenError('E_PARAMETER', problem, {
    option: 'minWords',
    remedy: phrase`give ${optionName('minWords')} to look for shorter items as a whole, or a smaller ${optionName('ngram')}`,
  });
}

/** A run warns if it had this many texts. */
const MIN_DOCUMENTS = 100;

/** The warning that most texts have nothing to compare; undefined if they have. */
function uncomparedWarning({
  documents,
  documentsBlank,
  documentsUncompared,
}: PassageCounts): FirstseenError | undefined {
  const without = documentsBlank + documentsUncompared;
  if (documents < MIN_DOCUMENTS || 2 * without <= documents || documentsUncompared === 0) return undefined;
  const problem = `${formatCount(without)} of ${formatCount(documents)} texts have no passage that is compared`;
  const [length, words] = [optionName('minLength'), optionName('minWords')];
  return new FirstseenError('E_PARAMETER', problem, { remedy: phrase`lower ${length} or ${words}` });
}

/**
 * Finds the passages of the texts of the inputs that were seen before, and writes what `emit` says.
 * @throws FirstseenError as a run over records does.
 */
export async function runPassages(options: PassageOptions): Promise<PassageStats> {
  checkOptions(options, passageOptionNames, 'E_USAGE');
  checkKinds(sharedRowsOf('passages'), { ...options });
  const askedSettings = settlePassages(options);
  const filledOptions = fillDefaults({ ...options, emit: askedSettings.emit });
  const stores = new OpenStores();
  const inputs = await inputFiles(options, stores);
  const format = passageFormat(inputs, options.format);
  const settings = settingsFor(askedSettings, options, format);
  checkRewritten(settings, format);
  const runSettings = withTypes(filledOptions, settings, format);
  const { maxRecordBytes, missingKey, hasHeader } = runSettings.records;
  const { isReadOnly, state } = runSettings.state;
  const items = await itemsFor(options, askedSettings, maxRecordBytes);
  let counts: PassageCounts | undefined;
  let finder: ItemFinder | undefined;
  let review: PassagesReview | undefined;
  const job: PassageJobOptions = {
    ...{
      settings,
      format: recordFormatOf(format),
      hasHeader,
      texts: joinedTexts(settings.textKeys, recordFormatOf(format), { areStrings: true }),
      maxRecordBytes,
      missingKey,
      state,
      isReadOnly,
      items,
      onWarning: options.onWarning,
    },
    // The witness tells which repeats the table has forgotten.
    detector: { ...keyedIfUntrusted(options.detector ?? {}, options), witness: true },
    onItems(itemFinder) {
      finder = itemFinder;
      const warning = leftOutWarning(itemFinder.counts(), settings);
      if (warning) options.onWarning?.(warning);
    },
    isReviewed: options.onReview !== undefined,
    onBegin: (jobCounts, reviewing) => {
      counts = jobCounts;
      review = reviewing;
    },
  };
  // `load` is a getter that scans the table, so the object must not be copied.
  const withPassages = (stats: RunStats): PassageStats =>
    Object.assign(stats, { passages: passageStats(settings, counts as PassageCounts, finder) });
  const stats = await runJob({
    job: passagesJob,
    asked: job,
    options: runSettings,
    format,
    key: { keys: settings.textKeys, keyOptions: settings.textKeys.map(() => 'textKey') },
    inputs,
    stores,
    onFailure: (failedStats) => options.onFailure?.(withPassages(failedStats)),
  }).finally(() => review && options.onReview?.(review.review()));
  const warning = uncomparedWarning(counts as unknown as PassageCounts);
  if (warning) options.onWarning?.(warning);
  return withPassages(stats);
}
