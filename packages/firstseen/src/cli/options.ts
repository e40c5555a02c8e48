// The flags of the commands, made from the rows of the options, and the options that the flags of a command line give.

import { type Command, Option } from 'commander';
import { defined } from '../base/defined.js';
import { fingerprintNames } from '../fingerprint/fingerprint.js';
import { jobs } from '../jobs/jobs.js';
import { documentFormats } from '../jobs/near/documentoptions.js';
import { passageFormats } from '../jobs/passages/passageoptions.js';
import { lshNames } from '../near/registry.js';
import type { CommandJob } from '../options/commands.js';
import { kinds } from '../options/kinds.js';
import { longFlag } from '../options/longflag.js';
import type { Agreement, Catalogue, JobName, OptionGroup, OptionRow } from '../options/row.js';
import { optionsOf } from '../options/rows.js';
import { algorithmNames } from '../plan/auto.js';
import { inputFormatNames } from '../records/formats.js';
import { timeFormatNames } from '../records/timeformat.js';
import { withFormatHint } from './otherprograms.js';

/** The jobs whose emissions a command takes; those of exact deduplication in memory by default. */
const emittingJobs: { readonly [Name in JobName]?: { emissions: readonly string[] } } = {
  exact: jobs.spill,
  near: jobs.near,
};

/** The names of the registries, as flags take them. */
const catalogues: { readonly [Name in Catalogue]: (job: JobName) => readonly string[] } = {
  algorithms: () => algorithmNames,
  fingerprints: () => fingerprintNames,
  formats: () => inputFormatNames,
  documentFormats: () => documentFormats,
  passageFormats: () => passageFormats,
  timeFormats: () => timeFormatNames,
  lsh: () => lshNames,
  emissions: (job) => emittingJobs[job]?.emissions ?? jobs.exact.emissions,
};

/** The words that an option takes, or the names in its registry; none if it takes anything. */
function wordsOf({ words, names }: OptionRow, job: JobName): readonly string[] {
  return words ?? (names ? catalogues[names](job) : []);
}

/** The default as the help shows it; undefined if it shows none. */
function defaultText({ kind, default: value, shownDefault }: OptionRow): string | undefined {
  if (shownDefault === null || kind === 'presence') return undefined;
  if (shownDefault !== undefined || value === undefined) return shownDefault;
  const show = kinds[kind].show as ((value: unknown) => string) | undefined;
  return show ? show(value) : String(value);
}

/** The description of an option in the help: its text, its words and its default. */
export function descriptionOf(row: OptionRow, job: JobName): string {
  const words = wordsOf(row, job).join(', ');
  const byDefault = defaultText(row);
  const isListed = words !== '' && !row.help.includes('{words}');
  const isShown = byDefault !== undefined && !row.help.includes('{default}');
  const text = row.help.replace('{words}', words).replace('{default}', byDefault ?? '');
  return `${text}${isListed ? `: ${words}` : ''}${isShown ? ` (default: ${byDefault})` : ''}`;
}

/** The flag of an option, as the parser takes it. */
export function flagFor(row: OptionRow, job: JobName = 'exact'): Option {
  const option = new Option(row.flag as string, descriptionOf(row, job));
  const { read: readValue } = kinds[row.kind];
  if (!readValue) return option;
  const flag = option.long as string;
  const words = wordsOf(row, job);
  return option.argParser((text, before: unknown) => {
    try {
      return readValue({ text, flag, row, words, before });
    } catch (error) {
      throw row.name === 'format' ? withFormatHint(error, text) : error;
    }
  });
}

/** The rows of the options of a job that have flags, in the order of the help. */
export function flagRows(job: JobName): readonly OptionRow[] {
  return optionsOf(job).filter(({ flag }) => flag !== undefined);
}

/** Adds the flags of a job to its command, in the groups of its help. */
export function addFlags(
  command: Command,
  job: JobName,
  headings: Readonly<Partial<Record<OptionGroup, string>>>,
): void {
  const groups = [...new Set(Object.values(headings)), undefined];
  const headingOf = ({ group, shownIn = group }: OptionRow) => headings[shownIn];
  for (const heading of groups) {
    for (const row of flagRows(job).filter((one) => headingOf(one) === heading)) {
      const option = flagFor(row, job);
      command.addOption(heading === undefined ? option : option.helpGroup(heading));
    }
  }
}

/** The name under which the parser stores the value of a flag. */
export function attributeOf({ flag = '' }: OptionRow): string {
  return new Option(flag).attributeName();
}

/** The values of the options that a command line gives, by their names in the library. */
export type GivenValues = Readonly<Record<string, unknown>>;

/** The values of the flags that were given. */
function givenRows(command: Command, rows: readonly OptionRow[]): readonly (readonly [OptionRow, unknown])[] {
  return rows
    .map((row) => [row, attributeOf(row)] as const)
    .filter(([, attribute]) => command.getOptionValueSource(attribute) === 'cli')
    .map(([row, attribute]) => {
      const { kind, gives = true } = row;
      return [row, kind === 'presence' ? gives : command.getOptionValue(attribute)] as const;
    });
}

/** The options that a command line gives, by their names in the library. */
export function givenValues(command: Command, rows: readonly OptionRow[]): GivenValues {
  return Object.fromEntries(givenRows(command, rows).map(([{ name }, value]) => [name, value]));
}

/** The options that a command line gives: those of a run, and the job's own. An option such as `a.b` is the member `b` of `a`. */
export function givenOptions(command: Command, job: JobName): { run: GivenValues; own: GivenValues } {
  const run: Record<string, unknown> = {};
  const jobOptions: Record<string, unknown> = {};
  for (const [{ name, isOwn, isOfCommand }, value] of givenRows(command, flagRows(job))) {
    const [first = '', member] = name.split('.');
    if (isOfCommand) continue;
    const target = isOwn ? jobOptions : run;
    target[first] = member === undefined ? value : { ...(target[first] as object | undefined), [member]: value };
  }
  return { run, own: jobOptions };
}

/** The files of a run that a command line names with flags. */
export function filesGiven(command: Command, job: JobName): string[] {
  return givenRows(command, flagRows(job))
    .filter(([{ flag = '', isOfCommand }]) => flag.includes('<file>') && !isOfCommand)
    .map(([, value]) => String(value));
}

/** An option as the tables of the docs show it. */
export interface OptionFacts {
  readonly name: string;
  /** The option that it is a member of. */
  readonly own?: string;
  /** The long flag. */
  readonly flag?: string;
  readonly description: string;
  readonly isOfCommand: boolean;
  readonly agrees?: Agreement;
}

/** The options of a job, in the order of its help. */
export function optionFacts(job: CommandJob): readonly OptionFacts[] {
  const holder = jobs[job].command.own;
  return optionsOf(job).map((row) => ({
    name: row.name,
    description: descriptionOf(row, job),
    isOfCommand: row.isOfCommand ?? false,
    ...defined({
      own: row.isOwn ? holder : undefined,
      flag: row.flag === undefined ? undefined : longFlag(row),
      agrees: row.agrees,
    }),
  }));
}
