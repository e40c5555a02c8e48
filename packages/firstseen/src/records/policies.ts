// What to do with records without a usable key, and the defaults of everything that is asked about records.

import { checkWord, type OptionNames } from '../base/check.js';
import { defined } from '../base/defined.js';
import type { ErrorCode } from '../base/errors.js';
import { defaultsOf } from '../options/defaults.js';
import { hasHeader } from '../options/layout.js';
import {
  emptyKey as emptyKeyOption,
  isStrict,
  maxRecordBytes,
  missingKey as missingKeyOption,
  nullKey as nullKeyOption,
  onError as onErrorOption,
} from '../options/records.js';
import type { NullMeaning } from './nulls.js';

/** The policy for a record without the key: pass it on as `distinct`, `drop` it, or `fail`. */
export type MissingKeyPolicy = (typeof missingKeyOption.words)[number];

/** The policy for a record whose key is empty; `key`: the key is a key like any other. */
export type EmptyKeyPolicy = (typeof emptyKeyOption.words)[number];

/** The policies for records without a usable key, as in the command. Equal defaults have equal results everywhere. */
export interface KeyPolicyOptions {
  /**
   * The policy for a record without the key: `fail`, the default (E_KEY_MISSING), pass it as `distinct`, or `drop` it.
   */
  missingKey?: MissingKeyPolicy | undefined;
  /** The policy for a record whose key is empty: `distinct`, the default, `drop`, `fail`, or take it as a `key`. */
  emptyKey?: EmptyKeyPolicy | undefined;
  /** The meaning of a JSON null as a key: `empty`, the default, `missing`, or a `value` like any other. */
  nullKey?: NullMeaning | undefined;
}

export const keyPolicyNames: OptionNames<KeyPolicyOptions> = { missingKey: true, emptyKey: true, nullKey: true };

/** The meaning of keys without content. */
export interface KeyRules {
  emptyKey: EmptyKeyPolicy;
  nullKey: NullMeaning;
}

/** The rules of states that name none, and of jobs that have rules of their own. */
export const plainKeyRules: KeyRules = { emptyKey: 'key', nullKey: 'value' };

export type ErrorPolicy = (typeof onErrorOption.words)[number];

/** The rules of keys without content where nothing else is asked. */
export const keyRuleDefaults: KeyRules = /* @__PURE__ */ defaultsOf([emptyKeyOption, nullKeyOption]);

/** The other defaults of what is asked about records, for runs and for streams of bytes. */
export const recordDefaults = /* @__PURE__ */ defaultsOf([
  hasHeader,
  missingKeyOption,
  onErrorOption,
  isStrict,
  maxRecordBytes,
]);

/** The policies with their defaults filled in. @throws FirstseenError E_PARAMETER for a word that is not one of its choices. */
export function keyPoliciesOf({ missingKey, ...rules }: KeyPolicyOptions): KeyRules & { missingKey: MissingKeyPolicy } {
  if (missingKey !== undefined) checkWord('missingKey', missingKey, missingKeyOption.words);
  const { missingKey: byDefault } = recordDefaults;
  return { missingKey: byDefault, ...keyRuleDefaults, ...defined({ missingKey }), ...keyRulesOf(rules, 'E_PARAMETER') };
}

/** The rules among the options. @throws FirstseenError of the code for a word that is not one of its choices. */
export function keyRulesOf(
  { emptyKey, nullKey }: Pick<KeyPolicyOptions, 'emptyKey' | 'nullKey'>,
  code: ErrorCode,
): Partial<KeyRules> {
  if (emptyKey !== undefined) checkWord('emptyKey', emptyKey, emptyKeyOption.words, code);
  if (nullKey !== undefined) checkWord('nullKey', nullKey, nullKeyOption.words, code);
  return defined({ emptyKey, nullKey });
}
