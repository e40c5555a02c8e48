// The values of options: their types follow from their rows, and their defaults are filled in here, for every program.

import { checkTimer, millisecondsOf } from '../base/check.js';
import type { OptionRow, ValueOf } from './row.js';

/** A secret that a variable has itself, in place of the name of its file. */
export interface Secret {
  readonly secret: string;
}

/** The value of an option as it was given. */
export type GivenOf<Row extends OptionRow> = Row extends { readonly words: readonly (infer Word)[] }
  ? Word
  : Row extends { readonly kind: 'presence' }
    ? Row extends { readonly gives: infer Given extends string }
      ? Given
      : boolean
    : ValueOf[Row['kind']] | (Row extends { readonly holdsSecret: true } ? Secret : never);

/** The value of an option as its consumer gets it. */
type FilledOf<Row extends OptionRow> = Row extends { readonly kind: 'duration' } ? number : GivenOf<Row>;

/** The rows of options that always have a value. Who owns an option fills in its default. */
type Filled<Row extends OptionRow> =
  | Extract<Row, { readonly isRequired: true }>
  | Exclude<Extract<Row, { readonly default: unknown }>, { readonly isOwn: true }>;

/** The values of options, by name. */
export type ValuesOf<Row extends OptionRow> = {
  readonly [One in Filled<Row> as One['name']]: FilledOf<One>;
} & {
  readonly [One in Exclude<Row, Filled<Row>> as One['name']]?: FilledOf<One> | undefined;
};

function filled({ name, kind, isOwn, isTimer, default: byDefault }: OptionRow, given: unknown): unknown {
  const value = given === undefined && !isOwn ? byDefault : given;
  if (kind !== 'duration' || value === undefined) return value;
  return isTimer ? checkTimer(name, value) : millisecondsOf(name, value, 'E_USAGE');
}

/**
 * Returns the values of options, with their defaults. Durations are in milliseconds.
 * @throws FirstseenError E_USAGE for what is not a duration; E_PARAMETER for one that a timer cannot wait
 */
export function valuesOf<const Row extends OptionRow>(
  rows: readonly Row[],
  given: Readonly<Record<string, unknown>>,
): ValuesOf<Row> {
  return Object.fromEntries(rows.map((row) => [row.name, filled(row, given[row.name])])) as ValuesOf<Row>;
}
