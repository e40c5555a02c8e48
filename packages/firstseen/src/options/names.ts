// The names of the options that programs give to a job, and of its own options among them.

import { type NameOf, nameOf, type OwnNamesOf } from './own.js';
import type { JobName } from './row.js';
import { type OptionRows, optionRows, type RowOf } from './rows.js';

type CommandOnly = { readonly isOfCommand: true };
type Own = { readonly isOwn: true };

/** The names of the options that programs give to a job, besides its own options. */
export type RunNames<Job extends JobName> = NameOf<Exclude<RowOf<Job>, CommandOnly | Own>>;

/** The names of the job's own options: those of its detector, for example. */
export type OwnNames<Job extends JobName> = OwnNamesOf<RowOf<Job>>;

/** The names of the options of a job, with that of the option that holds its own. */
export function optionNamesOf<Job extends JobName, Holder extends string>(
  job: Job,
  holder: Holder,
): Readonly<Record<RunNames<Job> | Holder, true>> {
  const rows: OptionRows = optionRows;
  const taken = rows.filter((row) => row.jobs.includes(job) && !row.isOwn && !row.isOfCommand);
  return Object.fromEntries([...taken.map(nameOf), holder].map((name) => [name, true])) as Record<
    RunNames<Job> | Holder,
    true
  >;
}
