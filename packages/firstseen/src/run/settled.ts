// The options of a run, settled once where it begins: every default is filled in, and each part of the run gets only its own.

import { invalidOption } from '../base/errors.js';
import { RANDOM_SECRET } from '../fingerprint/secret.js';
import { outputPath } from '../io/system/paths.js';
import { valuesOf } from '../options/filled.js';
import { checkKinds } from '../options/kinds.js';
import type { OptionGroup } from '../options/row.js';
import { runRows } from '../options/rows.js';
import type { PlannedOptions } from '../plan/auto.js';
import type { SharedOptions } from './runoptions.js';
import { checkThreads } from './threads.js';

type Row = (typeof runRows)[number];

/** The options that always have a value. */
type Defaulted = Extract<Row, { readonly default: unknown }>['name'];

/** The options that are durations. Settled, they are in milliseconds. */
type Duration = Extract<Row, { readonly kind: 'duration' }>['name'];

type Filled = Omit<SharedOptions, Defaulted> & {
  [Name in Defaulted]-?: Name extends Duration ? number : Exclude<SharedOptions[Name], undefined>;
};

/** The groups of options that a run takes. */
type Group = Exclude<OptionGroup, 'similarity'>;

/** The options of a group, with their defaults. */
type OptionsIn<One extends Group> = Pick<Filled, Extract<Row, { readonly group: One }>['name']>;

/** The options of the detector, of those that all jobs share. */
export type DetectorShare = OptionsIn<'detector'>;

/** The options by which records are read. */
export type RecordOptions = OptionsIn<'records'>;

/** The options for the source of the times of records, and how far they may be ahead. */
export type TimeOptions = OptionsIn<'time'>;

/** The options that say which inputs are read, and how far. */
export type InputOptions = OptionsIn<'input'>;

/** The options that say what is written, and where. */
export type OutputOptions = OptionsIn<'output'>;

/** The options of the state, which is kept between runs. */
export type StateOptions = OptionsIn<'state'>;

/** The options that say what a run reports, and how it is ended. */
export type ReportOptions = OptionsIn<'report'>;

/** The options of a run in separate records. Each part of the run gets only those that it works with. */
export type SettledOptions = { readonly [One in Group]: OptionsIn<One> };

/** @throws FirstseenError E_USAGE for a value of another kind, such as a word that is not one of its choices, or without inputs. */
function checkValues(options: SharedOptions): void {
  checkKinds(runRows, { ...options });
  if (options.threads !== undefined) checkThreads(options.threads);
  if (options.inputs?.length > 0) return;
  throw invalidOption({
    code: 'E_USAGE',
    option: 'inputs',
    given: options.inputs,
    expected: 'a list of one or more paths',
  });
}

/**
 * Checks the options of a run, fills in the defaults of those that are absent, and puts them into their records.
 * @throws FirstseenError E_USAGE for a value of another kind, such as a word that is not one of its choices.
 */
export function fillDefaults(options: SharedOptions): SettledOptions {
  checkValues(options);
  const values = valuesOf(runRows, { ...options, output: outputPath(options.output) });
  const settled: Record<string, Record<string, unknown>> = {};
  for (const { name, group } of runRows) settled[group] = { ...settled[group], [name]: values[name] };
  return settled as unknown as SettledOptions;
}

/** The options of a detector, which gets a random secret if the input comes from strangers and no secret was given. */
export function keyedIfUntrusted<Own extends Pick<PlannedOptions, 'secret'>>(
  own: Own,
  { isUntrusted = false, secretFile }: Pick<SharedOptions, 'isUntrusted' | 'secretFile'>,
): Own {
  if (!isUntrusted || secretFile !== undefined || own.secret !== undefined) return own;
  return { ...own, secret: RANDOM_SECRET };
}
