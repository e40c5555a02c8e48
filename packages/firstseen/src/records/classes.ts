// The classes of records that the kernel's scanner reports (assembly/scan/classes.ts has the same numbers), in words.

export interface RecordClass {
  readonly code: number;
  /** Completes "line 7: …". */
  readonly reason: string;
  /** Whether the record is invalid in its format, as opposed to having no key or being too long. */
  readonly isInvalid: boolean;
}

export const recordClasses = {
  KEYED: { code: 0, reason: 'the record has a key', isInvalid: false },
  BLANK: { code: 1, reason: 'the line is empty', isInvalid: false },
  KEY_MISSING: { code: 2, reason: 'the record has no key', isInvalid: false },
  TOO_LONG: { code: 3, reason: 'the record is longer than allowed', isInvalid: false },
  NOT_AN_OBJECT: { code: 4, reason: 'the line is not a JSON object', isInvalid: true },
  UNTERMINATED_STRING: { code: 5, reason: 'a JSON string has no closing quote', isInvalid: true },
  BAD_STRUCTURE: { code: 6, reason: 'the line is not well-formed JSON', isInvalid: true },
  BAD_ESCAPE: { code: 7, reason: 'a JSON string has an invalid escape', isInvalid: true },
  UNTERMINATED_QUOTE: { code: 8, reason: 'a quoted field has no closing quote', isInvalid: true },
  TEXT_AFTER_QUOTE: { code: 9, reason: 'text follows the closing quote of a field', isInvalid: true },
  NOT_AN_INTEGER: { code: 10, reason: 'the key is not a decimal integer from 0 to 2^64 - 1', isInvalid: true },
  TRUNCATED: { code: 11, reason: 'the last integer has fewer than 8 bytes', isInvalid: true },
  TIME_UNREADABLE: {
    code: 12,
    reason: 'the record has no readable time: seconds or milliseconds since 1970, or RFC 3339',
    isInvalid: true,
  },
  TIME_AHEAD: {
    code: 13,
    reason: 'the time of the record is further ahead of the clock than allowed',
    isInvalid: true,
  },
} as const satisfies Record<string, RecordClass>;

export type RecordClassName = keyof typeof recordClasses;

const classesByCode: readonly RecordClass[] = Object.values(recordClasses);

/** The class of a code that the scanner wrote. */
export function recordClass(code: number): RecordClass {
  const found = classesByCode[code];
  if (found === undefined) throw new RangeError(`${code} is not a record class`);
  return found;
}

/** The host's decision about a record without a key. It is written over the record's class and becomes its verdict. */
export const decisions = {
  /** The record goes to the output as if it were distinct. */
  PASSED: 0xf0,
  DROPPED: 0xf1,
  /** The bytes go to the output, but are not a record and have no verdict. */
  COPIED: 0xf2,
} as const;
