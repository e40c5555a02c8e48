// The names of the options that programs give to a job, and of its own options among them.

import { type NameOf, nameOf, type OwnNamesOf } from './own.js';
import type { JobName, OptionRow } from './row.js';
import { optionsOf, type RowOf } from './rows.js';

type CommandOnly = { readonly isOfCommand: true };
type Own = { readonly isOwn: true };

/** The options that programs give to a job, besides its own options. */
type SharedRowOf<Job extends JobName> = Exclude<RowOf<Job>, CommandOnly | Own>;

/** The names of those that have a default. */
export type NamesWithDefault<Job extends JobName> = NameOf<Extract<SharedRowOf<Job>, { readonly default: unknown }>>;

/** The names of the options that programs give to a job, besides its own options. */
export type RunNames<Job extends JobName> = NameOf<SharedRowOf<Job>>;

/** The names of the job's own options: those of its detector, for example. */
export type OwnNames<Job extends JobName> = OwnNamesOf<RowOf<Job>>;

/** The rows of the options that programs give to a job, besides its own options. */
export function sharedRowsOf<Job extends JobName>(job: Job): readonly SharedRowOf<Job>[] {
  const shared = optionsOf(job).filter(({ isOwn, isOfCommand }) => !isOwn && !isOfCommand);
  return shared as unknown as readonly SharedRowOf<Job>[];
}

/** The names of the options of a job, with that of the option that holds its own. */
export function optionNamesOf<Job extends JobName, Holder extends string>(
  job: Job,
  holder: Holder,
): Readonly<Record<RunNames<Job> | Holder, true>> {
  const names = [...sharedRowsOf(job).map((row: OptionRow) => nameOf(row)), holder];
  return Object.fromEntries(names.map((name) => [name, true])) as Record<RunNames<Job> | Holder, true>;
}
