// The names of a job's own options, such as those of its detector, from their rows.

import type { OptionRow } from './row.js';

/** The name of an option, or of the option that it is a member of. */
export type NameOf<Row> = Row extends { readonly name: `${infer Name}.${string}` }
  ? Name
  : Row extends { readonly name: infer Name extends string }
    ? Name
    : never;

/** The names of the rows that are a job's own. */
export type OwnNamesOf<Row> = NameOf<Extract<Row, { readonly isOwn: true }>>;

/** The name of an option, or of the option that it is a member of. */
export function nameOf({ name }: OptionRow): string {
  return name.split('.')[0] as string;
}

/** The names of a job's own options. */
export function ownNamesOf<const Rows extends readonly OptionRow[]>(
  rows: Rows,
): Readonly<Record<OwnNamesOf<Rows[number]>, true>> {
  const own = rows.filter(({ isOwn }) => isOwn).map((row) => [nameOf(row), true]);
  return Object.fromEntries(own) as Record<OwnNamesOf<Rows[number]>, true>;
}
