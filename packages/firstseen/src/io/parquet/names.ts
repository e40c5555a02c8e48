// Refuses columns, and members of a struct, of the same name: a line cannot have both.

import { FirstseenError } from '../../base/errors.js';
import { formatKeyPath } from '../../records/keypath.js';
import type { Field } from './schema.js';

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

/** @throws FirstseenError E_INPUT that names two columns, or two members of a struct, of one name. */
export function checkNames(file: string, columns: readonly Field[]): void {
  const names = new Set<string>();
  for (const path of pathsOf(columns)) {
    const name = JSON.stringify(path);
    if (names.has(name)) {
      const problem = `cannot read ${file}: two of its columns have the name ${formatKeyPath(path)}`;
      throw new FirstseenError('E_INPUT', problem, { remedy: 'write the file with other names' });
    }
    names.add(name);
  }
}
