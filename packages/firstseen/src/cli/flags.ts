// Parses flag values, and checks flags that depend on each other. Each parser throws a FirstseenError that names the flag, the value
// and what is expected.

import { type Command, Option } from 'commander';
import { checkDuration, checkWhole, checkWord } from '../base/check.js';
import { type ErrorCode, FirstseenError, invalidOption } from '../base/errors.js';
import { parseDecimal } from '../base/number.js';
import type { ParameterValue } from '../detectors/contract.js';

const WHOLE_NUMBER = /^\d+(?:_\d+)*$/;

function invalidFlag(flag: string, given: string, expected: string, code: ErrorCode): FirstseenError {
  return invalidOption({ code, option: flag, given, expected });
}

/** Seconds of a duration such as 500ms, 30s, 5m or 1h. E_USAGE otherwise, or for zero. */
export function parseDuration(text: string, flag: string): number {
  return checkDuration(flag, text, 'E_USAGE');
}

/** The long flag whose value the parser stores under `name`. */
export function flagOf(command: Command, name: string): string | undefined {
  return command.options.find((option) => option.attributeName() === name)?.long;
}

export function isGiven(command: Command, name: string): boolean {
  return command.getOptionValueSource(name) === 'cli';
}

/** Flags that have no effect on some command lines. All flags are named as the parser stores their values. */
export interface FlagRule {
  readonly flags: readonly string[];
  /** One of these has to be given. A value of 0 counts as not given. */
  readonly requires?: readonly string[];
  /** None of these may be given. */
  readonly excludes?: readonly string[];
  /** Says with what the flags have no effect, such as `--algorithm exact`, if that is given. */
  readonly idleWith?: (values: Readonly<Record<string, unknown>>) => string | undefined;
  /** What to do other than to leave the flag out. */
  readonly remedy?: string;
}

function hasValue(command: Command, name: string): boolean {
  const value: unknown = command.getOptionValue(name);
  return value !== undefined && value !== 0 && !(Array.isArray(value) && value.length === 0);
}

/** `--a`, `--a or --b`, `--a, --b or --c`. */
function anyOf(flags: readonly (string | undefined)[]): string {
  return flags.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

function noEffect(flag: string | undefined, beside: string, remedy: string): FirstseenError {
  return new FirstseenError('E_USAGE', `${flag} has no effect ${beside}`, { remedy });
}

/** @throws FirstseenError E_USAGE that names the first flag without effect, and why. */
export function checkFlagRules(command: Command, rules: readonly FlagRule[]): void {
  for (const { flags, requires = [], excludes = [], idleWith, remedy } of rules) {
    const given = flags.find((name) => isGiven(command, name));
    if (given === undefined) continue;
    const flag = flagOf(command, given);
    if (requires.length > 0 && !requires.some((name) => hasValue(command, name))) {
      const needed = anyOf(requires.map((name) => flagOf(command, name)));
      throw new FirstseenError('E_USAGE', `${flag} requires ${needed}`, {
        remedy: `give ${needed}, or leave ${flag} out`,
      });
    }
    const excluded = excludes.find((name) => isGiven(command, name));
    if (excluded !== undefined)
      throw noEffect(flag, `together with ${flagOf(command, excluded)}`, 'leave one of them out');
    const idle = idleWith?.(command.opts());
    if (idle !== undefined)
      throw noEffect(flag, `with ${idle}`, remedy === undefined ? 'leave it out' : `leave it out, or ${remedy}`);
  }
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
export function parseSeed(text: string): bigint {
  if (WHOLE_NUMBER.test(text)) return BigInt(text.replaceAll('_', ''));
  const number = parseDecimal(text);
  if (number !== undefined && Number.isSafeInteger(number) && number >= 0) return BigInt(number);
  throw invalidFlag('--seed', text, 'a whole number from 0 to 2^64 - 1, in digits from 2^53 on', 'E_PARAMETER');
}

/** A flag whose value is a whole number of elements. Zero and large numbers are left to the planner, which has their limits. */
export function elementsOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((text) => {
    const flag = option.long ?? flags;
    const elements = parseNumber(text, flag);
    if (Number.isInteger(elements)) return elements;
    throw invalidFlag(flag, text, 'a whole number of elements, 1 or more', 'E_PARAMETER');
  });
}

/** The parts of a list. E_USAGE for an empty part. */
export function parseList(text: string, flag: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.every((part) => part !== '')) return parts;
  throw invalidFlag(flag, text, 'a list separated by commas', 'E_USAGE');
}

