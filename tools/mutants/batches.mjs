// In which order the tests of a mutant run: those that probably find it first, and quick ones before slow ones.

import { isKernelSource } from '../kernelsources.mjs';

const UNIT_SECONDS = 60;
const SHORT_SECONDS = 120;

export const batchCount = 4;

/** The words of the path of a source or a test, after its package and the folder of sources or tests. */
function wordsOf(path) {
  return path
    .replace(/\.\w+$/, '')
    .split('/')
    .slice(3)
    .flatMap((word) => word.toLowerCase().split('.'))
    .filter((word) => word !== 'test');
}

/** How near a file of tests is to a source: 2 if it has its name, 1 if it is about one of its folders. */
export function nearness(source, test) {
  const [name, ...folders] = wordsOf(source).reverse();
  const words = wordsOf(test);
  const isOfPackage = source.split('/')[1] === test.split('/')[1];
  if (isOfPackage && words.at(-1) === name) return 2;
  return words.some((word) => folders.includes(word) || word.includes(name)) ? 1 : 0;
}

/** A file of tests that has the name of a source. */
export function isNear(source, test) {
  return nearness(source, test) === 2;
}

/** A file of tests that mostly starts no process, so that many run in a short time. */
export function isUnit(test) {
  return test.includes('/test/unit/');
}

/** How many times as long tests of each nearness may take. */
const worth = [1, 5, 25];

function inOrder(source, files, seconds) {
  const costs = new Map(files.map((file) => [file, (seconds[file] ?? 1) / worth[nearness(source, file)]]));
  return [...files].sort((one, other) => costs.get(one) - costs.get(other) || (one < other ? -1 : 1));
}

/** The first files, of `limit` seconds together, and at least one. */
function firstOf(files, seconds, limit) {
  const count = files.findIndex((_, i) => i > 0 && secondsOf(files.slice(0, i + 1), seconds) > limit);
  return count === -1 ? files : files.slice(0, count);
}

/**
 * Divides the files of tests of a source into batches: the near ones, however long they take, unit tests, short ones, and the rest. The first
 * two are one for a source of a kernel, which is built for each batch.
 * @param seconds the duration of each file
 */
export function batchesOf(source, files, seconds) {
  const near = files.filter((file) => isNear(source, file));
  const ordered = inOrder(source, files, seconds).filter((file) => !near.includes(file));
  const units = firstOf(ordered.filter(isUnit), seconds, UNIT_SECONDS);
  const others = ordered.filter((file) => !units.includes(file));
  const short = firstOf(others, seconds, SHORT_SECONDS);
  const first = isKernelSource(source) ? [[], [...near, ...units]] : [near, units];
  return [...first, short, others.slice(short.length)];
}

/** The expected seconds of some files of tests. */
export function secondsOf(files, seconds) {
  return files.reduce((sum, file) => sum + (seconds[file] ?? 1), 0);
}
