// Runs exact deduplication over files, in memory or with a folder for what memory cannot hold.

import { checkFunctions, checkObject, checkOptions, checkWord } from '../../base/check.js';
import { defined } from '../../base/defined.js';
import { commonFormat } from '../../io/formats.js';
import { OpenStores } from '../../io/store/openstores.js';
import { onOverload as onOverloadOption } from '../../options/detector.js';
import { checkKinds } from '../../options/kinds.js';
import { count as countOption } from '../../options/run.js';
import { equalityOf } from '../../records/equality.js';
import { inputFormatNames, recordFormatOf } from '../../records/formats.js';
import { checkKeyList } from '../../records/keyscheme.js';
import { keyRulesOf } from '../../records/policies.js';
import { folderKeysOf } from '../../run/foldercolumns.js';
import { inputFiles } from '../../run/inputfiles.js';
import { runJob } from '../../run/runjob.js';
import { type RunOptions, runDefaults, runOptionNames } from '../../run/runoptions.js';
import { fillDefaults, keyedIfUntrusted } from '../../run/settled.js';
import type { RunStats } from '../../run/stats.js';
import { checkCounting } from '../spill/counting.js';
import { spillFolderOf } from '../spill/folder.js';
import { spillingDetector, spillJob } from '../spill/job.js';
import { parseKeep } from '../spill/keep.js';
import { exactJob } from './job.js';
import { lineKeysFor } from './linekeys.js';
import { RecordsReview } from './review.js';

/**
 * Deduplicates the inputs into the outputs.
 * @throws FirstseenError for every failure of a run; OutputClosed when the reader of an output has closed it.
 */
export async function runFiles(runOptions: RunOptions): Promise<RunStats> {
  const options = checkObject(runOptions, 'E_USAGE');
  checkOptions(options, runOptionNames, 'E_USAGE');
  checkFunctions({ onElements: options.onElements, onFailure: options.onFailure }, 'E_USAGE');
  const { keys: allKeys = runDefaults.keys, onElements, onFailure, onWarning, onOverload, onReview } = options;
  checkKeyList(allKeys, 'E_USAGE');
  const namedFormat = options.format && checkWord('format', options.format, inputFormatNames, 'E_USAGE');
  const detector = keyedIfUntrusted({ ...runDefaults.detector, ...options.detector }, options);
  const rules = keyRulesOf(options, 'E_USAGE');
  const { emit = runDefaults.emit, keep = runDefaults.keep, count = runDefaults.count } = options;
  const keptRecord = parseKeep(keep);
  checkKinds([countOption], { count });
  const equality = equalityOf(options, 'E_USAGE');
  const runSettings = fillDefaults(options);
  const stores = new OpenStores();
  const inputs = await inputFiles(options, stores);
  const fileFormat = namedFormat ?? commonFormat(inputs);
  const hasLineKeys = options.keyPattern !== undefined || options.keyChars !== undefined;
  const lineKeys = hasLineKeys ? await lineKeysFor(options, fileFormat) : undefined;
  const format = lineKeys ? 'fields' : fileFormat;
  const spill = spillFolderOf(options);
  const { keys, saltOf } = folderKeysOf({
    ...options,
    spilling: spill?.because,
    keys: lineKeys?.names ?? allKeys,
    inputs,
    format: recordFormatOf(format, allKeys),
    emit,
  });
  const key = { keys, rules, lineKeys, equality, saltOf };
  const request = {
    options: runSettings,
    inputs,
    format,
    isFormatGuessed: namedFormat === undefined,
    key,
    stores,
    onFailure,
  };
  const review = onReview && new RecordsReview(spill === undefined);
  const tellReview = () => review && onReview?.(review.review());
  if (spill !== undefined) {
    const exact = spillingDetector({ ...options, detector }, spill.because);
    if (count) checkCounting(options, inputs, format);
    const spillRequest = { detector: exact, folder: spill.path, format, keep: keptRecord, emit, count, review };
    return runJob({ job: spillJob, asked: spillRequest, ...request }).finally(tellReview);
  }
  if (onOverload !== undefined) checkWord('onOverload', onOverload, onOverloadOption.words, 'E_USAGE');
  const isReadOnly = options.isReadOnly ?? runDefaults.isReadOnly;
  const exactOptions = { detector, isReadOnly, ...defined({ onElements, onOverload, onWarning, review }) };
  return runJob({ job: exactJob, asked: exactOptions, ...request }).finally(tellReview);
}
