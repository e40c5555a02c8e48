// What decides the identity of the records of a run.

import { isDeepStrictEqual } from 'node:util';
import { defined } from '../base/defined.js';
import type { KeyNote } from '../checkpoint/note.js';
import type { SavedRun } from '../checkpoint/resume.js';
import { VALUES_VERSION } from '../io/source.js';
import { dialectNote, dialectOf } from '../records/dialect.js';
import type { Equality } from '../records/equality.js';
import { isLineKey } from '../records/fieldplace.js';
import { type FormatName, recordFormats } from '../records/formats.js';
import { documentScheme, type KeyScheme, type KeySchemeFormat } from '../records/keyscheme.js';
import type { LineKeys } from '../records/linekeys.js';
import { type KeyRules, keyRuleDefaults, plainKeyRules } from '../records/policies.js';
import { timeNote } from '../records/timekeys.js';
import type { FolderKeys } from './foldercolumns.js';
import type { Job } from './job.js';
import type { SettledOptions } from './settled.js';

/** The keys that a run was asked for: what decides, with the format of the records, which of them are equal. */
export interface KeyRequest {
  keys: readonly string[];
  /** The options that gave the keys, in the same order; absent if all are `keys`. */
  keyOptions?: readonly string[] | undefined;
  /** The rules for keys without content that were asked for, if the job takes any. */
  rules?: Partial<KeyRules> | undefined;
  /** The finder of keys in lines that are not fields. */
  lineKeys?: LineKeys | undefined;
  /** The rules by which keys are equal that are not the same bytes. */
  equality?: Equality | undefined;
  /** Returns the salt that the folders of an input add to its keys; absent for none. */
  saltOf?: FolderKeys['saltOf'] | undefined;
}

/** The rules of the run. Rules that are not given are those of the state, or else the defaults. */
export function rulesOf({ keys, rules }: KeyRequest, saved: SavedRun | undefined): KeyRules {
  if (rules === undefined || keys.length === 0) return plainKeyRules;
  const before = saved ? (saved.note.key.rules ?? plainKeyRules) : keyRuleDefaults;
  return { ...before, ...rules };
}

export interface KeyNoteRequest {
  format: FormatName;
  key: KeyRequest;
  options: Pick<SettledOptions, 'records' | 'time'>;
}

/** Returns the version of the format of values that are not stored as text. */
export function valuesOf(format: FormatName): KeyNote['values'] {
  return recordFormats[format].keys === 'paths' ? VALUES_VERSION : undefined;
}

/** The keys of a run, as its state keeps them. */
export function keyNoteOf(
  { format, key: { keys, equality }, options }: KeyNoteRequest,
  rules: KeyRules,
  values?: KeyNote['values'],
): KeyNote {
  const { shard } = options.records;
  const { timeKey, timeFormat, timeZone } = options.time;
  const time = timeNote(timeKey);
  return {
    ...{ format, keys: [...keys] },
    ...defined({ time, timeFormat, timeZone, shard }),
    ...dialectNote(dialectOf(options.records, format), format),
    ...(isDeepStrictEqual(rules, plainKeyRules) ? {} : { rules }),
    ...defined({ values, equality }),
  };
}

/** Describes how the elements of a new detector are made. A whole record and a part of a line need no scheme: they are bytes that a program has too. */
export function keySchemeFor({ takes }: Job<never>, { format, keys, equality }: KeyNote): KeyScheme | undefined {
  if (takes === 'spans') return documentScheme;
  if (keys.some(isLineKey)) return undefined;
  const scheme = { format: (format === 'nul' ? 'lines' : format) as KeySchemeFormat, keys, ...defined({ equality }) };
  return keys.length > 0 || equality ? scheme : undefined;
}
