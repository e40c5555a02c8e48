// Records that are not simply keyed: what the caller's policies make of each, and the errors that name file and line.

import { formatCounted } from '../count.js';
import { FirstseenError } from '../errors.js';
import { decisions, type RecordClass, recordClasses } from '../records/classes.js';
import type { ExceptionCounts } from './counts.js';
import type { ErrorPolicy, MissingKeyPolicy } from './options.js';

export interface ExceptionPolicies {
  missingKey: MissingKeyPolicy;
  onError: ErrorPolicy;
}

/** What becomes of a record: the verdict that stands for it, or `fail`. */
export type Decision = number | 'fail';

export function decide(found: RecordClass, { missingKey, onError }: ExceptionPolicies): Decision {
  if (found === recordClasses.BLANK) return decisions.COPIED;
  const policy = found === recordClasses.KEY_MISSING ? missingKey : onError;
  if (policy === 'fail') return 'fail';
  return policy === 'drop' ? decisions.DROPPED : decisions.PASSED;
}

/** The name under which a run counts a class; none for blank lines, which are no records. */
export function countedAs(found: RecordClass): keyof ExceptionCounts | undefined {
  if (found === recordClasses.BLANK) return undefined;
  if (found === recordClasses.KEY_MISSING) return 'missingKey';
  return found === recordClasses.TOO_LONG ? 'tooLong' : 'invalid';
}

/** Where a record is, for a message: `access.log, line 7`. */
export function locationOf(input: string, unit: 'line' | 'record', number: number): string {
  return `${input === '-' ? 'standard input' : input}, ${unit} ${number}`;
}

export function tooLongReason(maxRecordBytes: number): string {
  return `${recordClasses.TOO_LONG.reason}, ${formatCounted(maxRecordBytes, 'byte')} (--max-record)`;
}

export function recordError(found: RecordClass, location: string, reason: string): FirstseenError {
  if (found === recordClasses.KEY_MISSING) {
    return new FirstseenError(
      'E_KEY_MISSING',
      `${location}: ${reason}; --missing-key distinct passes such records on, --missing-key drop leaves them out`,
    );
  }
  return new FirstseenError(
    'E_RECORD',
    `${location}: ${reason}; --on-error pass passes such records on, --on-error drop leaves them out`,
  );
}
