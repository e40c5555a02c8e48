// Values of flags, from the text they are written in. Each parser throws a FirstseenError that names the flag's value and
// what was expected.

import type { Command } from 'commander';
import type { ParameterValue } from '../detectors/contract.js';
import { parseMilliseconds } from '../duration.js';
import { FirstseenError } from '../errors.js';

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const WHOLE_NUMBER = /^\d+$/;

/** Seconds of a duration such as 500ms, 30s, 5m or 1h; a plain number is seconds. E_USAGE when it is none, or zero. */
export function parseDuration(text: string, flag: string): number {
  const milliseconds = parseMilliseconds(text) ?? parseMilliseconds(`${text}s`) ?? 0;
  if (milliseconds > 0) return milliseconds / 1000;
  throw new FirstseenError('E_USAGE', `${flag} is "${text}", but must be a duration such as 500ms, 30s, 5m or 1h`);
}

/** A flag as it is written, by what the parser names its value. */
export function flagOf(command: Command, name: string): string | undefined {
  return command.options.find((option) => option.attributeName() === name)?.long;
}

export function isGiven(command: Command, name: string): boolean {
  return command.getOptionValueSource(name) === 'cli';
}

/**
 * Refuses flags that mean nothing without another one; both are named as the parser names their values. A number of none, as
 * of points of a curve, is no use to them either.
 * @throws FirstseenError E_USAGE naming both.
 */
export function refuseFlagsWithout(command: Command, needed: string, names: readonly string[]): void {
  const value: unknown = command.getOptionValue(needed);
  if (value !== undefined && value !== 0) return;
  const given = names.find((name) => isGiven(command, name));
  if (given === undefined) return;
  const [flag, other] = [flagOf(command, given), flagOf(command, needed)];
  throw new FirstseenError(
    'E_USAGE',
    `${flag} was given without ${other}, to which it belongs; give ${other} as well, or leave it out`,
  );
}

/**
 * Refuses flags that another one leaves without effect; all are named as the parser names their values.
 * @throws FirstseenError E_USAGE naming both.
 */
export function refuseFlagsBeside(command: Command, other: string, names: readonly string[]): void {
  const given = names.find((name) => isGiven(command, name));
  if (given === undefined || !isGiven(command, other)) return;
  throw new FirstseenError(
    'E_USAGE',
    `${flagOf(command, given)} was given beside ${flagOf(command, other)}, which leaves it without effect; leave one of them out`,
  );
}

/** One of the words a flag may take. E_USAGE listing them. */
export function parseChoice<Word extends string>(text: string, flag: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new FirstseenError('E_USAGE', `${flag} is "${text}", but must be one of ${words.join(', ')}`);
}

/** A number in decimal notation. E_PARAMETER otherwise. */
export function parseNumber(text: string, flag: string): number {
  if (NUMBER.test(text)) return Number(text);
  throw new FirstseenError('E_PARAMETER', `${flag} is "${text}", but must be a number`);
}

/** A whole number from `least` to 2^53 - 1, as far as they are exact. E_USAGE otherwise. */
export function parseWhole(text: string, flag: string, least: number): number {
  const value = parseNumber(text, flag);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new FirstseenError('E_USAGE', `${flag} is "${text}", but must be a whole number from ${least} to 2^53 - 1`);
}

/** A seed: decimal digits, of any length; its range is the detector's to check. E_PARAMETER otherwise. */
export function parseSeed(text: string): bigint {
  if (WHOLE_NUMBER.test(text)) return BigInt(text);
  throw new FirstseenError('E_PARAMETER', `--seed is "${text}", but must be a whole number from 0 to 2^64 - 1`);
}

/** The parts of a list. E_USAGE for an empty one. */
export function parseList(text: string, flag: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.every((part) => part !== '')) return parts;
  throw new FirstseenError('E_USAGE', `${flag} is "${text}", but must be a list parted by commas`);
}

/** Whole numbers parted by commas. E_PARAMETER otherwise. */
export function parseGaps(text: string): number[] {
  const parts = text.split(',');
  if (parts.every((part) => WHOLE_NUMBER.test(part))) return parts.map(Number);
  throw new FirstseenError(
    'E_PARAMETER',
    `--gaps is "${text}", but must be whole numbers of elements parted by commas, such as 100,2000`,
  );
}

/** A number where the text reads as one, otherwise a word. */
export function parseValue(text: string): ParameterValue {
  return NUMBER.test(text) ? Number(text) : text;
}

/** A flag whose values are `NAME=VALUE`, and one of them. */
export interface NamedFlag {
  flag: string;
  example: string;
}

/** The two sides of `NAME=VALUE`. E_USAGE without `=`, or for a name among those given before. */
export function parseNamed(
  text: string,
  { flag, example }: NamedFlag,
  before: Readonly<Record<string, unknown>>,
): [string, string] {
  const equals = text.indexOf('=');
  const value = text.slice(equals + 1);
  if (equals < 1 || value === '') {
    throw new FirstseenError('E_USAGE', `${flag} is "${text}", but must be NAME=VALUE, such as ${example}`);
  }
  const name = text.slice(0, equals);
  if (Object.hasOwn(before, name)) throw new FirstseenError('E_USAGE', `${flag} ${name} was given twice; give it once`);
  return [name, value];
}

/** Adds `NAME=VALUE` to the parameters given before it. E_USAGE as `parseNamed`. */
export function addParameter(
  text: string,
  before: Readonly<Record<string, ParameterValue>> = {},
): Record<string, ParameterValue> {
  const [name, value] = parseNamed(text, { flag: '--param', example: 'K=2' }, before);
  return { ...before, [name]: parseValue(value) };
}

/**
 * `--stats` may carry its value behind `=` alone: left bare, the argument parser would take the file that follows it for
 * the value. Arguments behind `--` are files.
 */
export function withExplicitStats(args: readonly string[]): string[] {
  const separator = args.indexOf('--');
  const flagsEnd = separator === -1 ? args.length : separator;
  return args.map((arg, i) => (i < flagsEnd && arg === '--stats' ? '--stats=text' : arg));
}
