// The trial of one mutant: batches of tests until one fails.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secondsOf } from './batches.mjs';
import { isOfKernel } from './sample.mjs';
import { buildTests, environment, patternOf, patternWithout, runTests } from './suite.mjs';

/** Beyond this many times the expected duration, the tests of a mutant hang. */
const LATE_FACTOR = 5;
const LATE_SECONDS = 60;

/** The failures of a run, each { file, name, message }. One without a file is not of a test. */
export function failuresOf({ code, files = [] }) {
  const failed = files.flatMap(({ file, failures }) => failures.map((failure) => ({ file, ...failure })));
  return failed.length > 0 || code === 0 ? failed : [{ file: '', name: 'an error outside of tests', message: '' }];
}

const LATE = { file: '', name: 'the time limit' };

/** Runs files of tests on the mutant that is active. */
async function run(files, options, { work, folder, baseline, form, active }) {
  const leftOut = baseline.failing.filter(({ file }) => files.includes(file)).map(({ name }) => name);
  const pattern = leftOut.length > 0 ? patternWithout(leftOut) : undefined;
  return runTests({
    ...{ folder, files, pattern, env: environment({ form, active }), output: join(work, 'trial'), ...options },
    limitSeconds: LATE_FACTOR * secondsOf(files, baseline.seconds) + LATE_SECONDS,
  });
}

/** The first of some failures that comes again when its test is run alone. */
async function confirmed(failures, files, context) {
  for (const { file, name, message } of failures) {
    const options = { ...(name === '' || file === '' ? {} : { pattern: patternOf(name) }) };
    const again = await run(file === '' ? files : [file], options, context);
    if (again.isLate) return LATE;
    if (failuresOf(again).length > 0) return { file, name, message: message.slice(0, 200) };
  }
  return undefined;
}

/**
 * The test that finds a mutant; undefined if none of these files does. A failure counts when it comes twice, because a loaded machine makes
 * tests fail too.
 */
async function judge(files, context) {
  const first = await run(files, {}, context);
  if (first.isLate) return LATE;
  const failures = failuresOf(first);
  if (failures.length === 0) return undefined;
  const found = await confirmed(failures.slice(0, 1), files, context);
  if (found !== undefined) return found;
  // The run has ended at that failure.
  const whole = await run(files, { isWhole: true }, context);
  return whole.isLate ? LATE : confirmed(failuresOf(whole), files, context);
}

/** Changes a source of the kernels in the copy, runs a function, and changes it back. */
async function withKernelOf({ file, start, end, after }, { root, folder }, run) {
  const text = readFileSync(join(root, file), 'utf8');
  writeFileSync(join(folder, file), `${text.slice(0, start)}(${after})${text.slice(end)}`);
  try {
    return await run();
  } finally {
    writeFileSync(join(folder, file), text);
  }
}

/**
 * Runs one batch of tests on a mutant.
 * @returns { outcome, by }: `killed`, `open` if no test failed, or `invalid` if it cannot be built
 */
export async function tryMutant(mutant, files, context) {
  const judged = async (active) => {
    const by = await judge(files, { ...context, active });
    return by === undefined ? { outcome: 'open' } : { outcome: 'killed', by };
  };
  if (!isOfKernel(mutant)) return judged(context.numbers[mutant.id]);
  return withKernelOf(mutant, context, async () => {
    const isBuilt = await buildTests({ folder: context.folder, output: join(context.work, 'build') });
    return isBuilt ? judged() : { outcome: 'invalid' };
  });
}
