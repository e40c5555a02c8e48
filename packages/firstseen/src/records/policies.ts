// What to do with records without a usable key, and the defaults of everything that is asked about records.

import { checkWord, type OptionNames } from '../base/check.js';
import { defined } from '../base/defined.js';
import type { ErrorCode } from '../base/errors.js';
import { type NullMeaning, nullMeanings } from './nulls.js';

export const missingKeyPolicies = ['distinct', 'drop', 'fail'] as const;
/** What to do with a record without the key: pass it on as `distinct`, `drop` it, or `fail`. */
export type MissingKeyPolicy = (typeof missingKeyPolicies)[number];

export const emptyKeyPolicies = ['distinct', 'drop', 'fail', 'key'] as const;
/** What to do with a record whose key is empty; `key`: the key is a key like any other. */
export type EmptyKeyPolicy = (typeof emptyKeyPolicies)[number];

/** What happens to records without a usable key, as in the command. Equal defaults have equal results everywhere. */
export interface KeyPolicyOptions {
  /** What to do with a record without the key: `fail`, the default (E_KEY_MISSING), pass it as `distinct`, or `drop` it. */
  missingKey?: MissingKeyPolicy | undefined;
  /** What to do with a record whose key is empty: `distinct`, the default, `drop`, `fail`, or take it as a `key`. */
  emptyKey?: EmptyKeyPolicy | undefined;
  /** What a JSON null is as a key: `empty`, the default, `missing`, or a `value` like any other. */
  nullKey?: NullMeaning | undefined;
}

export const keyPolicyNames: OptionNames<KeyPolicyOptions> = { missingKey: true, emptyKey: true, nullKey: true };

/** What keys without content mean. */
export interface KeyRules {
  emptyKey: EmptyKeyPolicy;
  nullKey: NullMeaning;
}

/** The rules of states that name none, and of jobs that have rules of their own. */
export const plainKeyRules: KeyRules = { emptyKey: 'key', nullKey: 'value' };

export const errorPolicies = ['fail', 'pass', 'drop'] as const;
export type ErrorPolicy = (typeof errorPolicies)[number];

/** The defaults of what is asked about records, for runs and for streams of bytes. */
export const recordDefaults = {
  keyRules: { emptyKey: 'distinct', nullKey: 'empty' } as KeyRules,
  hasHeader: true,
  missingKey: 'fail' as MissingKeyPolicy,
  onError: 'fail' as ErrorPolicy,
  isStrict: false,
  maxRecordBytes: 16 * 2 ** 20,
} as const;

/** The policies with their defaults filled in. @throws FirstseenError E_PARAMETER for a word that is not one of its choices. */
export function keyPoliciesOf({ missingKey, ...rules }: KeyPolicyOptions): KeyRules & { missingKey: MissingKeyPolicy } {
  if (missingKey !== undefined) checkWord('missingKey', missingKey, missingKeyPolicies);
  const { missingKey: byDefault, keyRules } = recordDefaults;
  return { missingKey: byDefault, ...keyRules, ...defined({ missingKey }), ...keyRulesOf(rules, 'E_PARAMETER') };
}

/** The rules among the options. @throws FirstseenError of the code for a word that is not one of its choices. */
export function keyRulesOf(
  { emptyKey, nullKey }: Pick<KeyPolicyOptions, 'emptyKey' | 'nullKey'>,
  code: ErrorCode,
): Partial<KeyRules> {
  if (emptyKey !== undefined) checkWord('emptyKey', emptyKey, emptyKeyPolicies, code);
  if (nullKey !== undefined) checkWord('nullKey', nullKey, Object.keys(nullMeanings), code);
  return defined({ emptyKey, nullKey });
}
