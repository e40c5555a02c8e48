// Checks of the paths and columns of keys.

import { FirstseenError, type Phrase } from '../base/errors.js';
import { EVERY_ITEM, formatKeyPath, type KeyPath, maximumIndex } from './keypath.js';

/** @throws FirstseenError E_USAGE about the keys. */
export function refuseKeys(problem: string | Phrase, remedy: string | Phrase): never {
  throw new FirstseenError('E_USAGE', problem, { option: 'keys', remedy });
}

/** Tells if two segments can lead to the same value. */
function meets(one: string | number, other: string | number | undefined): boolean {
  const isEvery = typeof one === 'number' && typeof other === 'number' && (one === EVERY_ITEM || other === EVERY_ITEM);
  return isEvery || one === other;
}

function isPrefix(short: KeyPath, long: KeyPath): boolean {
  return short.length <= long.length && short.every((segment, i) => meets(segment, long[i]));
}

/** @throws FirstseenError E_USAGE for paths that are invalid, or of which one is in another. */
export function checkPaths(paths: readonly KeyPath[]): void {
  for (const [i, path] of paths.entries()) {
    if (path.length === 0) refuseKeys('a key path is empty', 'name at least one field, such as user.id');
    const index = path.find(
      (segment) =>
        typeof segment === 'number' &&
        segment !== EVERY_ITEM &&
        !(Number.isInteger(segment) && segment >= 0 && segment <= maximumIndex),
    );
    if (index !== undefined)
      refuseKeys(`array index ${index} is invalid`, `give a whole number from 0 to ${maximumIndex}`);
    for (const otherPath of paths.slice(i + 1)) {
      if (isPrefix(path, otherPath) || isPrefix(otherPath, path)) {
        refuseKeys(`keys ${formatKeyPath(path)} and ${formatKeyPath(otherPath)} overlap`, 'leave the inner one out');
      }
    }
  }
}

/** @throws FirstseenError E_USAGE for columns that are invalid, or one that is given twice. */
export function checkColumns(columns: readonly number[]): void {
  for (const [i, column] of columns.entries()) {
    if (!Number.isInteger(column) || column < 0 || column > maximumIndex) {
      refuseKeys(`column ${column} is invalid`, `give a whole number from 0 to ${maximumIndex}`);
    }
    if (columns.indexOf(column) !== i) refuseKeys(`column ${column + 1} is a key twice`, 'give it once');
  }
}
