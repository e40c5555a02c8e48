// One batch: the records that the scanner framed, from their classes to their verdicts.

import type { Detector } from '../detectors/detector.js';
import { FirstseenError } from '../errors.js';
import { DUPLICATE } from '../kernel/abi.js';
import { decisions, type RecordClass, recordClass, recordClasses } from '../records/classes.js';
import type { FormatName } from '../records/formats.js';
import type { strictProblem as StrictProblemFunction } from '../records/strict.js';
import type { RunCounts } from './counts.js';
import { countedAs, decide, type ExceptionPolicies, recordError, tooLongReason } from './exceptions.js';
import type { Observer } from './job.js';
import { bytesBetween } from './regions.js';

/** Loaded only when it is needed. */
export type StrictProblem = typeof StrictProblemFunction;

export interface BatchOptions extends ExceptionPolicies {
  detector: Detector;
  /** Answers in place of the detector. */
  observer?: Observer | undefined;
  format: FormatName;
  /** Parses every record in full, when given. */
  strictProblem: StrictProblem | undefined;
  maxRecordBytes: number;
  counts: RunCounts;
  timing: Timing;
  /** Told of the fingerprints that are about to be observed. */
  onElements?: ((fingerprints: BigUint64Array) => void) | undefined;
}

/**
 * Where a detector whose window is a time takes it from, in milliseconds since 1970: the clock of the host, or each record,
 * which may tell none that is later than `latest` says when it is read; `none` for all others.
 */
export type Timing = 'none' | (() => number) | { latest: () => number };

function isToldByRecords(timing: Timing): timing is { latest: () => number } {
  return typeof timing === 'object';
}

/** Has to precede every scan, as the clock goes on. */
export function boundTimes({ detector, timing }: Pick<BatchOptions, 'detector' | 'timing'>): void {
  if (isToldByRecords(timing)) detector.kernel.exports.scanTimesUntil(timing.latest());
}

/** Why a batch was not taken whole; the record at `taken` is the one. */
export type Failure = (place: string) => FirstseenError;

export interface BatchResult {
  /** Records at the front that have a verdict. */
  taken: number;
  failure?: Failure;
}

interface Exception {
  index: number;
  found: RecordClass;
}

/** Gives the framed records their verdicts, in the kernel, and counts them. */
export function takeBatch(options: BatchOptions, framed: number, columnCount: number | undefined): BatchResult {
  const { detector, counts } = options;
  const problems = strictProblems(options, framed, columnCount);
  const hasExceptions = detector.kernel.exports.scanExceptions() > 0 || problems.size > 0;
  const { exceptions, ...decided } = hasExceptions
    ? decideExceptions(options, framed, problems)
    : { exceptions: [], taken: framed };
  const observed = observe(options, decided.taken, hasExceptions);
  const result = observed.failure ? observed : decided;
  for (const { index, found } of exceptions) {
    const name = countedAs(found);
    if (name && index < result.taken) counts[name]++;
  }
  countVerdicts(options, result.taken);
  return result;
}

/** What a parse in full finds wrong, by the index of the record. */
function strictProblems(
  { detector, format, strictProblem }: BatchOptions,
  framed: number,
  columnCount: number | undefined,
): Map<number, string> {
  const { kernel } = detector;
  const problems = new Map<number, string>();
  if (!strictProblem) return problems;
  for (let i = 0; i < framed; i++) {
    const found = kernel.recordClasses[i];
    if (found !== recordClasses.KEYED.code && found !== recordClasses.KEY_MISSING.code) continue;
    const record = bytesBetween(kernel, kernel.recordStarts[i] as number, kernel.recordEnds[i] as number);
    const problem = strictProblem(format, record, columnCount);
    if (problem !== undefined) problems.set(i, problem);
  }
  return problems;
}

/** Overwrites the class of every record that is not simply keyed with what the policies make of it. */
function decideExceptions(
  options: BatchOptions,
  framed: number,
  problems: ReadonlyMap<number, string>,
): BatchResult & { exceptions: Exception[] } {
  const { recordClasses: codes } = options.detector.kernel;
  const exceptions: Exception[] = [];
  for (let index = 0; index < framed; index++) {
    const problem = problems.get(index);
    const code = codes[index] as number;
    if (code === recordClasses.KEYED.code && problem === undefined) continue;
    const found = problem === undefined ? recordClass(code) : recordClasses.BAD_STRUCTURE;
    const decision = decide(found, options);
    if (decision === 'fail') {
      const reason = found === recordClasses.TOO_LONG ? tooLongReason(options.maxRecordBytes) : found.reason;
      const failure: Failure = (place) => recordError(found, place, problem ?? reason);
      return { taken: index, failure, exceptions };
    }
    codes[index] = decision;
    exceptions.push({ index, found });
  }
  return { taken: framed, exceptions };
}

/** All records of a batch arrive together: the clock is asked once. */
function observeKeyed(observer: Observer, timing: Timing, count: number): void {
  if (isToldByRecords(timing)) {
    observer.observePlacedTimed(count);
    return;
  }
  if (timing !== 'none') observer.advance(timing());
  observer.observePlaced(count);
}

function observe(options: BatchOptions, count: number, hasExceptions: boolean): BatchResult {
  const { detector, timing, onElements } = options;
  const { kernel } = detector;
  const observer = options.observer ?? detector;
  if (hasExceptions && isToldByRecords(timing)) kernel.exports.gatherTimes(count);
  const keyed = hasExceptions ? kernel.exports.gatherKeyed(count) : count;
  const before = observer.observed;
  onElements?.(kernel.fingerprints.subarray(0, keyed));
  let result: BatchResult = { taken: count };
  try {
    observeKeyed(observer, timing, keyed);
  } catch (error) {
    if (!(error instanceof FirstseenError)) throw error;
    const { code, message } = error;
    const taken = hasExceptions
      ? indexOfKeyed(kernel.recordClasses, observer.observed - before)
      : observer.observed - before;
    result = { taken, failure: (place) => new FirstseenError(code, `${place}: ${message}`) };
  }
  if (hasExceptions) kernel.exports.scatterVerdicts(result.taken);
  return result;
}

/** The index of the keyed record that has `before` keyed records before it. */
function indexOfKeyed(classes: Uint8Array, before: number): number {
  let index = 0;
  for (let left = before; ; index++) {
    if (classes[index] !== recordClasses.KEYED.code) continue;
    if (left-- === 0) return index;
  }
}

function countVerdicts({ detector, counts }: BatchOptions, taken: number): void {
  const count = (verdict: number) => detector.kernel.exports.countVerdicts(taken, verdict);
  const duplicates = count(DUPLICATE);
  const passed = count(decisions.PASSED);
  const dropped = count(decisions.DROPPED);
  const records = taken - count(decisions.COPIED);
  counts.records += records;
  counts.duplicates += duplicates;
  counts.passed += passed;
  counts.dropped += dropped;
  counts.distinct += records - duplicates - passed - dropped;
}
