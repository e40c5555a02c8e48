// Warns when no record has the key: a mistyped name passes or drops everything where records without a key are allowed.

import { FirstseenError, joinPhrases, optionName, type Phrase, phrase, shownValue } from '../base/errors.js';
import type { RunCounts } from '../framing/counts.js';
import type { ReportOptions } from './settled.js';

/** The records that a run looks at before it warns. */
const FIRST_RECORDS = 10_000;
/** A run that ends before that warns if it had this many. */
const LEAST_RECORDS = 100;

/** How keys are written that may be meant otherwise than they are read: `a,b` for two keys, `a.b` for one name. */
function formsOf(keys: readonly string[]): Phrase[] {
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

function warningFor(keys: readonly string[], records: number): FirstseenError {
  const names = keys.map(shownValue).join(', ');
  const forms = formsOf(keys).flatMap((form) => phrase`, or ${form}`);
  return new FirstseenError('E_KEY_MISSING', `none of the first ${records} records has a value for the key ${names}`, {
    option: 'keys',
    remedy: phrase`check its name${forms}`,
  });
}

export class MissingKeyWatch {
  readonly #keys: readonly string[];
  readonly #onWarning: ReportOptions['onWarning'];
  #isSettled: boolean;

  constructor(keys: readonly string[], onWarning: ReportOptions['onWarning']) {
    this.#keys = keys;
    this.#onWarning = onWarning;
    this.#isSettled = keys.length === 0;
  }

  /** @param isEnd whether no more records follow */
  look({ records, missingKey }: Pick<RunCounts, 'records' | 'missingKey'>, isEnd: boolean): void {
    if (this.#isSettled || records < (isEnd ? LEAST_RECORDS : FIRST_RECORDS)) return;
    this.#isSettled = true;
    if (missingKey === records) this.#onWarning?.(warningFor(this.#keys, records));
  }
}
