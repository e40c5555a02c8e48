// The defaults of options, by their names, from their rows.

import { type NameOf, nameOf } from './own.js';
import type { OptionRow } from './row.js';

/** The type of a constant such as true: boolean. A text may be one of several words, and keeps its type. */
type Widened<Value> = Value extends boolean
  ? boolean
  : Value extends number
    ? number
    : Value extends readonly []
      ? readonly string[]
      : Value;

/** The values that the default of a row is one of. */
type DefaultOf<Row> = Row extends { readonly words: readonly (infer Word)[] }
  ? Word
  : Row extends { readonly default: infer Value }
    ? Widened<Value>
    : never;

type Defaulted<Row> = Extract<Row, { readonly default: unknown }>;

/** The defaults of those rows that have one. */
export type DefaultsOf<Row> = { readonly [One in Defaulted<Row> as NameOf<One>]: DefaultOf<One> };

/**
 * The defaults of those rows that have one, by name. Its uses in constants are marked as pure, so that a bundler leaves out the rows
 * that a program does not need.
 */
export function defaultsOf<const Row extends OptionRow>(rows: readonly Row[]): DefaultsOf<Row> {
  const defaulted = rows.filter((row) => row.default !== undefined);
  return Object.fromEntries(defaulted.map((row) => [nameOf(row), row.default])) as DefaultsOf<Row>;
}
