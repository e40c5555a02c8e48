// The options of a program that runs for long: each is a flag, a variable of the environment, and an entry of a file. A flag wins, then
// the variable, then the file. All have the same syntax and the same errors.

import { FirstseenError, shownValue } from '../base/errors.js';
import { type GivenOf, type ValuesOf, valuesOf } from './filled.js';
import { kinds } from './kinds.js';
import { entryOf, longFlag } from './longflag.js';
import type { OptionRow } from './row.js';
import { checkRules, type OptionRule } from './rules.js';

const PREFIX = 'FIRSTSEEN_';
/** Ends the variable of an option that names a file with a secret. Without it, the variable has the secret itself. */
const OF_FILE = '_FILE';

/** Kubernetes and Docker set such variables for a service that is called firstseen. */
const serviceName = /^FIRSTSEEN(?:_[A-Z0-9_]+)?_(?:SERVICE_(?:HOST|PORT\w*)|PORT_\d+_(?:TCP|UDP|SCTP)\w*)$/;
const serviceAddress = /^(?:tcp|udp|sctp):\/\//;

/** The file, as it was parsed. */
export interface SettingsFile {
  path: string;
  entries: Readonly<Record<string, unknown>>;
}

export interface SettingsSources {
  rows: readonly OptionRow[];
  /** Rows that have no entry in the file. */
  rowsWithoutEntry: readonly OptionRow[];
  /** The values of the flags that were given, by the names of their rows. */
  flags: Readonly<Record<string, unknown>>;
  variables: Readonly<Record<string, string | undefined>>;
  /** Other variables with the same prefix. */
  otherVariables: readonly string[];
  file?: SettingsFile | undefined;
  /** Entries of the file that do not name an option. */
  otherEntries: readonly string[];
  /** The program that takes the options, in errors. */
  owner: 'the server' | 'this command';
}

/** An option that was given. */
interface Setting {
  value: unknown;
  /** The place where it was given, in the words of errors. */
  origin: string;
  /** The lower, the sooner it wins. */
  rank: number;
}

/** The variable of an option, such as FIRSTSEEN_LOG_LIMIT. */
export function variableOf(row: OptionRow): string {
  return PREFIX + entryOf(row).toUpperCase().replaceAll('-', '_');
}

/** The variable that has the secret itself, for an option that names a file with one. */
function secretVariableOf(row: OptionRow): string | undefined {
  return row.holdsSecret ? variableOf(row).slice(0, -OF_FILE.length) : undefined;
}

/** The options that were given, from all sources. */
export class Settings {
  readonly #settings: ReadonlyMap<string, Setting>;

  constructor(settings: ReadonlyMap<string, Setting>) {
    this.#settings = settings;
  }

