// In which order the tests of a mutant run: those that probably find it first, and quick ones before slow ones.

/** The seconds of tests up to which a batch is filled; the last one has the rest. */
const batchSeconds = [30, 150, Number.POSITIVE_INFINITY];

/** The first batch has the tests that have the name of the source, however long they take. */
export const batchCount = 1 + batchSeconds.length;

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

/** How many times as long tests of each nearness may take. */
const worth = [1, 5];

/**
 * Divides the files of tests of a source into batches.
 * @param seconds the duration of each file
 */
export function batchesOf(source, files, seconds) {
  const near = files.filter((file) => isNear(source, file));
  return [
    near,
    ...filled(
      source,
      files.filter((file) => !near.includes(file)),
      seconds,
    ),
  ];
}

function filled(source, files, seconds) {
  const costs = new Map(files.map((file) => [file, (seconds[file] ?? 1) / worth[nearness(source, file)]]));
  const ordered = [...files].sort((one, other) => costs.get(one) - costs.get(other) || (one < other ? -1 : 1));
  const batches = batchSeconds.map(() => []);
  let batch = 0;
  let sum = 0;
  for (const file of ordered) {
    const duration = seconds[file] ?? 1;
    while (batches[batch].length > 0 && sum + duration > batchSeconds[batch] && batch < batches.length - 1) {
      batch++;
      sum = 0;
    }
    batches[batch].push(file);
    sum += duration;
  }
  return batches;
}

/** The expected seconds of some files of tests. */
export function secondsOf(files, seconds) {
  return files.reduce((sum, file) => sum + (seconds[file] ?? 1), 0);
}
