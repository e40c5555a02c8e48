// Records without a usable key: the caller's policy decides what happens to each, and errors name the file and line.

import { formatCounted } from '../base/count.js';
import { FirstseenError, optionName, type Phrase, phrase } from '../base/errors.js';
import { decisions, type RecordClass, recordClasses } from '../records/classes.js';
import type { EmptyKeyPolicy, ErrorPolicy, MissingKeyPolicy } from '../records/policies.js';
import type { TimeFormatName } from '../records/timeformat.js';
import { shownFields } from '../records/timekeys.js';
import type { ExceptionCounts } from './counts.js';

const RECORD_SEPARATOR = 0x1e;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

export interface ExceptionPolicies {
  missingKey: MissingKeyPolicy;
  emptyKey: EmptyKeyPolicy;
  onError: ErrorPolicy;
}

/** The treatment of a record: the verdict that it gets, or `fail`. */
export type Decision = number | 'fail';

function policyOf(found: RecordClass, { missingKey, emptyKey, onError }: ExceptionPolicies) {
  if (found === recordClasses.KEY_MISSING) return missingKey;
  return found === recordClasses.KEY_EMPTY ? emptyKey : onError;
}

export function decide(found: RecordClass, policies: ExceptionPolicies): Decision {
  if (found === recordClasses.BLANK) return decisions.COPIED;
  if (found === recordClasses.NOT_COMPARED) return decisions.PASSED;
  const policy = policyOf(found, policies);
  if (policy === 'fail') return 'fail';
  return policy === 'drop' ? decisions.DROPPED : decisions.PASSED;
}

/** The name under which a run counts a class. Blank lines have none, because they are not records. */
export function countedAs(found: RecordClass): keyof ExceptionCounts | undefined {
  if (found === recordClasses.BLANK) return undefined;
  if (found === recordClasses.KEY_MISSING) return 'missingKey';
  if (found === recordClasses.KEY_EMPTY) return 'emptyKey';
  if (found === recordClasses.NOT_COMPARED) return 'notCompared';
  return found === recordClasses.TOO_LONG ? 'tooLong' : 'invalid';
}

/** The location of a record, for a message: `access.log, line 7`. @param offset the bytes before it, if they help to find it */
export function locationOf(input: string, unit: 'line' | 'record', number: number, offset?: number): string {
  return `${input}, ${unit} ${number}${offset === undefined ? '' : ` at byte ${offset}`}`;
}

/** Returns the reason why a record counts as too long although it is not: normalization made its key too long. */
export function longKeyReason(): Phrase {
  return phrase`${optionName('normalize')} makes the key of the record more than three times as long, and 1 KiB longer`;
}

export function tooLongReason(maxRecordBytes: number): Phrase {
  return phrase`the record is longer than ${optionName('maxRecordBytes')}, ${formatCounted(maxRecordBytes, 'byte')}`;
}

export function tooLongRemedy(): Phrase {
  return phrase`give a larger ${optionName('maxRecordBytes')}`;
}

/** The fields of the time of records, and its format. */
export interface TimeField {
  names: readonly string[];
  format: string;
  /** True if times in the format have a year. */
  hasYear: boolean;
  /** The number of texts between blanks of a time in the format. */
  wordCount: number;
}

const MAX_SHOWN_CHARACTERS = 80;

function shownTime(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text);
}

/** The patterns of times of each format. */
const looks: readonly (readonly [TimeFormatName, RegExp])[] = [
  ['iso', /^\d{4}-?\d\d-?\d\d([T ]\d\d:?\d\d.*)?$/],
  ['clf', /^\[?\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d( [+-]\d{4}\]?)?$/],
  ['seconds', /^\d{9,10}(\.\d+)?$/],
  ['milliseconds', /^\d{12,13}$/],
  ['microseconds', /^\d{15,16}$/],
  ['nanoseconds', /^\d{18,19}$/],
];

/** Returns the problem of a record without a text or number as its time. */
export function missingTime({ names }: TimeField): RecordProblem {
  const shown = shownFields(names.map((name) => JSON.stringify(name)));
  return { reason: phrase`the record has no time in ${optionName('timeKey')} ${shown}` };
}