  /** The values as they were given, by the names of the options. */
  get given(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Array.from(this.#settings, ([name, { value }]) => [name, value]));
  }

  /** Returns the value of an option as it was given; undefined if it was not. */
  givenOf<const Row extends OptionRow>({ name }: Row): GivenOf<Row> | undefined {
    return this.#settings.get(name)?.value as GivenOf<Row> | undefined;
  }

  /** Returns the values of options, with their defaults, by name. @throws FirstseenError as `valuesOf` */
  valuesOf<const Row extends OptionRow>(rows: readonly Row[]): ValuesOf<Row> {
    return valuesOf(rows, this.given);
  }

  /** Returns the place where an option was given; its flag if it was not. */
  originOf(row: OptionRow): string {
    return this.#settings.get(row.name)?.origin ?? longFlag(row);
  }

  /** @throws FirstseenError E_USAGE as `checkRules`, which says where the options were given */
  check<const Row extends OptionRow>(rows: readonly Row[], rules: readonly OptionRule<Row['name']>[]): void {
    checkRules(rules, this.given, (name) => this.originOf(rows.find((row) => row.name === name) as Row));
  }

  /** Without other options, where an option wins that gives them no effect: a flag wins against what a file says. */
  overriding(row: OptionRow, others: readonly OptionRow[]): Settings {
    const rank = this.#settings.get(row.name)?.rank ?? Number.POSITIVE_INFINITY;
    const left = [...this.#settings].filter(
      ([name, setting]) => setting.rank <= rank || !others.some((other) => other.name === name),
    );
    return new Settings(new Map(left));
  }
}

/** Reads a text as the flag does. @throws FirstseenError that says where the text was given */
function readText(row: OptionRow, text: string, before: unknown, origin: string): unknown {
  const { read } = kinds[row.kind];
  try {
    return read?.({ text, flag: longFlag(row), row, words: row.words ?? [], before });
  } catch (error) {
    throw error instanceof FirstseenError ? error.at(origin) : error;
  }
}

function refuse(origin: string, given: unknown, expected: string): never {
  const problem = `${origin} is ${shownValue(given)}, but must be ${expected}`;
  throw new FirstseenError('E_USAGE', problem, { given, expected });
}

/** The value of a flag without a value; undefined for one that is not given, whatever a place says that loses. */
function switched({ gives = true }: OptionRow, isOn: boolean): boolean | string | undefined {
  return isOn ? gives : undefined;
}

/** A variable: a flag without a value is true or false, and one that can be repeated has a value a line. */
function fromVariable(row: OptionRow, text: string): Setting {
  const origin = variableOf(row);
  const setting = (value: unknown): Setting => ({ value, origin, rank: 1 });
  if (row.kind === 'presence') {
    if (!['true', 'false', '1', '0'].includes(text)) refuse(origin, text, 'true, false, 1 or 0');
    return setting(switched(row, text === 'true' || text === '1'));
  }
  const texts = row.kind === 'texts' ? text.split('\n').filter((line) => line.trim() !== '') : [text];
  return setting(readAll(row, texts, origin));
}

function readAll(row: OptionRow, texts: readonly string[], origin: string): unknown {
  return texts.reduce((before: unknown, text) => readText(row, text, before, origin), undefined);
}

function fromEntry(row: OptionRow, entryValue: unknown, path: string): Setting {
  const origin = `${entryOf(row)} in ${path}`;
  const setting = (value: unknown): Setting => ({ value, origin, rank: 2 });
  if (row.kind === 'presence') {
    if (typeof entryValue !== 'boolean') refuse(origin, entryValue, 'true or false');
    return setting(switched(row, entryValue));
  }
  const isText = (one: unknown) => typeof one === 'string' || typeof one === 'number';
  if (row.kind === 'texts') {
    const list = Array.isArray(entryValue) ? entryValue : [entryValue];
    if (!list.every(isText)) refuse(origin, entryValue, 'a list of texts');
    return setting(readAll(row, list.map(String), origin));
  }
  if (!isText(entryValue)) refuse(origin, entryValue, 'a text or a number');
  return setting(readText(row, String(entryValue), undefined, origin));
}

/**
 * Returns the setting of an option in the environment.
 * @throws FirstseenError E_USAGE when a secret is given in two ways
 */
function variableSetting(row: OptionRow, variables: SettingsSources['variables']): Setting | undefined {
  const [text, secretName] = [variables[variableOf(row)] ?? '', secretVariableOf(row)];
  const secret = (secretName !== undefined && variables[secretName]) || '';
  if (secret !== '' && text !== '') {
    throw new FirstseenError('E_USAGE', `${secretName} and ${variableOf(row)} are both given`, {
      remedy: 'leave one of them out',
    });
  }
  if (secret !== '') return { value: { secret }, origin: secretName as string, rank: 1 };
  return text === '' || serviceAddress.test(text) ? undefined : fromVariable(row, text);
}

/** @throws FirstseenError E_USAGE for a variable with the prefix that means nothing, such as one with a typing error. */
function checkVariables({ rows, rowsWithoutEntry, variables, otherVariables, owner }: SettingsSources): void {
  const names = [...rows, ...rowsWithoutEntry].flatMap((row) => [variableOf(row), secretVariableOf(row) ?? []].flat());
  const knownNames = [...names, ...otherVariables];
  const unknownVariable = Object.entries(variables).find(
    ([name, value = '']) =>
      name.startsWith(PREFIX) && !knownNames.includes(name) && !serviceName.test(name) && !serviceAddress.test(value),
  );
  if (unknownVariable === undefined) return;
  throw new FirstseenError('E_USAGE', `the variable ${unknownVariable[0]} is not an option of ${owner}`, {
    remedy: `remove it, or use one of ${names.join(', ')}`,
  });
}

/** @throws FirstseenError E_USAGE for an entry that means nothing */
function checkEntries({ rows, otherEntries, file, owner }: SettingsSources): void {
  const known = [...rows.map(entryOf), ...otherEntries];
  const unknown = Object.keys(file?.entries ?? {}).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new FirstseenError('E_USAGE', `${shownValue(unknown)} in ${file?.path} is not an option of ${owner}`, {
    remedy: `remove it, or use one of ${known.join(', ')}`,
  });
}

/** @throws FirstseenError E_USAGE for a text without characters, as a variable of a shell gives that is not set */
function checkText(row: OptionRow, { value, origin }: Setting): void {
  if (row.kind !== 'text' || typeof value !== 'string' || value.trim() !== '') return;
  throw new FirstseenError('E_USAGE', `${origin} is ${JSON.stringify(value)}, without a text`, {
    ...{ option: row.name, given: value },
    remedy: `give ${origin}: ${row.help}`,
  });
}

/**
 * Returns the settings from flags, variables and a file.
 * @throws FirstseenError as the flags, and E_USAGE for variables and entries that do not name an option, and for texts that are empty.
 */
export function settingsOf(sources: SettingsSources): Settings {
  const { rows, rowsWithoutEntry, flags, variables, file } = sources;
  checkVariables(sources);
  checkEntries(sources);
  const settings = new Map<string, Setting>();
  for (const row of [...rows, ...rowsWithoutEntry]) {
    // All are read, so that a wrong value is found also where another one wins.
    const entry = file?.entries[entryOf(row)];
    const ofFile = entry === undefined ? undefined : fromEntry(row, entry, file?.path as string);
    const ofVariable = variableSetting(row, variables);
    const flag = flags[row.name];
    const ofFlag = flag === undefined ? undefined : { value: flag, origin: longFlag(row), rank: 0 };
    const setting = ofFlag ?? ofVariable ?? ofFile;
    if (setting === undefined || setting.value === undefined) continue;
    checkText(row, setting);
    settings.set(row.name, setting);
  }
  return new Settings(settings);
}
