// Defects that tests must find: each is a file of the built package, and changes of it, which are pairs of a text and what is in its place.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageFolder = fileURLToPath(new URL('../../packages/firstseen', import.meta.url));

/** A text with the changes of a defect. @throws Error unless each text of the defect is found once */
function withChanges(text, { file, changes }) {
  return changes.reduce((changed, [from, to]) => {
    const parts = changed.split(from);
    if (parts.length === 2) return parts.join(to);
    throw new Error(`the text of the defect is ${parts.length - 1} times in ${file}: ${from}`);
  }, text);
}

/** The file of a defect in a package, and its text with the changes. @throws Error as `withChanges` */
function changed(folder, defect) {
  const path = join(folder, 'dist/chunks', defect.file);
  return { path, text: withChanges(readFileSync(path, 'utf8'), defect) };
}

/** Makes the changes of a defect in a copy of the package. @throws Error as `withChanges` */
export function addDefect(copy, defect) {
  const { path, text } = changed(copy, defect);
  writeFileSync(path, text);
}

/** Defects by their names: of a module that exports some, and some as members. */
function named(exported) {
  return Object.entries(exported).flatMap(([name, value]) => (value.changes ? [[name, value]] : named(value)));
}

/**
 * Looks for defects of a module whose texts the built package does not have. Most of the tests that need them run only in the long form.
 * @returns for each the reason
 */
export function missingDefects(exported) {
  return named(exported).flatMap(([name, defect]) => {
    try {
      changed(packageFolder, defect);
      return [];
    } catch (error) {
      return [`${name}: ${error.message}`];
    }
  });
}
