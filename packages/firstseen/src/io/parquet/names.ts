// Refuses names of columns for which the reader mixes up values. hyparquet 1.31 keeps the values of a column by the names of its
// members, joined by dots, and makes an object of each struct.

import { FirstseenError } from '../../base/errors.js';
import { formatKeyPath, type KeyPath } from '../../records/keypath.js';
import type { Field } from './schema.js';

/** The name that sets the prototype of an object instead of a member. */
const PROTOTYPE = '__proto__';

/** The paths of all fields, each group before its members. */
function* pathsOf(
  fields: readonly Field[],
  above: readonly string[] = [],
): Generator<readonly string[], void, undefined> {
  for (const { name, children } of fields) {
    const path = [...above, name];
    yield path;
    yield* pathsOf(children, path);
  }
}

function refuse(file: string, problem: string): never {
  throw new FirstseenError('E_INPUT', `cannot read ${file}: ${problem}`, { remedy: 'write the file with other names' });
}

const shown = (path: KeyPath) => formatKeyPath(path);

/** @throws FirstseenError E_INPUT that names two columns, or two members of a struct, of one name. */
export function checkNames(file: string, columns: readonly Field[]): void {
  const pathsByName = new Map<string, KeyPath>();
  for (const path of pathsOf(columns)) {
    const [column, ...members] = path;
    // The values of different columns are kept apart, whatever their names.
    const storedName = JSON.stringify([column, members.join('.'), members.length > 0]);
    const first = pathsByName.get(storedName);
    if (first && shown(first) === shown(path)) refuse(file, `two of its columns have the name ${shown(path)}`);
    if (first) refuse(file, `the reader of Parquet takes its columns ${shown(first)} and ${shown(path)} for one`);
    if (members.includes(PROTOTYPE)) refuse(file, `the reader of Parquet loses the member ${shown(path)}`);
    pathsByName.set(storedName, path);
  }
}
