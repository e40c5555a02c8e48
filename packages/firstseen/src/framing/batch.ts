// One batch: gives the records that the scanner framed their verdicts.

import { defined } from '../base/defined.js';
import { FirstseenError, type Phrase, phrase } from '../base/errors.js';
import type { Detector } from '../detectors/detector.js';
import { DUPLICATE, NO_BYTE } from '../kernel/abi.js';
import { bytesBetween } from '../kernel/bytes.js';
import type { Kernel } from '../kernel/kernel.js';
import { decisions, type RecordClass, recordClass, recordClasses } from '../records/classes.js';
import type { Dialect } from '../records/dialect.js';
import { type FormatName, hasMark, withoutTerminator } from '../records/formats.js';
import type { LineKeys } from '../records/linekeys.js';
import type { strictProblem as StrictProblemFunction } from '../records/strict.js';
import type { Counter, ExceptionCounts } from './counts.js';
import {
  commaProblem,
  countedAs,
  decide,
  type ExceptionPolicies,
  longKeyReason,
  missingTime,
  type RecordProblem,
  recordError,
  type TimeField,
  timeProblem,
  tooLongReason,
  tooLongRemedy,
} from './exceptions.js';
import { joinedRecords } from './joined.js';
import type { LinesBeforeOptions } from './linesbefore.js';

const NEWLINE = 0x0a;

/** The result of observing the keys of a batch. */
export interface Observation {
  /** The number of keys at the front that have a verdict: all of them, unless there is a failure, or a claim holds the next key. */
  taken: number;
  /** The error because of which the key at `taken` has no verdict. */
  failure?: FirstseenError;
  /** Keys that have a verdict but could not be observed. */
  exceptions?: Partial<ExceptionCounts>;
}

/** The functions that observe keys. */
export interface Observer {
  /** Writes the verdicts of the first `count` keys in the kernel. */
  observe(count: number): Observation;
  /** Like `observe`, with the time of each key in the kernel's `times`; `observe` by default. */
  observeTimed?(count: number): Observation;
  /** Advances a window that is a duration to this time, in milliseconds since 1970. Absent without a window. */
  advance?(timeMilliseconds: number): void;
}

/** Loaded only when it is needed. */
export type StrictProblem = typeof StrictProblemFunction;

export interface BatchOptions extends ExceptionPolicies {
  kernel: Kernel;
  job: Observer;
  format: FormatName;
  /** The dialect of csv; that of RFC 4180 by default. */
  dialect?: Dialect | undefined;
  /** The lines before the records of an input; none by default. */
  linesBefore?: LinesBeforeOptions | undefined;
  /** The finder of keys of lines that are not fields. */
  lineKeys?: LineKeys | undefined;
  /** Validates every record in full, if given. */
  strictProblem: StrictProblem | undefined;
  maxRecordBytes: number;
  /** The remedy for a record that is longer, where nobody can give a larger limit. */
  tooLongRemedy?: Phrase | undefined;
  counter: Counter;
  timing: Timing;
  /** True if records have ranks in place of times. */
  hasRanks?: boolean;
  /** The field of a record's time, if records have one. */
  timeField?: TimeField | undefined;
  /** True if this run takes the records without a key: one of the shards has to. */
  takesKeyless: boolean;
  /** Called for each row that is dropped because of a quote without an end, up to the next line that is a row. */
  onBrokenRow?: ((row: BrokenRow) => void) | undefined;
}

/** A row with a quote that is not closed. */
export interface BrokenRow {
  location: string;
  /** Lines and bytes that were dropped with it. */
  lines: number;
  bytes: number;
}

/**
 * The source of times for a detector whose window is a duration, in milliseconds since 1970: the clock of the host, or a time in
 * each record, which must not be later than `latest` returns when the record is read. `none` for all other detectors.
 */
export type Timing = 'none' | (() => number) | { latest: () => number };

function isToldByRecords(timing: Timing): timing is { latest: () => number } {
  return typeof timing === 'object';
}

/** Must be called before every scan, because the clock advances. */
export function boundTimes({ kernel, timing }: Pick<BatchOptions, 'kernel' | 'timing'>): void {
  if (isToldByRecords(timing)) kernel.exports.scanTimesUntil(timing.latest());
}

/** Makes the error for the record at `taken`, which has no verdict. */
export type Failure = (location: string) => FirstseenError;

export interface BatchResult {
  /** The number of records at the front that have a verdict. */
  taken: number;
  failure?: Failure;
}

interface Exception {
  index: number;
  found: RecordClass;
}

/** A batch whose records without a usable key are decided. The keys of the others are to be observed. */
export interface DecidedBatch extends BatchResult {
  hasExceptions: boolean;
  exceptions: readonly Exception[];
  /** The number of keys, which are at the front of the kernel's batch. */
  keyed: number;
}

