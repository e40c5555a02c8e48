// The folder of the command-line cases: a file `TOPIC.txt` for each topic, and `files/` with long inputs that cases name.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCases } from './format.mjs';

export const casesFolder = fileURLToPath(new URL('../../packages/firstseen/test/cli/cases/', import.meta.url));

const FILES = 'files/';
const ENDING = '.txt';

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path) : undefined;
}

/** The paths of all files in a folder, relative to it, in order. */
function pathsIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(folder.length)
        .replaceAll('\\', '/'),
    )
    .sort();
}

/** The topics of a folder: the paths of their files without the ending. */
export function topicsIn(folder = casesFolder) {
  return pathsIn(folder)
    .filter((path) => path.endsWith(ENDING) && !path.startsWith(FILES))
    .map((path) => path.slice(0, -ENDING.length));
}

export function pathOfTopic(topic, folder = casesFolder) {
  return join(folder, `${topic}${ENDING}`);
}

/**
 * The cases of a topic.
 * @throws CaseFileError when the file is not well formed
 */
export function readTopic(topic, folder = casesFolder) {
  const text = readFileSync(pathOfTopic(topic, folder), 'utf8');
  return parseCases(text, `${topic}${ENDING}`, (path) => readIfThere(join(folder, path)));
}

/** Files in the folder that no topic and no case is or names. */
export function strayPaths(folder = casesFolder) {
  const blocks = topicsIn(folder).flatMap((topic) =>
    readTopic(topic, folder).cases.flatMap(({ inputs, runs }) => [
      ...inputs,
      ...runs.flatMap(({ stdout, stderr, files }) => [stdout, stderr, ...files]),
    ]),
  );
  const named = new Set(blocks.map((block) => block?.from));
  return pathsIn(folder).filter((path) => (path.startsWith(FILES) ? !named.has(path) : !path.endsWith(ENDING)));
}
