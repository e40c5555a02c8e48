// Measures how far duplicates in an input are from their previous occurrences, by reading the input as a run does.

import { devNull } from 'node:os';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { defaultFamily } from '../detectors/registry.js';
import type { FingerprintName } from '../fingerprint/fingerprint.js';
import { lookAtInput, requestOf } from '../io/sources.js';
import { GapSample, streamOfSample } from '../plan/sample.js';
import type { StreamModel } from '../plan/stream.js';
import type { RunOptions } from '../run/runoptions.js';
import { runFiles } from './exact/run.js';

/** The options of a run that decide what is read and what a duplicate is. */
export type SampleOptions = Pick<
  RunOptions,
  | 'format'
  | 'keys'
  | 'keyPattern'
  | 'keyChars'
  | 'keyExcept'
  | 'ignoresCase'
  | 'trims'
  | 'normalize'
  | 'numbersByValue'
  | 'ignoresOrder'
  | 'emptyKey'
  | 'nullKey'
  | 'hasHeader'
  | 'skipLines'
  | 'comment'
  | 'delimiter'
  | 'quote'
  | 'escape'
  | 'missingKey'
  | 'onError'
  | 'maxRecordBytes'
> & {
  /** A path; `-` is standard input. */
  input: string;
  fingerprint?: FingerprintName;
  /** The number of elements to read at most; all by default. */
  sampleRecords?: number;
  /** Elements of the stream, if it is longer than what is read. */
  lengthElements?: number;
};

interface Read {
  sample: GapSample;
  isWhole: boolean;
  records: number;
  bytes: number;
}

async function readSample({
  input,
  sampleRecords,
  fingerprint,
  lengthElements: _l,
  ...sampleOptions
}: SampleOptions): Promise<Read> {
  const most = sampleRecords ?? Number.POSITIVE_INFINITY;
  const sample = new GapSample();
  const enough = new AbortController();
  const { interrupted, records, bytesIn } = await runFiles({
    ...sampleOptions,
    inputs: [input],
    detector: {
      algorithm: defaultFamily.name,
      memory: '1KiB',
      witness: false,
      ...(fingerprint === undefined ? {} : { fingerprint }),
    },
    emit: 'verdicts',
    output: devNull,
    signal: enough.signal,
    onElements(fingerprints) {
      sample.addBatch(fingerprints.subarray(0, Math.min(fingerprints.length, most - sample.elements)));
      if (sample.elements >= most) enough.abort();
    },
  });
  return { sample, isWhole: !interrupted && records <= most, records, bytes: bytesIn };
}

/** The elements of an input that was read in part, estimated from its bytes; undefined if its size is unknown. */
async function lengthOf(input: string, { records, bytes }: Read): Promise<number | undefined> {
  const { note } = await lookAtInput(requestOf(input), 'lines');
  if (!note.isFile || note.isCompressed || bytes === 0) return undefined;
  return Math.max(records, Math.round((records * note.storedBytes) / bytes));
}

/**
 * The stream of an input: measured over all of it, or over its first elements and extrapolated. Memory is bounded.
 * @throws FirstseenError as a run over the input would; E_SAMPLE when too little was read; E_USAGE when the length of an input that
 * was read in part is unknown; E_PARAMETER when it has no elements.
 */
export async function sampledStream(options: SampleOptions): Promise<StreamModel> {
  const { input: name, lengthElements } = options;
  const readPart = await readSample(options);
  const { sample, isWhole } = readPart;
  if (sample.elements === 0) {
    throw new FirstseenError('E_PARAMETER', phrase`${optionName('sample')} ${name} has no elements`, {
      option: 'sample',
      given: name,
      remedy: phrase`give a file that has some, or check ${optionName('keys')} and ${optionName('format')}`,
    });
  }
  if (isWhole || lengthElements !== undefined) return streamOfSample(sample, { name, isWhole, lengthElements });
  const estimate = await lengthOf(name, readPart);
  if (estimate !== undefined) return streamOfSample(sample, { name, isWhole, lengthElements: estimate });
  const remedy = phrase`leave it out, or give ${optionName('lengthElements')}`;
  throw unfitOption('sampleRecords', `the length of ${name} is unknown`, { given: options.sampleRecords, remedy });
}
