// Rules of options that have no effect beside some others, for every command, and their check.

import { FirstseenError } from '../base/errors.js';
import type { OptionName } from './rows.js';

export interface OptionRule<Name extends string = OptionName> {
  /** The names of the options that the rule is about. */
  readonly options: readonly Name[];
  /** One of these has to be given. A value of 0 counts as not given. */
  readonly requires?: readonly Name[];
  /** Another value that is enough, such as `--emit ids`. The rule does not apply then. */
  readonly orElse?: string;
  /** None of these may be given. */
  readonly excludes?: readonly Name[];
  /** Says with what the options have no effect, such as `--algorithm exact`, if that is given. */
  readonly idleWith?: (values: Readonly<Record<string, unknown>>) => string | undefined;
  /** The remedy for options with which others have no effect; to leave the option out by default. */
  readonly remedy?: string;
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== 0 && !(Array.isArray(value) && value.length === 0);
}

/** `--a`, `--a or --b`, `--a, --b or --c`. */
function anyOf(names: readonly string[]): string {
  return names.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

/**
 * @param values the values of the options that were given, by name
 * @param nameOf the name of an option in errors
 * @throws FirstseenError E_USAGE that names the first option without effect, and why
 */
export function checkRules<Name extends string>(
  rules: readonly OptionRule<Name>[],
  values: Readonly<Record<string, unknown>>,
  nameOf: (name: Name) => string,
): void {
  for (const { options, requires = [], orElse, excludes = [], idleWith, remedy = 'leave it out' } of rules) {
    const first = options.find((name) => values[name] !== undefined);
    if (first === undefined) continue;
    const option = nameOf(first);
    const noEffect = (contextText: string, remedy: string) =>
      new FirstseenError('E_USAGE', `${option} has no effect ${contextText}`, { remedy });
    if (requires.length > 0 && !requires.some((name) => hasValue(values[name]))) {
      const neededText = anyOf([...requires.map(nameOf), ...(orElse === undefined ? [] : [orElse])]);
      throw new FirstseenError('E_USAGE', `${option} requires ${neededText}`, {
        remedy: `give ${neededText}, or leave ${option} out`,
      });
    }
    const clash = excludes.find((name) => values[name] !== undefined);
    if (clash !== undefined) throw noEffect(`together with ${nameOf(clash)}`, 'leave one of them out');
    const idle = idleWith?.(values);
    if (idle !== undefined) throw noEffect(`with ${idle}`, remedy);
  }
}
