// Checks of the values of options. Each returns the value, or throws the error that names the option, the value and what it
// must be.

import { type BytesSource, bytesIn, isDetached } from './bytes.js';
import { parseMilliseconds } from './duration.js';
import { type ErrorCode, FirstseenError, invalidOption, joinPhrases, optionName, phrase, shownName } from './errors.js';
import { formatBytes, parseBytes } from './memory.js';

/** The names of all options of a kind. The compiler requires that none is missing. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** @throws FirstseenError of the code for an option that is null, where undefined and a default were meant, or a value is missing. */
function refuseNull(options: object, code: ErrorCode): void {
  const [option] = Object.entries(options).find(([, value]) => value === null) ?? [];
  if (option !== undefined) throw invalidOption({ code, option, given: null, expected: 'a value, or left out' });
}

/**
 * Checks that an argument is an object in which every member that is given is an option, and none is null.
 * @throws FirstseenError of the code.
 */
export function checkOptions<Options extends object>(
  options: Options,
  names: OptionNames<Options>,
  code: ErrorCode = 'E_PARAMETER',
): Options {
  checkObject(options, code);
  const entry = Object.entries(options).find(([name, value]) => value !== undefined && !Object.hasOwn(names, name));
  if (entry === undefined) {
    refuseNull(options, code);
    return options;
  }
  const knownNames = joinPhrases(
    Object.keys(names).map((name) => phrase`${optionName(name)}`),
    ', ',
  );
  const [name, givenValue] = entry;
  const option = shownName(name);
  throw new FirstseenError(code, `${option} is not an option`, {
    option,
    given: givenValue,
    expected: phrase`one of ${knownNames}`,
    remedy: phrase`leave it out, or give one of ${knownNames}`,
  });
}

/** @throws FirstseenError with the code for what has no options. */
export function checkObject<Options extends object>(options: Options, code: ErrorCode = 'E_PARAMETER'): Options {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options;
  throw invalidOption({ code, option: 'options', given: options, expected: 'an object with options' });
}

export interface WholeRange {
  least: number;
  most: number;
}

export interface NumberRange {
  /** The number must be greater than this. */
  above: number;
  most: number;
}

/** Large powers of two as such, other limits in digits. */
function limitText(limit: number): string {
  if (limit === Number.MAX_SAFE_INTEGER) return '2^53 - 1';
  const exponent = Math.log2(limit);
  return limit >= 2 ** 24 && Number.isInteger(exponent) ? `2^${exponent}` : String(limit);
}

/** @throws FirstseenError of the code unless the value is a whole number in the range. */
export function checkWhole(
  option: string,
  value: unknown,
  { least, most }: WholeRange,
  code: ErrorCode = 'E_PARAMETER',
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalidOption({ code, option, given: value, expected: `a whole number from ${least} to ${limitText(most)}` });
}

/** @throws FirstseenError E_PARAMETER unless the value is a power of two from 1 to `most`. */
export function checkPowerOfTwo(option: string, value: unknown, most: number): number {
  if (typeof value === 'number' && value >= 1 && value <= most && Number.isInteger(Math.log2(value))) return value;
  throw invalidOption({ option, given: value, expected: `a power of two from 1 to ${limitText(most)}` });
}

/** @throws FirstseenError E_PARAMETER unless above < value <= most. */
export function checkNumber(option: string, value: unknown, { above, most }: NumberRange): number {
  if (typeof value === 'number' && value > above && value <= most) return value;
  throw invalidOption({ option, given: value, expected: `a number greater than ${above}, at most ${limitText(most)}` });
}

