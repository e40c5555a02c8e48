// What the kernel's scanner says of a record, with words for people.

import * as abi from '../kernel/abi.js';

export interface RecordClass {
  readonly code: number;
  /** Completes "line 7: …". */
  readonly reason: string;
  /** True if the record is invalid in its format, as opposed to having no key or being too long. */
  readonly isInvalid: boolean;
}

export const recordClasses = {
  KEYED: { code: abi.KEYED, reason: 'the record has a key', isInvalid: false },
  BLANK: { code: abi.BLANK, reason: 'the line is empty', isInvalid: false },
  KEY_MISSING: { code: abi.KEY_MISSING, reason: 'the record has no key', isInvalid: false },
  TOO_LONG: { code: abi.TOO_LONG, reason: 'the record is longer than allowed', isInvalid: false },
  NOT_AN_OBJECT: { code: abi.NOT_AN_OBJECT, reason: 'the line is not a JSON object', isInvalid: true },
  UNTERMINATED_STRING: { code: abi.UNTERMINATED_STRING, reason: 'a JSON string has no closing quote', isInvalid: true },
  BAD_STRUCTURE: { code: abi.BAD_STRUCTURE, reason: 'the line is not well-formed JSON', isInvalid: true },
  BAD_ESCAPE: { code: abi.BAD_ESCAPE, reason: 'a string has an escape that JSON does not have', isInvalid: true },
  UNTERMINATED_QUOTE: { code: abi.UNTERMINATED_QUOTE, reason: 'a quoted field has no closing quote', isInvalid: true },
  TEXT_AFTER_QUOTE: {
    code: abi.TEXT_AFTER_QUOTE,
    reason: 'text follows the closing quote of a field',
    isInvalid: true,
  },
  NOT_AN_INTEGER: {
    code: abi.NOT_AN_INTEGER,
    reason: 'the key is not a decimal integer from 0 to 2^64 - 1',
    isInvalid: true,
  },
  TRUNCATED: { code: abi.TRUNCATED, reason: 'the last integer has fewer than 8 bytes', isInvalid: true },
  TIME_UNREADABLE: {
    code: abi.TIME_UNREADABLE,
    reason: 'the record has no time that can be read',
    isInvalid: true,
  },
  TIME_AHEAD: {
    code: abi.TIME_AHEAD,
    reason: 'the time of the record is further ahead of the clock than allowed',
    isInvalid: true,
  },
  KEY_EMPTY: { code: abi.KEY_EMPTY, reason: 'the key is empty', isInvalid: false },
  OTHER_SHARD: { code: abi.OTHER_SHARD, reason: 'the key belongs to another shard', isInvalid: false },
  // The number is SCAN_MAX_RANK_BYTES. A template would keep bundlers from leaving the classes out.
  RANK_TOO_LONG: {
    code: abi.RANK_TOO_LONG,
    reason: 'the value that ranks the record is longer than 4,096 bytes',
    isInvalid: true,
  },
  WARC_NO_VERSION: {
    code: abi.WARC_NO_VERSION,
    reason: 'the record does not begin with WARC/1., so something else is before it, or the input is not WARC',
    isInvalid: true,
  },
  WARC_NO_LENGTH: {
    code: abi.WARC_NO_LENGTH,
    reason: 'the header of the record has no Content-Length',
    isInvalid: true,
  },
  WARC_BAD_LENGTH: {
    code: abi.WARC_BAD_LENGTH,
    reason: 'the Content-Length of the record is not a whole number of at most 18 digits',
    isInvalid: true,
  },
  WARC_CUT: { code: abi.WARC_CUT, reason: 'the input ends before the record', isInvalid: true },
  WARC_BAD_END: {
    code: abi.WARC_BAD_END,
    reason: 'two line ends do not follow the block of the record, so its Content-Length is wrong',
    isInvalid: true,
  },
  NOT_COMPARED: { code: abi.NOT_COMPARED, reason: 'records of this type are not compared', isInvalid: false },
  TEXT_AFTER_OBJECT: {
    code: abi.TEXT_AFTER_OBJECT,
    reason: 'something that is not another object follows the JSON object on its line',
    isInvalid: true,
  },
} as const satisfies Record<string, RecordClass>;

export type RecordClassName = keyof typeof recordClasses;

function byCode(classes: Readonly<Record<string, RecordClass>>): ReadonlyMap<number, RecordClass> {
  return new Map(Object.values(classes).map((known) => [known.code, known]));
}

/** Marked as pure, so that a bundler leaves the classes out of programs that scan no records. */
const classesByCode = /* @__PURE__ */ byCode(recordClasses);

/** The class of a code that the scanner wrote. */
export function recordClass(code: number): RecordClass {
  const found = classesByCode.get(code);
  if (found === undefined) throw new RangeError(`${code} is not a record class`);
  return found;
}

/** The host's decision about a record without a key. It is written over the record's class and becomes its verdict. */
export const decisions = {
  /** Goes to the output as if distinct. */
  PASSED: abi.PASSED,
  DROPPED: abi.DROPPED,
  /** Goes to the output, but is not a record: it has no line among the verdicts. */
  COPIED: abi.COPIED,
  /** Left to another shard. */
  SKIPPED: abi.SKIPPED,
} as const;
