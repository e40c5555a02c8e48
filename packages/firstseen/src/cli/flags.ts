// Flags of commands that have no rows of options, and the checks of flags that depend on each other.

import { type Command, Option } from 'commander';
import { FirstseenError } from '../base/errors.js';
import { checkRules, type OptionRule } from '../options/rules.js';
import { parseChoice, parseNumber } from '../options/values.js';

/** The long flag whose value the parser stores under `name`. */
function flagOf(command: Command, name: string): string {
  return command.options.find((option) => option.attributeName() === name)?.long ?? name;
}

/**
 * Checks flags of a command without rows. They are named as the parser stores their values.
 * @throws FirstseenError as `checkRules`
 */
export function checkFlagRules(command: Command, rules: readonly OptionRule<string>[]): void {
  const names = command.options.map((option) => option.attributeName());
  const namesOnLine = names.filter((name) => command.getOptionValueSource(name) === 'cli');
  const values = Object.fromEntries(namesOnLine.map((name) => [name, command.getOptionValue(name) as unknown]));
  checkRules(rules, values, (name) => flagOf(command, name));
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
  const format = args.find((arg, i) => i > 0 && i < flagsEnd && args[i - 1] === '--stats' && formats.includes(arg));
  if (format !== undefined) {
    throw new FirstseenError('E_USAGE', `--stats is followed by ${format}, which would be read as a file`, {
      remedy: `give --stats=${format}, or ./${format} for a file of that name`,
    });
  }
  return args.map((arg, i) => (i < flagsEnd && arg === '--stats' ? '--stats=text' : arg));
}
