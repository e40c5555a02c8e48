// Records without a usable key: the caller's policy decides what happens to each, and errors name the file and line.

import { formatCounted } from '../count.js';
import { FirstseenError, optionName, type Phrase, phrase } from '../errors.js';
import { decisions, type RecordClass, recordClasses } from '../records/classes.js';
import type { ExceptionCounts } from './counts.js';
import type { ErrorPolicy, MissingKeyPolicy } from './options.js';

export interface ExceptionPolicies {
  missingKey: MissingKeyPolicy;
  onError: ErrorPolicy;
}

/** What to do with a record: the verdict that it gets, or `fail`. */
export type Decision = number | 'fail';

export function decide(found: RecordClass, { missingKey, onError }: ExceptionPolicies): Decision {
  if (found === recordClasses.BLANK) return decisions.COPIED;
  const policy = found === recordClasses.KEY_MISSING ? missingKey : onError;
  if (policy === 'fail') return 'fail';
  return policy === 'drop' ? decisions.DROPPED : decisions.PASSED;
}

/** The name under which a run counts a class. Blank lines have none, because they are not records. */
export function countedAs(found: RecordClass): keyof ExceptionCounts | undefined {
  if (found === recordClasses.BLANK) return undefined;
  if (found === recordClasses.KEY_MISSING) return 'missingKey';
  return found === recordClasses.TOO_LONG ? 'tooLong' : 'invalid';
}

/** The location of a record, for a message: `access.log, line 7`. */
export function locationOf(input: string, unit: 'line' | 'record', number: number): string {
  return `${input === '-' ? 'standard input' : input}, ${unit} ${number}`;
}

export function tooLongReason(maxRecordBytes: number): Phrase {
  return phrase`the record is longer than ${optionName('maxRecordBytes')}, ${formatCounted(maxRecordBytes, 'byte')}`;
}

/** What to do about a record that stops the run, or about a document: choose another policy. */
export function policyRemedy(found: 'KEY_MISSING' | 'INVALID'): Phrase {
  const [option, passing] = found === 'KEY_MISSING' ? ['missingKey', 'distinct'] : ['onError', 'pass'];
  const policy = optionName(option as string);
  return phrase`choose ${policy} ${passing as string} to write it unchecked, or ${policy} drop to leave it out`;
}

export function recordError(found: RecordClass, location: string, reason: string | Phrase): FirstseenError {
  const isMissing = found === recordClasses.KEY_MISSING;
  return new FirstseenError(isMissing ? 'E_KEY_MISSING' : 'E_RECORD', phrase`${location}: ${reason}`, {
    remedy: policyRemedy(isMissing ? 'KEY_MISSING' : 'INVALID'),
  });
}
