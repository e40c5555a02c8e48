// What tests expect of workers: the same as of one process, or an end that says why.

import assert from 'node:assert/strict';
import { tell } from '../../../tools/report.mjs';
import { withPackage } from '../../../tools/support/kafka/program.mjs';
import { needed } from './options.mjs';
import { waitFor } from './waiting.mjs';

const SECONDS_UNTIL_REFUSED = 120;
/** So many of the differences are shown. */
const SHOWN = 5;

export function expectNone(differences) {
  assert.deepEqual(differences.slice(0, SHOWN), []);
}

/** Ends a run and expects no difference. @param options as of `Run.finish` @returns as of `Run.finish` */
export async function expectSame(what, run, options) {
  const { differences, ...numbers } = await run.finish(options);
  const cut = numbers.containers === undefined ? '' : `, in ${numbers.containers} containers`;
  tell(what, `${numbers.read} records compared${cut}`);
  expectNone(differences);
  return numbers;
}

/**
 * Runs work with workers that have a defect, and expects that it finds differences.
 * @param work is given the path of their command, and finds `differences`
 * @param foundText says how they were found, of what the work has returned
 */
export function expectFound(name, { defect, work, foundText }) {
  return withPackage({ ...needed, defect }, async ({ main }) => {
    const found = await work(main);
    assert.notDeepEqual(found.differences, []);
    tell(`defect: ${name}`, foundText(found));
  });
}

/** Waits for the end of a worker that does not go on. @returns what it says */
export async function refusalOf(worker) {
  await waitFor('the refusal', () => worker.hasEnded, { seconds: SECONDS_UNTIL_REFUSED, told: () => worker.output });
  assert.notEqual(worker.child.exitCode, 0);
  return worker.output;
}