/**
 * Decides on the framed records without a usable key, and moves the keys of the others to the front.
 * @param invalid the number of records without a usable key
 */
export function decideBatch(
  options: BatchOptions,
  recordCount: number,
  invalid: number,
  columnCount: number | undefined,
): DecidedBatch {
  const problems = strictProblems(options, recordCount, columnCount);
  const hasExceptions = invalid > 0 || problems.size > 0;
  if (!hasExceptions) return { exceptions: [], taken: recordCount, hasExceptions, keyed: recordCount };
  const decidedBatch = decideExceptions(options, recordCount, problems);
  const { kernel, timing, hasRanks } = options;
  if (isToldByRecords(timing) || hasRanks) kernel.exports.gatherTimes(decidedBatch.taken);
  return { ...decidedBatch, hasExceptions, keyed: kernel.exports.gatherKeyed(decidedBatch.taken) };
}

/** Gives the records of a batch their verdicts, after its keys were observed, and counts them. */
export function finishBatch(options: BatchOptions, decidedBatch: DecidedBatch, observation: Observation): BatchResult {
  const { kernel, counter } = options;
  const { hasExceptions, exceptions } = decidedBatch;
  const { taken: observedCount, failure, exceptions: counts = {} } = observation;
  counter.addRecords(counts);
  const locatedFailure = failure ? located(failure) : undefined;
  const result =
    observedCount < decidedBatch.keyed
      ? {
          taken: hasExceptions ? indexOfKeyed(kernel.recordClasses, observedCount) : observedCount,
          ...defined({ failure: locatedFailure }),
        }
      : { taken: decidedBatch.taken, ...defined({ failure: decidedBatch.failure }) };
  if (hasExceptions) kernel.exports.scatterVerdicts(result.taken);
  for (const { index, found: exception } of exceptions) {
    const name = countedAs(exception);
    if (name && index < result.taken) counter.addRecords({ [name]: 1 });
  }
  countVerdicts(options, result.taken);
  return result;
}

/** Writes the verdicts of the framed records into the kernel, and counts the records. */
export function takeBatch(options: BatchOptions, recordCount: number, columnCount: number | undefined): BatchResult {
  const decidedBatch = decideBatch(options, recordCount, options.kernel.exports.scanExceptions(), columnCount);
  return finishBatch(options, decidedBatch, observeKeyed(options, decidedBatch.keyed));
}

/** The lines of the first `records` of a batch, from `start` to `end`: a row of csv can have several, and a line of ndjson several records. */
export function linesBetween(
  { kernel, format }: Pick<BatchOptions, 'kernel' | 'format'>,
  start: number,
  end: number,
  records: number,
): number {
  if (format === 'csv') return kernel.exports.countByte(start, end, NEWLINE);
  return format === 'ndjson' ? records - joinedRecords(kernel, records) : records;
}

/** The classes of records that validation in full can still find invalid. */
const maybeValid: ReadonlySet<number> = new Set(
  [recordClasses.KEYED, recordClasses.KEY_MISSING, recordClasses.KEY_EMPTY].map(({ code }) => code),
);

/** The problems that validation in full finds, by the index of the record. */
function strictProblems(
  { kernel, format, dialect, strictProblem }: BatchOptions,
  recordCount: number,
  columnCount: number | undefined,
): Map<number, string> {
  const problems = new Map<number, string>();
  if (!strictProblem) return problems;
  for (let i = 0; i < recordCount; i++) {
    const classCode = kernel.recordClasses[i];
    if (!maybeValid.has(classCode as number)) continue;
    const record = bytesBetween(kernel, kernel.recordStarts[i] as number, kernel.recordEnds[i] as number);
    const problem = strictProblem(format, withoutTerminator(record), columnCount, dialect);
    if (problem !== undefined) problems.set(i, problem);
  }
  return problems;
}

function recordBytes({ bytes, recordStarts, recordEnds }: Kernel, index: number): Uint8Array {
  return bytes.subarray(recordStarts[index] as number, recordEnds[index] as number);
}

/** Tells if a record begins with a byte order mark. One at the start of a file was skipped before. */
function beginsWithMark({ bytes, recordStarts }: Kernel, index: number): boolean {
  const start = recordStarts[index] as number;
  return hasMark(bytes.subarray(start));
}

const markInside = {
  reason: 'the line begins with a byte order mark, which is only at the start of a file',
  remedy: phrase`if files were joined, name each of them as an input`,
};

const SPACE = 0x20;

