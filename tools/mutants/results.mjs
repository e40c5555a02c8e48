// Results as lines of JSON. The last line of a mutant counts, so a run that was ended goes on where it was.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export function readLines(text) {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** The last result of each mutant, by id. */
export function lastResults(text) {
  return new Map(readLines(text).map((result) => [result.id, result]));
}

export function readResults(path) {
  return lastResults(existsSync(path) ? readFileSync(path, 'utf8') : '');
}

export function appendResult(path, result) {
  appendFileSync(path, `${JSON.stringify(result)}\n`);
}

/** Which mutants are found before and after a change of the tests. */
export function compareResults(before, after) {
  const isFound = (results, id) => results.get(id)?.outcome === 'killed';
  const both = [...before.keys()].filter((id) => after.has(id));
  const foundBefore = both.filter((id) => isFound(before, id));
  return {
    compared: both.length,
    foundBefore: foundBefore.length,
    foundAfter: both.filter((id) => isFound(after, id)).length,
    stillFound: foundBefore.filter((id) => isFound(after, id)).length,
    lost: foundBefore.filter((id) => !isFound(after, id)).map((id) => after.get(id)),
    gained: both.filter((id) => !isFound(before, id) && isFound(after, id)).map((id) => after.get(id)),
  };
}
