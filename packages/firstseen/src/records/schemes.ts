// The names of the options by which keys are made from records.

import type { OptionNames } from '../base/check.js';
import type { EqualityOptions } from './equality.js';
import type { KeySchemeOptions } from './keyscheme.js';

export const equalityOptionNames: OptionNames<EqualityOptions> = {
  keyExcept: true,
  ignoresCase: true,
  trims: true,
  normalize: true,
  numbersByValue: true,
  ignoresOrder: true,
};

export const keySchemeOptionNames: OptionNames<KeySchemeOptions> = {
  ...{ keys: true, format: true },
  ...equalityOptionNames,
};

/** The options of the rules, and the other options. */
export function separateRules<Options extends EqualityOptions>(
  options: Options,
): [rules: EqualityOptions, others: Omit<Options, keyof EqualityOptions>] {
  const { keyExcept, ignoresCase, trims, normalize, numbersByValue, ignoresOrder, ...others } = options;
  return [{ keyExcept, ignoresCase, trims, normalize, numbersByValue, ignoresOrder }, others];
}
