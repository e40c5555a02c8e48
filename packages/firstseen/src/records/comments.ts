// Comments: lines of an input that are not records, because they begin with a prefix such as #.

import { checkWhole } from '../base/check.js';
import { invalidOption, optionName, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { type Dialect, defaultDialect } from './dialect.js';
import {
  BYTE_ORDER_MARK,
  formatNames,
  hasMark,
  type InputFormatName,
  recordFormatNamed,
  recordFormatOf,
} from './formats.js';

const MAX_BYTES = 64;
const MAX_LINES = 2 ** 32 - 1;

/** Names the formats that have comments. Lines with fields are lines to whoever gives the option. */
function formatsWithComments(): string {
  const names = formatNames.filter((name) => name !== 'fields' && recordFormatNamed(name).hasComments);
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** Encodes the prefix of comments; empty if the input has no comments. */
export function commentPrefix(comment = ''): Uint8Array {
  return new TextEncoder().encode(comment);
}

/** @throws FirstseenError E_USAGE for a prefix that has another meaning at the beginning of a line. */
function checkComment(comment: string, format: InputFormatName, dialect: Dialect | undefined): void {
  const refuse = (expected: string): never => {
    throw invalidOption({ code: 'E_USAGE', option: 'comment', given: comment, expected });
  };
  const prefix = commentPrefix(comment);
  if (typeof comment !== 'string' || prefix.length === 0 || prefix.length > MAX_BYTES || /[\0\r\n]/.test(comment)) {
    refuse(`a text of 1 to ${MAX_BYTES} bytes without a line end, such as '#'`);
  }
  if (format !== 'csv') return;
  const special = Object.values(dialect ?? defaultDialect(format));
  if (special.some((byte) => prefix.includes(byte))) {
    refuse('a text without the characters between fields, around them and before a character that is content');
  }
}

/** Lines of an input that are not records. */
export interface OtherLines {
  /** Lines before the header or the first record. */
  skipLines: number;
  /** The beginning of comments. */
  comment?: string | undefined;
}

/** @throws FirstseenError E_USAGE for such lines in a format without any, or for a prefix that has another meaning. */
export function checkOtherLines(
  { skipLines, comment }: OtherLines,
  format: InputFormatName,
  dialect: Dialect | undefined,
): void {
  checkWhole('skipLines', skipLines, { least: 0, most: MAX_LINES }, 'E_USAGE');
  const option = comment === undefined ? 'skipLines' : 'comment';
  if ((skipLines > 0 || comment !== undefined) && !recordFormatNamed(recordFormatOf(format)).hasComments) {
    const remedy = phrase`leave it out, or give another ${optionName('format')}: ${formatsWithComments()}`;
    throw unfitOption(option, `the format is ${format}`, { remedy });
  }
  if (comment !== undefined) checkComment(comment, format, dialect);
}

/** Tells if a line, as far as its bytes are there, begins with the prefix; undefined if more bytes can tell. A byte order mark may be before it. */
export function isCommentLine(line: Uint8Array, prefix: Uint8Array): boolean | undefined {
  if (prefix.length === 0) return false;
  const start = hasMark(line) ? BYTE_ORDER_MARK.length : 0;
  const there = line.subarray(start, start + prefix.length);
  if (there.some((byte, i) => byte !== prefix[i])) return false;
  return there.length === prefix.length ? true : undefined;
}
