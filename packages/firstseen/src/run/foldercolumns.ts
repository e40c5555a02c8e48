// Columns in the names of folders, such as date=2026-01-01, as Hive, Spark and DuckDB write tables in parts: what they are to a run.

import { createHash } from 'node:crypto';
import { FirstseenError, optionName, type Phrase, phrase } from '../base/errors.js';
import type { Emission } from '../io/policies.js';
import type { InputRequest } from '../io/source.js';
import type { FormatName } from '../records/formats.js';
import type { RunOptions } from './runoptions.js';

const OPTION = optionName('folderColumns');

/** The columns in the path of a file, by their names. */
type Columns = ReadonlyMap<string, string>;

/** The columns that the folders of a path name. */
function columnsIn(path: string): Columns {
  const folders = path.split('/').slice(0, -1);
  return new Map(
    folders.flatMap((folder) => {
      const [, name, value] = /^([^=]+)=(.*)$/.exec(folder) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The options of a run that decide the meaning of columns in the names of folders. */
export interface FolderColumnsRequest extends Pick<RunOptions, 'folderColumns' | 'outputFolder' | 'state'> {
  keys: readonly string[];
  inputs: readonly InputRequest[];
  format: FormatName;
  emit: Emission;
  /** The option because of which the run spills, if it does. */
  spilling: Phrase | undefined;
}

/** The keys that are in the records, and what the folders of an input add to its keys, if anything. */
export interface FolderKeys {
  keys: readonly string[];
  /** Returns the number that is mixed into the fingerprints of an input; absent if folders add nothing. */
  saltOf?: (path: string) => bigint;
}

function refuse(problem: string | Phrase, remedy: Phrase): never {
  throw new FirstseenError('E_USAGE', problem, { option: 'folderColumns', remedy });
}

/** @throws FirstseenError E_USAGE if records would be taken for repeats that differ in columns of folders, or if a key may be such a column. */
function checkUnambiguous(
  { keys, inputs }: FolderColumnsRequest,
  columns: readonly Columns[],
  names: ReadonlySet<string>,
): void {
  const key = keys.find((name) => names.has(name));
  if (key !== undefined) {
    const where = inputs[columns.findIndex((some) => some.has(key))]?.name as string;
    refuse(
      phrase`${optionName('keys')} ${key} is a column in the names of folders, as in ${where}`,
      phrase`give ${OPTION} key to take it from there, or ${OPTION} none to take it from the records`,
    );
  }
  if (keys.length > 0) return;
  for (const name of names) {
    const other = columns.findIndex((some) => some.get(name) !== columns[0]?.get(name));
    if (other === -1) continue;
    refuse(
      `${inputs[0]?.name} and ${inputs[other]?.name} differ in the column ${name}, which is in the names of their folders`,
      phrase`give ${OPTION} key to compare records with such columns, or ${OPTION} none to compare them without`,
    );
  }
}

/** @throws FirstseenError E_USAGE for what columns of folders cannot be a part of. */
function checkPossible({ format, spilling, state, outputFolder, emit }: FolderColumnsRequest): void {
  const problem = phrase`${OPTION} key was given`;
  const without = phrase`leave it out, or give ${OPTION} none`;
  if (format === 'u64') refuse(phrase`${problem}, but records of format u64 are numbers alone`, without);
  if (spilling !== undefined) refuse(phrase`${problem}, but a run with ${spilling} compares keys alone`, without);
  if (state !== undefined) refuse(phrase`${problem}, but a state has keys alone`, without);
  if (outputFolder !== undefined || emit === 'verdicts') return;
  const remedy = phrase`give ${optionName('outputFolder')}, which keeps the folders`;
  refuse(phrase`${problem}, but one output has no place for columns of folders`, remedy);
}

/** Returns the salt that the columns of a path with these names add to its keys: the first bytes of a digest. */
function saltFrom(columns: Columns, isTaken: (name: string) => boolean): bigint {
  const taken = [...columns].filter(([name]) => isTaken(name)).sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(taken)).digest().readBigUInt64LE();
}

/** @throws FirstseenError E_USAGE for keys that are all in names of folders, or of which some folders have none. */
function checkKeys(
  { keys, inputs }: FolderColumnsRequest,
  columns: readonly Columns[],
  fromFolders: readonly string[],
): void {
  const option = optionName('keys');
  for (const key of fromFolders) {
    const lacking = columns.findIndex((some) => !some.has(key));
    if (lacking === -1) continue;
    const problem = phrase`${option} ${key} is a column in the names of folders, but ${inputs[lacking]?.name as string} is in no such folder`;
    throw new FirstseenError('E_USAGE', problem, { option: 'keys', remedy: 'name inputs in such folders alone' });
  }
  if (fromFolders.length < keys.length) return;
  const problem = phrase`${option} ${fromFolders[0] as string} is in the names of folders, but no key is in the records`;
  throw new FirstseenError('E_USAGE', problem, { option: 'keys', remedy: 'name a field of the records too' });
}

/**
 * Decides what columns in the names of folders are: a part of whole records, and keys of their own, or nothing.
 * @throws FirstseenError E_USAGE if that has to be said, or cannot be
 */
export function folderKeysOf(request: FolderColumnsRequest): FolderKeys {
  const { keys, inputs, folderColumns } = request;
  const columns = inputs.map(({ name }) => columnsIn(name));
  const names = new Set(columns.flatMap((some) => [...some.keys()]));
  if (folderColumns === undefined) checkUnambiguous(request, columns, names);
  if (folderColumns !== 'key' || names.size === 0) return { keys };
  const fromFolders = keys.filter((key) => names.has(key));
  if (keys.length > 0 && fromFolders.length === 0) return { keys };
  checkPossible(request);
  if (keys.length > 0) checkKeys(request, columns, fromFolders);
  const isTaken = (name: string) => keys.length === 0 || fromFolders.includes(name);
  return { keys: keys.filter((key) => !names.has(key)), saltOf: (path) => saltFrom(columnsIn(path), isTaken) };
}
