// Warns when no record has the key, or the fields that are left out of records: a mistyped name passes or drops everything, unless
// records without a key are refused.

import { FirstseenError, joinPhrases, optionName, type Phrase, phrase, shownValue } from '../base/errors.js';
import type { RunCounts } from '../framing/counts.js';
import { isLineKey } from '../records/fieldplace.js';
import { checkOneValue, type KeyPath, parseKeyPath } from '../records/keypath.js';
import type { KeyRequest } from './keys.js';
import type { ReportOptions } from './settled.js';

/** The records that a run looks at before it warns. */
const FIRST_RECORDS = 10_000;
/** A run that ends before that warns if it had this many. */
const MIN_RECORDS = 100;

/**
 * Returns the remedies for keys that may be meant otherwise than they are read: `a,b` for two keys, `a.b` for one name.
 */
function formsOf(names: readonly string[]): Phrase[] {
  const keys = names.filter((name) => !isLineKey(name));
  const option = optionName('keys');
  const lists = keys.filter((key) => /[^,],[^,]/.test(key) && !key.includes('"'));
  const dotted = keys.filter((key) => /^[^.[\]]+(\.[^.[\]]+)+$/.test(key));
  return [
    ...lists.map(
      (key) =>
        phrase`for several keys, give ${joinPhrases(
          key.split(',').map((one) => phrase`${option} ${one}`),
          ' ',
        )}`,
    ),
    ...dotted.map((key) => phrase`for a field with dots in its name, give ${option} '[${JSON.stringify(key)}]'`),
  ];
}

/** An error about a key, with the form in which the key may be meant. */
export function withKeyForms(error: unknown, keys: readonly string[]): unknown {
  if (!(error instanceof FirstseenError)) return error;
  if (error.code !== 'E_KEY_MISSING' && error.option !== 'keys') return error;
  return formsOf(keys).reduce((hinted, form) => hinted.orRemedy(form), error);
}

/** An error about a key, with the option that gave the key. */
export function withKeyOptions(error: unknown, { keys, keyOptions }: KeyRequest): unknown {
  if (keyOptions === undefined || !(error instanceof FirstseenError)) return error;
  const isKeys = (part: Phrase[number]) => typeof part !== 'string' && part.option === 'keys';
  if (error.option !== 'keys' && !error.phrase.some(isKeys)) return error;
  const option = keyOptions[Math.max(0, keys.indexOf(String(error.given)))] as string;
  const renamed = (text: string | Phrase) => phrase`${text}`.map((part) => (isKeys(part) ? optionName(option) : part));
  const { code, problem, details } = error.data;
  return new FirstseenError(code, renamed(problem), {
    ...details,
    ...(error.option === 'keys' && { option }),
    ...(details.remedy !== undefined && { remedy: renamed(details.remedy) }),
    cause: error,
  });
}

/** The path of a key that an option gave. @throws FirstseenError E_USAGE for a key that is not a path. */
export function pathOf(key: string, option: string): KeyPath {
  try {
    return parseKeyPath(key);
  } catch (error) {
    throw withKeyOptions(error, { keys: [key], keyOptions: [option] });
  }
}

/** As `pathOf`, for a key with one value. @throws FirstseenError E_USAGE for one with several. */
export function pathOfOne(key: string, option: string): KeyPath {
  const path = pathOf(key, option);
  checkOneValue(path, option);
  return path;
}

function warningFor({ keys, except }: WatchedFields, records: number): FirstseenError {
  const names = [...keys, ...except].map(shownValue).join(', ');
  const forms = formsOf(keys).flatMap((form) => phrase`, or ${form}`);
  const lacked = keys.length > 0 ? `a value for the key ${names}` : `the field ${names}`;
  return new FirstseenError('E_KEY_MISSING', `none of the first ${records} records has ${lacked}`, {
    option: keys.length > 0 ? 'keys' : 'keyExcept',
    remedy: phrase`check its name${forms}`,
  });
}

/** The fields of records that are looked for. */
export interface WatchedFields {
  keys: readonly string[];
  /** The fields that are left out of whole records. */
  except: readonly string[];
  /** Tells if one of these was left out of any record. */
  hasCut(): boolean;
}

export class MissingKeyWatch {
  readonly #fields: WatchedFields;
  readonly #onWarning: ReportOptions['onWarning'];
  #isSettled: boolean;

  constructor(fields: WatchedFields, onWarning: ReportOptions['onWarning']) {
    this.#fields = fields;
    this.#onWarning = onWarning;
    this.#isSettled = fields.keys.length + fields.except.length === 0;
  }

  /** @param isEnd whether no more records follow */
  look({ records, missingKey }: Pick<RunCounts, 'records' | 'missingKey'>, isEnd: boolean): void {
    if (this.#isSettled || records < (isEnd ? MIN_RECORDS : FIRST_RECORDS)) return;
    this.#isSettled = true;
    const { keys, hasCut } = this.#fields;
    const isMistyped = keys.length > 0 ? missingKey === records : !hasCut();
    if (isMistyped) this.#onWarning?.(warningFor(this.#fields, records));
  }
}