/** Returns the problem of a time that is not valid, with the format that the time looks like. */
export function timeProblem(
  exception: RecordClass,
  { names, format, hasYear }: TimeField,
  text: string,
): RecordProblem {
  const statement = `${shownFields(names)} ${names.length > 1 ? 'are' : 'is'} ${shownTime(text)}`;
  if (exception === recordClasses.TIME_AHEAD) {
    const lead = optionName('maxLead');
    const reason = phrase`${statement}, which is ahead of the clock by more than ${lead} allows`;
    if (hasYear) return { reason };
    const [zone, until] = [optionName('timeZone'), optionName('timeUntil')];
    return {
      reason,
      remedy: phrase`give the ${zone} of the times if it is not UTC, or ${until} for those of an old log`,
    };
  }
  const expectedFormat = format === 'auto' ? 'seconds or milliseconds since 1970, or RFC 3339' : `the format ${format}`;
  const [likelyFormat] = looks.find(([, pattern]) => pattern.test(text.trim())) ?? [];
  const option = optionName('timeFormat');
  const reason = phrase`${statement}, but must be a time in ${expectedFormat}`;
  if (likelyFormat !== undefined && likelyFormat !== format)
    return { reason, remedy: phrase`give ${option} ${likelyFormat}` };
  const remedy = phrase`give the format of the times as ${option}`;
  const until = optionName('timeUntil');
  return { reason, remedy: hasYear ? remedy : phrase`${remedy}, the last year or day of an old log as ${until}` };
}

/** Returns the remedy for a record that stops the run, or for a document: choose another policy. */
export function policyRemedy(found: 'KEY_MISSING' | 'KEY_EMPTY' | 'INVALID'): Phrase {
  const options = { KEY_MISSING: 'missingKey', KEY_EMPTY: 'emptyKey', INVALID: 'onError' } as const;
  const policy = optionName(options[found]);
  const passing = found === 'INVALID' ? 'pass' : 'distinct';
  return phrase`choose ${policy} ${passing} to pass it on unchecked, or ${policy} drop to leave it out`;
}

/** @param remedy what to do, other than to choose another policy */
export function recordError(
  exception: RecordClass,
  location: string,
  reason: string | Phrase,
  remedy?: Phrase,
): FirstseenError {
  const keyProblem = (['KEY_MISSING', 'KEY_EMPTY'] as const).find((name) => exception === recordClasses[name]);
  const policy = policyRemedy(keyProblem ?? 'INVALID');
  return new FirstseenError(keyProblem ? 'E_KEY_MISSING' : 'E_RECORD', phrase`${location}: ${reason}`, {
    remedy: remedy === undefined ? policy : phrase`${remedy}, or ${policy}`,
  });
}

/** Tells if a line begins a JSON array, and whether it also ends one. */
function opensArray(line: Uint8Array): 'open' | 'closed' | undefined {
  const isContent = (byte: number) => byte > 0x20;
  if (line.find(isContent) !== OPEN_BRACKET) return undefined;
  return line.findLast(isContent) === CLOSE_BRACKET ? 'closed' : 'open';
}

const QUOTED_OR_BRACKET = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;

/** Returns the text after the JSON object that a text begins with; empty if the object does not end. */
function afterObject(text: string): string {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(QUOTED_OR_BRACKET)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    if (depth === 0) return text.slice(index + 1);
  }
  return '';
}

/** The problem of a record, and the remedy other than to choose another policy. */
export interface RecordProblem {
  reason: string | Phrase;
  remedy?: Phrase;
}

