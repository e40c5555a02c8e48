// What to do with records without a usable key, and the defaults of everything that is asked about records.

import { checkWord } from '../check.js';
import { defined } from '../defined.js';
import type { ErrorCode } from '../errors.js';
import { type NullMeaning, nullMeanings } from '../records/nulls.js';

export const missingKeyPolicies = ['distinct', 'drop', 'fail'] as const;
export type MissingKeyPolicy = (typeof missingKeyPolicies)[number];

export const emptyKeyPolicies = ['distinct', 'drop', 'fail', 'key'] as const;
/** What to do with a record whose key is empty; `key`: the key is a key like any other. */
export type EmptyKeyPolicy = (typeof emptyKeyPolicies)[number];

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

/** The rules among the options. @throws FirstseenError of the code for a word that is not one of its choices. */
export function keyRulesOf(
  { emptyKey, nullKey }: { emptyKey?: EmptyKeyPolicy | undefined; nullKey?: NullMeaning | undefined },
  code: ErrorCode,
): Partial<KeyRules> {
  if (emptyKey !== undefined) checkWord('emptyKey', emptyKey, emptyKeyPolicies, code);
  if (nullKey !== undefined) checkWord('nullKey', nullKey, Object.keys(nullMeanings), code);
  return defined({ emptyKey, nullKey });
}
