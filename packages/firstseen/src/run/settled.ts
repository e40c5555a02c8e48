// The options of a run, settled once where it begins: every default is filled in, and each part of the run gets only its own.

import { checkFunctions, checkWord } from '../base/check.js';
import { defined } from '../base/defined.js';
import { invalidOption } from '../base/errors.js';
import { partialPolicies } from '../io/policies.js';
import { outputPath } from '../io/system/paths.js';
import { errorPolicies, missingKeyPolicies } from '../records/policies.js';
import { runDefaults, type SharedOptions } from './options.js';
import { checkThreads } from './threads.js';

type SharedDefaults = Omit<typeof runDefaults, 'keys' | 'detector' | 'keyRules' | 'onOverload'>;

/** All options with every default filled in. */
type Filled = Omit<SharedOptions, keyof SharedDefaults> & {
  [Name in keyof SharedDefaults]: Exclude<SharedOptions[Name], undefined>;
};

/** What the detector takes from the options that all jobs share. */
export type DetectorShare = Pick<Filled, 'secretFile' | 'threads'>;

/** How records are read. */
export type RecordOptions = Pick<
  Filled,
  'hasHeader' | 'missingKey' | 'onError' | 'isStrict' | 'maxRecordBytes' | 'shard'
>;

/** Where the times of records come from, and how far they may be ahead. */
export type TimeOptions = Pick<
  Filled,
  'timeKey' | 'timeFormat' | 'timeZone' | 'maxLeadSeconds' | 'isClockReset' | 'now'
>;

/** What is read, and how far. */
export type InputOptions = Pick<Filled, 'inputs' | 'isFollowing' | 'partial'>;

/** What is written, and where. */
export type OutputOptions = Pick<Filled, 'emit' | 'annotate' | 'output' | 'duplicatesTo' | 'isCompressed'>;

/** What is kept between runs. */
export type StateOptions = Pick<Filled, 'state' | 'checkpointSeconds' | 'isNewRun' | 'isReadOnly'>;

/** What a run reports, and how it is ended. */
export type ReportOptions = Pick<Filled, 'signal' | 'onReady' | 'onWarning' | 'onProgress'>;

/** The options of a run in separate records. Each part of the run gets only those that it works with. */
export interface SettledOptions {
  readonly detector: DetectorShare;
  readonly records: RecordOptions;
  readonly time: TimeOptions;
  readonly input: InputOptions;
  readonly output: OutputOptions;
  readonly state: StateOptions;
  readonly report: ReportOptions;
}

function sharedDefaults(): SharedDefaults {
  const { keys: _keys, detector: _detector, keyRules: _keyRules, onOverload: _onOverload, ...shared } = runDefaults;
  return shared;
}

function checkTexts(option: string, value: unknown): void {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return;
  throw invalidOption({ code: 'E_USAGE', option, given: value, expected: 'a list of texts' });
}

/** @throws FirstseenError E_USAGE for an option of another type, or a word that is not one of its choices. */
function checkTypes(options: Filled): void {
  const { inputs, output, duplicatesTo, state, secretFile, timeKey, timeFormat, timeZone, annotate, shard } = options;
  const { missingKey, onError, partial, onReady, now, onWarning, onProgress } = options;
  checkTexts('inputs', inputs);
  if (inputs.length === 0) {
    throw invalidOption({ code: 'E_USAGE', option: 'inputs', given: inputs, expected: 'a list of one or more paths' });
  }
  const texts = { output, duplicatesTo, state, secretFile, timeKey, timeFormat, timeZone, annotate, shard };
  for (const [option, value] of Object.entries(texts)) {
    if (value === undefined || typeof value === 'string') continue;
    throw invalidOption({ code: 'E_USAGE', option, given: value, expected: 'a text' });
  }
  checkWord('missingKey', missingKey, missingKeyPolicies, 'E_USAGE');
  checkWord('onError', onError, errorPolicies, 'E_USAGE');
  checkFunctions({ onReady, now, onWarning, onProgress }, 'E_USAGE');
  checkThreads(options.threads);
  if (partial !== undefined) checkWord('partial', partial, partialPolicies, 'E_USAGE');
}

/**
 * Checks the options of a run, fills in the defaults of those that are absent, and puts them into their records.
 * @throws FirstseenError E_USAGE for an option of another type, or a word that is not one of its choices.
 */
export function fillDefaults({ output: path, ...others }: SharedOptions): SettledOptions {
  const given = defined({ ...others, output: outputPath(path) });
  const filled = { ...sharedDefaults(), ...given } as Filled;
  checkTypes(filled);
  const { secretFile, threads, hasHeader, missingKey, onError, isStrict, maxRecordBytes, shard } = filled;
  const { timeKey, timeFormat, timeZone, maxLeadSeconds, isClockReset, now, inputs, isFollowing, partial } = filled;
  const { emit, annotate, output, duplicatesTo, isCompressed, state, checkpointSeconds, isNewRun, isReadOnly } = filled;
  const { signal, onReady, onWarning, onProgress } = filled;
  return {
    detector: { secretFile, threads },
    records: { hasHeader, missingKey, onError, isStrict, maxRecordBytes, shard },
    time: { timeKey, timeFormat, timeZone, maxLeadSeconds, isClockReset, now },
    input: { inputs, isFollowing, partial },
    output: { emit, annotate, output, duplicatesTo, isCompressed },
    state: { state, checkpointSeconds, isNewRun, isReadOnly },
    report: { signal, onReady, onWarning, onProgress },
  };
}
