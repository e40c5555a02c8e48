// Reads values as people write them on a command line. Each function throws a FirstseenError that names the flag, the value and what
// is expected.

import { checkWhole, checkWord } from '../base/check.js';
import { type ErrorCode, FirstseenError, invalidOption } from '../base/errors.js';
import { parseDecimal } from '../base/number.js';

/** The value of a parameter of an algorithm: a number, or a word. */
type ParameterValue = number | string;

const WHOLE_NUMBER = /^\d+(?:_\d+)*$/;

function invalidFlag(flag: string, given: string | number, expected: string, code: ErrorCode): FirstseenError {
  return invalidOption({ code, option: flag, given, expected });
}

/** One of the words that a flag takes. E_USAGE otherwise. */
export function parseChoice<Word extends string>(text: string, flag: string, words: readonly Word[]): Word {
  return checkWord(flag, text, words, 'E_USAGE');
}

/** A number such as 0.01, 1%, 1e6, 1_000_000, 1,000,000 or 1M, which is a million. E_PARAMETER otherwise. */
export function parseNumber(text: string, flag: string): number {
  const number = parseDecimal(text);
  if (number !== undefined) return number;
  throw invalidFlag(flag, text, 'a number', 'E_PARAMETER');
}

/** A whole number from `least` to 2^53 - 1. E_USAGE otherwise. */
export function parseWhole(text: string, flag: string, least: number): number {
  return checkWhole(flag, parseNumber(text, flag), { least, most: Number.MAX_SAFE_INTEGER }, 'E_USAGE');
}

/** A seed: digits, or a number below 2^53 in any notation. The library checks its range. E_PARAMETER otherwise. */
export function parseSeed(text: string, flag: string): bigint {
  if (WHOLE_NUMBER.test(text)) return BigInt(text.replaceAll('_', ''));
  const number = parseDecimal(text);
  if (number !== undefined && Number.isSafeInteger(number) && number >= 0) return BigInt(number);
  throw invalidFlag(flag, text, 'a whole number from 0 to 2^64 - 1, in digits from 2^53 on', 'E_PARAMETER');
}

/** A whole number of elements. Zero and large numbers are left to the planner, which has their limits. E_PARAMETER otherwise. */
export function parseElements(text: string, flag: string): number {
  const elements = parseNumber(text, flag);
  if (Number.isInteger(elements)) return elements;
  throw invalidFlag(flag, text, 'a whole number of elements, 1 or more', 'E_PARAMETER');
}

/** A number of threads, or `auto`. E_USAGE otherwise. */
export function parseThreads(text: string, flag: string): number | 'auto' {
  if (text === 'auto') return text;
  const number = parseDecimal(text);
  if (number !== undefined && Number.isSafeInteger(number) && number >= 1) return number;
  throw invalidFlag(flag, number ?? text, 'a whole number from 1, or auto for as many as are of use', 'E_USAGE');
}

/** The parts of a list. E_USAGE for an empty part. */
export function parseList(text: string, flag: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.every((part) => part !== '')) return parts;
  throw invalidFlag(flag, text, 'a list separated by commas', 'E_USAGE');
}

/** Whole numbers separated by commas. E_PARAMETER otherwise. */
export function parseGaps(text: string, flag: string): number[] {
  const parts = text.split(',').map(parseDecimal);
  if (parts.every((part) => part !== undefined && Number.isSafeInteger(part) && part >= 0)) return parts as number[];
  throw invalidFlag(flag, text, 'whole numbers of elements separated by commas, such as 100,2000', 'E_PARAMETER');
}

/** A number if the text is one, otherwise a word. */
export function parseValue(text: string): ParameterValue {
  return parseDecimal(text) ?? text;
}

/** A flag with values such as `NAME=VALUE`, and an example of one. */
export interface NamedFlag {
  flag: string;
  example: string;
}

/** The two sides of `NAME=VALUE`. E_USAGE without `=`, or for a name that was given before. */
export function parseNamed(
  text: string,
  { flag, example }: NamedFlag,
  before: Readonly<Record<string, unknown>>,
): [string, string] {
  const equals = text.indexOf('=');
  const value = text.slice(equals + 1);
  if (equals < 1 || value === '') throw invalidFlag(flag, text, `NAME=VALUE, such as ${example}`, 'E_USAGE');
  const name = text.slice(0, equals);
  if (!Object.hasOwn(before, name)) return [name, value];
  throw new FirstseenError('E_USAGE', `${flag} ${name} was given twice`, { remedy: 'give it once' });
}

/** Adds `NAME=VALUE` to the parameters that were given before. E_USAGE as `parseNamed`. */
export function addParameter(
  text: string,
  flag: string,
  before: Readonly<Record<string, ParameterValue>> = {},
): Record<string, ParameterValue> {
  const [name, value] = parseNamed(text, { flag, example: 'K=2' }, before);
  return { ...before, [name]: parseValue(value) };
}