/** Returns the problem of a line on which a comma follows the object; undefined if none does. */
export function commaProblem(line: Uint8Array): RecordProblem | undefined {
  const rest = afterObject(new TextDecoder().decode(line)).trim();
  if (!/^,\s*(?:\{|$)/.test(rest)) return undefined;
  const reason = 'a comma follows the JSON object, as in an array without its brackets';
  const remedy =
    rest === ','
      ? phrase`remove the commas at the ends of lines, for example with sed 's/,[[:space:]]*$//'`
      : phrase`put [ before and ] after the objects, and write each on a line, for example with jq -c '.[]'`;
  return { reason, remedy };
}

/** Tells if a line begins a JSON object that goes on on the next line, as programs write it for people. */
function opensObject(line: Uint8Array): boolean {
  const isContent = (byte: number) => byte > 0x20;
  const last = line.findLast(isContent) as number;
  return line.find(isContent) === OPEN_BRACE && [OPEN_BRACE, OPEN_BRACKET, COMMA].includes(last);
}

/** The error for a record that is longer than allowed. */
export function tooLongError(location: string, maxRecordBytes: number, remedy = tooLongRemedy()): FirstseenError {
  return recordError(recordClasses.TOO_LONG, location, tooLongReason(maxRecordBytes), remedy);
}

/**
 * The error for a record of warc that is too long, whose length leads to no end of a record. No policy drops it, because other records may
 * be among its bytes.
 */
export function wrongLengthError(location: string, bytes: number): FirstseenError {
  const limit = optionName('maxRecordBytes');
  const problem = phrase`${location}: the Content-Length of the record is wrong, because no record ends ${formatCounted(bytes, 'byte')} after its beginning, and other records may be among them`;
  return new FirstseenError('E_RECORD', problem, {
    remedy: phrase`give a ${limit} of more than ${formatCounted(bytes, 'byte')}, with which the run finds the next record, or correct the length`,
  });
}

/** The error for a header that is longer than allowed. No policy passes it, because the columns of the keys are unknown without it. */
export function longHeaderError(location: string, maxRecordBytes: number): FirstseenError {
  const limit = phrase`${optionName('maxRecordBytes')}, ${formatCounted(maxRecordBytes, 'byte')}`;
  return new FirstseenError('E_RECORD', phrase`${location}: the header is longer than ${limit}`, {
    remedy: phrase`give a larger ${optionName('maxRecordBytes')}, or check that the input is a table`,
  });
}

/** The first record of an input in format ndjson. */
export interface FirstLine {
  line: Uint8Array;
  /** True if it is not an object and the run fails at such records. An array on one line is a line as any other, unless it is refused. */
  isRefused: boolean;
  /** True if the line is there up to its end. */
  isWhole: boolean;
  /** The file, if it has one. */
  path: string | undefined;
  location: string;
}

/**
 * @throws FirstseenError E_RECORD when the first record shows that the input is one JSON array, or that its objects have several
 * lines each.
 */
export function refuseFirst({ line, isRefused, isWhole, path, location }: FirstLine): void {
  const opened = opensArray(line);
  if (opened === 'open' || (opened === 'closed' && isRefused)) throw arrayError(path, location);
  const comma = isWhole ? commaProblem(line) : undefined;
  if (comma !== undefined) throw recordError(recordClasses.TEXT_AFTER_OBJECT, location, comma.reason, comma.remedy);
  if (isWhole && opensObject(line)) throw objectError(line, path, location);
}

/** The error for an input in format ndjson whose objects have several lines each. */
function objectError(line: Uint8Array, path: string | undefined, location: string): FirstseenError {
  const hasSeparator = line.includes(RECORD_SEPARATOR);
  const [from, file] = path === undefined ? ['', ''] : [` < ${path}`, ` ${path}`];
  const command = hasSeparator ? `tr -d '\\036'${from} | jq -c .` : `jq -c .${file}`;
  return new FirstseenError('E_RECORD', `${location}: a JSON object goes on on the next line`, {
    remedy: `write each object on one line, for example with ${command}`,
  });
}

/**
 * The error for an input in format ndjson that is a JSON array.
 * @param path its file, if it has one
 */
function arrayError(path: string | undefined, location: string): FirstseenError {
  const file = path === undefined ? '' : ` ${path}`;
  return new FirstseenError('E_RECORD', `${location}: the input is a JSON array, not one JSON object per line`, {
    remedy: phrase`give ${optionName('format')} json, or write each element on a line, for example with jq -c '.[]'${file}`,
  });
}