/** The text of a time that is not valid. Where blanks are between fields, it goes on in the fields after its own. */
function invalidTime(
  { kernel, format, dialect }: BatchOptions,
  { names, wordCount }: TimeField,
  index: number,
): string {
  const start = kernel.exports.scanInvalidTimeStart() >>> 0;
  const hasBlanks = format === 'fields' && [undefined, NO_BYTE, SPACE].includes(dialect?.delimiter);
  const goesOn = hasBlanks && names.length === 1 && start >= (kernel.recordStarts[index] as number);
  const end = goesOn ? (kernel.recordEnds[index] as number) : kernel.exports.scanInvalidTimeEnd() >>> 0;
  const text = new TextDecoder().decode(bytesBetween(kernel, start, end));
  return goesOn
    ? text
        .split(/(?<=\S)(?=[ \t])|(?=\n)/, wordCount)
        .join('')
        .trimEnd()
    : text;
}

/** Returns the reason why a record is refused, and the remedy. Shows a time that is not valid. */
function problemOf(options: BatchOptions, exception: RecordClass, index: number): RecordProblem {
  const { kernel, maxRecordBytes, tooLongRemedy: remedy = tooLongRemedy(), timeField } = options;
  if (exception === recordClasses.TOO_LONG) {
    // The limit is for a record without its terminator.
    if (withoutTerminator(recordBytes(kernel, index)).length <= maxRecordBytes) return { reason: longKeyReason() };
    return { reason: tooLongReason(maxRecordBytes), remedy };
  }
  if (exception === recordClasses.TEXT_AFTER_OBJECT) return commaProblem(recordBytes(kernel, index)) ?? exception;
  if (exception === recordClasses.NOT_AN_OBJECT && beginsWithMark(kernel, index)) return markInside;
  const isTime = exception === recordClasses.TIME_UNREADABLE || exception === recordClasses.TIME_AHEAD;
  const start = kernel.exports.scanInvalidTimeStart() >>> 0;
  if (!isTime || timeField === undefined) return exception;
  if (start === 0 || kernel.exports.scanInvalidTimeRecord() !== index) return missingTime(timeField);
  return timeProblem(exception, timeField, invalidTime(options, timeField, index));
}

/** Overwrites the class of every record without a usable key with the decision of the policies. */
function decideExceptions(
  options: BatchOptions,
  recordCount: number,
  problems: ReadonlyMap<number, string>,
): BatchResult & { exceptions: Exception[] } {
  const { recordClasses: codes } = options.kernel;
  const exceptions: Exception[] = [];
  for (let index = 0; index < recordCount; index++) {
    const problem = problems.get(index);
    const code = codes[index] as number;
    if (code === recordClasses.KEYED.code && problem === undefined) continue;
    if (code === recordClasses.OTHER_SHARD.code) {
      codes[index] = decisions.SKIPPED;
      continue;
    }
    const exception = problem === undefined ? recordClass(code) : recordClasses.BAD_STRUCTURE;
    const decision = decide(exception, options);
    if (decision === 'fail') {
      const { reason, remedy } = problem === undefined ? problemOf(options, exception, index) : { reason: problem };
      const failure: Failure = (location) => recordError(exception, location, reason, remedy);
      return { taken: index, failure, exceptions };
    }
    codes[index] = options.takesKeyless ? decision : decisions.SKIPPED;
    if (options.takesKeyless) exceptions.push({ index, found: exception });
  }
  return { taken: recordCount, exceptions };
}

/** Observes keys; if the detector refuses one, returns how many were observed before it. */
export function observed(detector: Detector, count: number, observe: () => void): Observation {
  const before = detector.observed;
  try {
    observe();
    return { taken: count };
  } catch (failure) {
    if (!(failure instanceof FirstseenError)) throw failure;
    return { taken: detector.observed - before, failure };
  }
}

/** Reads the clock once for a batch: all its records have the same time of arrival. */
export function advanceClock({ job, timing }: Pick<BatchOptions, 'job' | 'timing'>): void {
  if (typeof timing === 'function') job.advance?.(timing());
}

function observeKeyed(options: BatchOptions, count: number): Observation {
  const { job, timing } = options;
  if (job.observeTimed && isToldByRecords(timing)) return job.observeTimed(count);
  advanceClock(options);
  return job.observe(count);
}

function located(failure: FirstseenError): Failure {
  return (location) => failure.at(location);
}

/** The index of the keyed record that has `before` keyed records before it. */
function indexOfKeyed(classes: Uint8Array, before: number): number {
  let index = 0;
  for (let left = before; ; index++) {
    if (classes[index] !== recordClasses.KEYED.code) continue;
    if (left-- === 0) return index;
  }
}

function countVerdicts({ kernel, counter }: BatchOptions, recordCount: number): void {
  const count = (verdict: number) => kernel.exports.countVerdicts(recordCount, verdict);
  const duplicates = count(DUPLICATE);
  const passed = count(decisions.PASSED);
  const dropped = count(decisions.DROPPED);
  const skipped = count(decisions.SKIPPED);
  const records = recordCount - count(decisions.COPIED) - skipped;
  counter.addRecords({
    records,
    duplicates,
    passed,
    dropped,
    skipped,
    distinct: records - duplicates - passed - dropped,
  });
}
