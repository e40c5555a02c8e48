// Tries all mutants of a sample. Each round runs the next batch of tests of the mutants that no test has found yet, so most are found before
// the long batches begin.

import { batchCount, batchesOf, isNear, isUnit, secondsOf } from './batches.mjs';
import { appendResult, readResults } from './results.mjs';
import { isOfKernel } from './sample.mjs';
import { tryMutant } from './trial.mjs';

/** The files of tests that reach a mutant. Every test of a kernel may reach a mutant of it. */
function testsOf(mutant, { kernel, hits, broken }) {
  const reaching = isOfKernel(mutant) ? kernel : (hits[mutant.id] ?? []);
  return reaching.filter((file) => !broken.includes(file));
}

function describe({ id, file, line, room, kind, before, after }) {
  return { id, file, line, room, kind, before, after };
}

/** Mutants whose next batch is short come first. Kernels come last, because each of their mutants is built. */
function inOrder(pending, seconds) {
  return [...pending].sort(
    (one, other) =>
      isOfKernel(one.mutant) - isOfKernel(other.mutant) ||
      secondsOf(one.files, seconds) - secondsOf(other.files, seconds),
  );
}

/** The mutants that have a batch of this number before them, with the files of that batch. */
function pendingOf(mutants, { round, results, baseline }) {
  return mutants.flatMap((mutant) => {
    const result = results.get(mutant.id);
    const isDone = result !== undefined && (result.outcome !== 'open' || result.batches > round);
    if (isDone) return [];
    return [{ mutant, files: batchesOf(mutant.file, testsOf(mutant, baseline), baseline.seconds)[round] }];
  });
}

/** The result of a mutant after a batch, given that of the batches before. */
function resultOf(mutant, { previous, outcome, by, round, seconds, files }) {
  const tests = (previous?.tests ?? 0) + files.length;
  const survived = tests > 0 ? 'survived' : 'unreached';
  return {
    ...describe(mutant),
    outcome: outcome === 'open' && round === batchCount - 1 ? survived : outcome,
    ...(by === undefined ? {} : { by }),
    ...{ batches: round + 1, tests },
    seconds: Math.round(((previous?.seconds ?? 0) + seconds) * 10) / 10,
  };
}

/** Which tests the baseline of each round must have. So mutants are found before all tests have run. */
function neededIn(round, mutants) {
  if (round > 1) return () => true;
  const isNearOne = (test) => mutants.some(({ file }) => isNear(file, test));
  return round === 0 ? isNearOne : (test) => isUnit(test) || isNearOne(test);
}

/**
 * Tries mutants and appends each result to a file.
 * @param context { root, work, folder, form, numbers, resultsFile, onResult, measure }. `measure` gives the baseline of chosen tests
 * @returns the results of the mutants, and the whole baseline
 */
export async function tryAll(mutants, context) {
  const { resultsFile, onResult, measure } = context;
  const results = readResults(resultsFile);
  const keep = (result) => {
    results.set(result.id, result);
    appendResult(resultsFile, result);
    onResult(result);
  };
  for (let round = 0; round < batchCount; round++) {
    const baseline = await measure(neededIn(round, mutants));
    await runRound(mutants, { round, baseline, results, keep, context });
  }
  const baseline = await measure(() => true);
  return { results: mutants.map(({ id }) => results.get(id)), baseline };
}

async function runRound(mutants, { round, baseline, results, keep, context }) {
  for (const { mutant, files } of inOrder(pendingOf(mutants, { round, results, baseline }), baseline.seconds)) {
    const begin = performance.now();
    const { outcome, by } =
      files.length > 0 ? await tryMutant(mutant, files, { ...context, baseline }) : { outcome: 'open' };
    const seconds = (performance.now() - begin) / 1000;
    if (files.length === 0 && round < batchCount - 1) continue;
    keep(resultOf(mutant, { previous: results.get(mutant.id), outcome, by, round, seconds, files }));
  }
}