/** @throws FirstseenError of the code unless the value is one of the words. */
export function checkWord<Word extends string>(
  option: string,
  value: unknown,
  words: readonly Word[],
  code: ErrorCode = 'E_PARAMETER',
): Word {
  const match = words.find((word) => word === value);
  if (match !== undefined) return match;
  const expected = words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`;
  throw invalidOption({ code, option, given: value, expected });
}

const RATE = 'a number between 0 and 1';

/** @throws FirstseenError E_PARAMETER unless 0 < value < 1. */
export function checkRate(option: string, value: unknown, example?: string): number {
  if (typeof value === 'number' && value > 0 && value < 1) return value;
  throw invalidOption({ option, given: value, expected: example === undefined ? RATE : `${RATE}, such as ${example}` });
}

/** The target rate of false positives. @throws FirstseenError E_PARAMETER as `checkRate` */
export function checkTargetFpr(value: unknown): number {
  return checkRate('fpr', value, '1e-6');
}

/** @throws FirstseenError E_PARAMETER unless the value is a finite number, 1 or more. */
export function checkCount(option: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 1) return value;
  throw invalidOption({ option, given: value, expected: 'a number of elements, 1 or more' });
}

/** The whole match and the groups of a value that is text of this form; none for any other value. */
export function matchOf(form: RegExp, value: unknown): readonly string[] {
  return (typeof value === 'string' && form.exec(value)) || [];
}

/** @throws FirstseenError E_PARAMETER unless the value is true or false. */
export function checkBoolean(option: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalidOption({ option, given: value, expected: 'true or false' });
}

/** @throws FirstseenError of the code unless each option that is given is a function. */
export function checkFunctions(options: Readonly<Record<string, unknown>>, code: ErrorCode = 'E_PARAMETER'): void {
  for (const [option, given] of Object.entries(options)) {
    if (given === undefined || typeof given === 'function') continue;
    throw invalidOption({ code, option, given, expected: 'a function' });
  }
}

/** @throws FirstseenError E_PARAMETER unless the value is a number greater than 0; it may be infinite. */
export function checkPositive(option: string, value: unknown): number {
  if (typeof value === 'number' && value > 0) return value;
  throw invalidOption({ option, given: value, expected: 'a number greater than 0' });
}

/** @throws FirstseenError E_PARAMETER unless the value is a list of gaps: whole numbers, 1 or more. */
export function checkGaps(option: string, value: readonly number[]): readonly number[] {
  const isGap = (gap: unknown) => Number.isSafeInteger(gap) && (gap as number) > 0;
  if (Array.isArray(value) && value.length > 0 && value.every(isGap)) return value;
  throw invalidOption({
    option,
    given: value,
    expected: 'a list of one or more whole numbers of elements, each 1 or more',
  });
}

/** @throws FirstseenError E_PARAMETER unless the value is a whole number from 0 to 2^64 - 1. */
export function checkSeed(option: string, value: number | bigint): bigint {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (isWhole && value >= 0 && BigInt(value) < 2n ** 64n) return BigInt(value);
  // The command makes a bigint of the digits that it was given.
  const shown = typeof value === 'bigint' ? { givenText: String(value) } : {};
  throw invalidOption({ option, given: value, expected: 'a whole number from 0 to 2^64 - 1', ...shown });
}

/** Bytes of a size such as 65536 or `64MiB`. @throws FirstseenError E_MEMORY unless the value is one, of `minBytes` or more. */
export function checkBytes(option: string, value: number | string, minBytes = 0): number {
  const bytes = parseBytes(value);
  if (bytes !== undefined && bytes >= minBytes) return bytes;
  const expected =
    bytes === undefined
      ? 'a number of bytes, or a number with a unit, such as 64MiB'
      : `at least ${formatBytes(minBytes)}`;
  throw invalidOption({ code: 'E_MEMORY', option, given: value, expected });
}

/** The longest time of a timer. */
export const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1;

/**
 * Milliseconds of a time that a timer can wait: as a number, or a duration such as `30s`.
 * @throws FirstseenError E_PARAMETER unless the value is one, longer than 0 and at most 2^31 - 1 milliseconds.
 */
export function checkTimer(option: string, value: unknown): number {
  const milliseconds = typeof value === 'string' ? parseMilliseconds(value) : value;
  if (typeof milliseconds === 'number' && milliseconds > 0 && milliseconds <= MAX_TIMER_MILLISECONDS)
    return milliseconds;
  const expected = `a number of milliseconds greater than 0, at most ${MAX_TIMER_MILLISECONDS}, or a duration such as 500ms or 30s`;
  throw invalidOption({ option, given: value, expected });
}

/**
 * Milliseconds of a duration: as a number, which may be infinite, or as text such as `30s`.
 * @throws FirstseenError of the code unless the value is one, longer than 0.
 */
export function millisecondsOf(option: string, given: unknown, code: ErrorCode = 'E_PARAMETER'): number {
  const milliseconds = typeof given === 'string' ? parseMilliseconds(given) : given;
  if (typeof milliseconds === 'number' && milliseconds > 0) return milliseconds;
  const expected = 'a number of milliseconds greater than 0, or a duration such as 30s';
  throw invalidOption({ code, option, given, expected });
}

/**
 * Checks a duration such as `500ms`, `30s`, `5m` or `1h`, before `millisecondsOf` or `checkTimer` reads it.
 * @throws FirstseenError of the code unless the value is one, longer than 0.
 */
export function checkDuration(option: string, value: string, code: ErrorCode = 'E_PARAMETER'): void {
  const milliseconds = parseMilliseconds(value);
  if (milliseconds !== undefined && milliseconds > 0) return;
  const expected =
    milliseconds === undefined
      ? 'a duration with a unit, such as 500ms, 30s, 5m or 1h'
      : 'a duration above 0, such as 500ms or 30s';
  throw invalidOption({ code, option, given: value, expected });
}

/** The error for a buffer that was transferred. */
function detachedError(name: string, code: ErrorCode): FirstseenError {
  return new FirstseenError(code, `the buffer of ${name} is detached`, {
    remedy: 'copy the bytes before you transfer the buffer',
  });
}

/** @throws FirstseenError with `code` for an array whose buffer was transferred. Its bytes are gone, and it would count as empty. */
export function checkAttached(array: ArrayBufferView, name: string, code: ErrorCode): void {
  if (isDetached(array)) throw detachedError(name, code);
}

/** The bytes of a buffer or a view. @throws FirstseenError with `code` when the buffer was transferred. */
export function attachedBytes(source: BytesSource, name: string, code: ErrorCode): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = bytesIn(source);
  } catch {
    throw detachedError(name, code);
  }
  checkAttached(bytes, name, code);
  return bytes;
}

/** @throws FirstseenError E_PARAMETER for a Web stream that has a reader or a writer already. */
export function checkUnlocked(option: string, stream: unknown): void {
  if ((stream as { locked?: unknown }).locked !== true) return;
  throw invalidOption({
    ...{ option, given: stream, givenText: 'a locked stream', expected: 'a stream that nothing else uses' },
    remedy: 'release its reader or writer first',
  });
}
