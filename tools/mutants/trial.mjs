// The trial of one mutant: batches of tests until one fails.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secondsOf } from './batches.mjs';
import { isOfKernel } from './sample.mjs';
import { buildTests, environment, runTests } from './suite.mjs';

/** Beyond this many times the expected duration, the tests of a mutant hang. */
const LATE_FACTOR = 5;
const LATE_SECONDS = 60;

/** A failure that a loaded machine may cause. */
const OF_LOAD = /timed? ?out|ETIMEDOUT|EMFILE|ENOMEM|out of memory/i;

/** What the tests say of a mutant: { by: { file, name }, isDoubtful } if they find it, otherwise undefined. */
function verdictOf({ isLate, code, files }) {
  if (isLate) return { by: { file: '', name: 'the time limit' }, isDoubtful: false };
  const failed = files?.find(({ failures }) => failures.length > 0);
  if (failed !== undefined) {
    const [{ name, message }] = failed.failures;
    return { by: { file: failed.file, name, message: message.slice(0, 200) }, isDoubtful: OF_LOAD.test(message) };
  }
  if (code === 0) return undefined;
  return { by: { file: '', name: 'an error outside of tests' }, isDoubtful: true };
}

/** Runs files of tests on the mutant that is active; again if the machine's load may have failed them. */
async function judge(files, { work, folder, baseline, form, active }) {
  const leftOut = baseline.failing.filter(({ file }) => files.includes(file)).map(({ name }) => name);
  const run = () =>
    runTests({
      ...{ folder, files, leftOut, env: environment({ form, active }), output: join(work, 'trial') },
      limitSeconds: LATE_FACTOR * secondsOf(files, baseline.seconds) + LATE_SECONDS,
    });
  const verdict = verdictOf(await run());
  return verdict?.isDoubtful ? verdictOf(await run()) : verdict;
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
    const verdict = await judge(files, { ...context, active });
    return verdict === undefined ? { outcome: 'open' } : { outcome: 'killed', by: verdict.by };
  };
  if (!isOfKernel(mutant)) return judged(context.numbers[mutant.id]);
  return withKernelOf(mutant, context, async () => {
    const isBuilt = await buildTests({ folder: context.folder, output: join(context.work, 'build') });
    return isBuilt ? judged() : { outcome: 'invalid' };
  });
}
