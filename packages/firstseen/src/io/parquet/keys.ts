// Checks that the keys of a run are fields of a Parquet file.

import { FirstseenError, optionName, phrase, shownValue } from '../../base/errors.js';
import type { KeyPath } from '../../records/keypath.js';
import { formatKeyPath } from '../../records/keypath.js';
import { type Field, hasWrappedElement } from './schema.js';

/** The field at a segment of a path; undefined if there is none. `any` is below text or a map, where every name may exist. */
function fieldBelow(field: Field, segment: string | number): Field | 'any' | undefined {
  if (field.kind === 'map') return typeof segment === 'string' ? 'any' : undefined;
  if (field.kind === 'struct') return field.children.find(({ name }) => name === segment);
  if (field.kind === 'value' || typeof segment === 'string') return undefined;
  const [child] = field.children as [Field];
  return hasWrappedElement(field) ? (child.children[0] as Field) : { ...child, kind: 'struct' };
}

function namesBelow(before: KeyPath, fields: readonly Field[]): string {
  return fields.map(({ name }) => formatKeyPath([...before, name])).join(', ');
}

/** The paths that exist where a path leaves the schema; undefined if it does not leave it. */
function known(fields: readonly Field[], path: KeyPath): string | undefined {
  let field = fields.find(({ name }) => name === path[0]);
  if (!field) return `the columns are ${namesBelow([], fields)}`;
  for (const [i, segment] of path.slice(1).entries()) {
    const prefix = path.slice(0, i + 1);
    const next: Field | 'any' | undefined = fieldBelow(field, segment);
    if (next === 'any') return undefined;
    if (!next) {
      const shownPath = formatKeyPath(prefix);
      if (field.kind === 'struct') return `${shownPath} has ${namesBelow(prefix, field.children)}`;
      return field.kind === 'list' ? `${shownPath} is a list, such as ${shownPath}[0]` : `${shownPath} has no fields`;
    }
    field = next;
  }
  return undefined;
}

/**
 * @param option the option that gave the key
 * @throws FirstseenError E_USAGE that names the columns when the key is none of them.
 */
export function checkKey(option: 'keys' | 'timeKey', path: KeyPath, file: string, fields: readonly Field[]): void {
  const remedy = known(fields, path);
  if (remedy === undefined) return;
  const given = formatKeyPath(path);
  const problem = phrase`${optionName(option)} ${shownValue(given)} is not a column of ${file}`;
  throw new FirstseenError('E_USAGE', problem, { option, given, remedy });
}

/** Tells if the values of a path are dates or times without a zone, which only the time format `iso` accepts. */
export function isWithoutZone(path: KeyPath, fields: readonly Field[]): boolean {
  const [first, ...segments] = path;
  let field = fields.find(({ name }) => name === first);
  for (const segment of segments) {
    const next: Field | 'any' | undefined = field && fieldBelow(field, segment);
    if (next === 'any') return false;
    field = next;
  }
  const { type, converted_type: convertedType, logical_type: logical } = field?.element ?? {};
  if (logical?.type === 'TIMESTAMP') return !logical.isAdjustedToUTC;
  return type === 'INT96' || convertedType === 'DATE' || logical?.type === 'DATE';
}