/** Whole numbers separated by commas. E_PARAMETER otherwise. */
export function parseGaps(text: string): number[] {
  const parts = text.split(',').map(parseDecimal);
  if (parts.every((part) => part !== undefined && Number.isSafeInteger(part) && part >= 0)) return parts as number[];
  throw invalidFlag('--gaps', text, 'whole numbers of elements separated by commas, such as 100,2000', 'E_PARAMETER');
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
  before: Readonly<Record<string, ParameterValue>> = {},
): Record<string, ParameterValue> {
  const [name, value] = parseNamed(text, { flag: '--param', example: 'K=2' }, before);
  return { ...before, [name]: parseValue(value) };
}

/** A flag whose value is a number. */
export function numberOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((text) => parseNumber(text, option.long ?? flags));
}

/** `--threads`, a number or `auto`, which takes several threads on a condition. */
export function threadsFlag(condition: string): Option {
  return new Option(
    '--threads <n>',
    `threads at most; auto: up to four if ${condition}, otherwise one; no answer depends on it (default: auto)`,
  ).argParser((text) => (text === 'auto' ? text : parseWhole(text, '--threads', 1)));
}

/** `--partitions`, a power of two. */
export function partitionsFlag(description: string): Option {
  return new Option('--partitions <n>', description).argParser((text) => parseWhole(text, '--partitions', 1));
}

/** `--window-slack`, where a window remembers such a thing: `an element`. */
export function windowSlackFlag(remembered: string): Option {
  const description = `how much longer than the window ${remembered} may be remembered, as a share of it, such as 10%`;
  return numberOption('--window-slack <share>', description);
}

/**
 * A flag whose value is one of a list of words, which its help shows.
 * @param fallback the word that the help names as the default, if the flag has no value of its own by default
 */
export function choiceOption(flags: string, description: string, words: readonly string[], fallback?: string): Option {
  const ending = fallback === undefined ? '' : ` (default: ${fallback})`;
  const option = new Option(flags, `${description}: ${words.join(', ')}${ending}`);
  return option.argParser((text) => parseChoice(text, option.long ?? flags, words));
}

/** A flag that may be repeated; `none` describes the default, an empty list. */
export function repeatableOption(flags: string, description: string, none: string): Option {
  return new Option(flags, description).argParser((text, before: string[]) => [...before, text]).default([], none);
}

/**
 * The value of `--stats`, one of `formats`, is only accepted after `=`. Otherwise the argument parser would take the file that
 * follows a bare flag for its value. Arguments after `--` are files.
 * @throws FirstseenError E_USAGE when a format follows a bare flag.
 */
export function withExplicitStats(args: readonly string[], formats: readonly string[]): string[] {
  const separator = args.indexOf('--');
  const flagsEnd = separator === -1 ? args.length : separator;
  const misread = args.find((arg, i) => i > 0 && i < flagsEnd && args[i - 1] === '--stats' && formats.includes(arg));
  if (misread !== undefined) {
    throw new FirstseenError('E_USAGE', `--stats is followed by ${misread}, which would be read as a file`, {
      remedy: `give --stats=${misread}, or ./${misread} for a file of that name`,
    });
  }
  return args.map((arg, i) => (i < flagsEnd && arg === '--stats' ? '--stats=text' : arg));
}
