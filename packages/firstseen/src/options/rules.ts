// Rules of options that have no effect beside some others.

import type { OptionName } from './rows.js';

export interface OptionRule {
  /** The names of the options that the rule is about. */
  readonly options: readonly OptionName[];
  /** One of these has to be given. A value of 0 counts as not given. */
  readonly requires?: readonly OptionName[];
  /** Another value that is enough, such as `--emit ids`. The rule does not apply then. */
  readonly orElse?: string;
  /** None of these may be given. */
  readonly excludes?: readonly OptionName[];
  /** Says with what the options have no effect, such as `--algorithm exact`, if that is given. */
  readonly idleWith?: (values: Readonly<Record<string, unknown>>) => string | undefined;
  /** The remedy, if it is not to leave the option out. */
  readonly remedy?: string;
}
