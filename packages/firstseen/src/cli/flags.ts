// Flags of commands that have no rows of options, and the checks of flags that depend on each other.

import { type Command, Option } from 'commander';
import { FirstseenError } from '../base/errors.js';
import { parseChoice, parseNumber } from '../options/values.js';

/** The long flag whose value the parser stores under `name`. */
function flagOf(command: Command, name: string): string | undefined {
  return command.options.find((option) => option.attributeName() === name)?.long;
}

function isGiven(command: Command, name: string): boolean {
  return command.getOptionValueSource(name) === 'cli';
}

/** Flags that have no effect on some command lines. All flags are named as the parser stores their values. */
export interface FlagRule {
  readonly flags: readonly string[];
  /** One of these has to be given. A value of 0 counts as not given. */
  readonly requires?: readonly string[];
  /** Another value that is enough, such as `--emit ids`. The rule does not apply then. */
  readonly orElse?: string;
  /** None of these may be given. */
  readonly excludes?: readonly string[];
  /** Says with what the flags have no effect, such as `--algorithm exact`, if that is given. */
  readonly idleWith?: (values: Readonly<Record<string, unknown>>) => string | undefined;
  /** The remedy, other than to leave the flag out. */
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
  for (const { flags, requires = [], orElse, excludes = [], idleWith, remedy } of rules) {
    const given = flags.find((name) => isGiven(command, name));
    if (given === undefined) continue;
    const flag = flagOf(command, given);
    if (requires.length > 0 && !requires.some((name) => hasValue(command, name))) {
      const needed = anyOf([
        ...requires.map((name) => flagOf(command, name)),
        ...(orElse === undefined ? [] : [orElse]),
      ]);
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

/** A flag whose value is a number. */
export function numberOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((text) => parseNumber(text, option.long ?? flags));
}

/** A flag whose value is one of a list of words, which its help shows. */
export function choiceOption(flags: string, description: string, words: readonly string[]): Option {
  const option = new Option(flags, `${description}: ${words.join(', ')}`);
  return option.argParser((text) => parseChoice(text, option.long ?? flags, words));
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
