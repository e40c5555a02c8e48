// Plans let the event loop run, and are those that are made at once.

import { expect, test } from 'vitest';
import { runAtOnce, runInTurns, Turns } from '../../../src/base/steps.js';
import { advise } from '../../../src/plan/advise.js';
import { planInSteps } from '../../../src/plan/partitions.js';
import { planData } from '../../../src/plan/text.js';
import { inLongForm } from '../../support/form.js';
import { planSync } from '../../support/plan.js';

/** Takes every turn that is offered, and counts them. */
class CountedTurns extends Turns {
  count = 0;

  override get isDue(): boolean {
    return true;
  }

  override async take(): Promise<void> {
    this.count++;
  }
}

/** The last one takes the least time. */
const tasks = [
  { memory: '1MiB', fpr: 0.01, distinctElements: 200_000 },
  { fpr: 0.001, lengthElements: 1e6, distinctElements: 1e5 },
  { memory: '1MiB', fpr: 0.01, distinctElements: 200_000, partitions: 4 },
  { memory: '64KiB', fpr: 0.01, gapsElements: [10, 1000, 5000] },
  { memory: '64KiB', windowElements: 1000, distinctElements: 10_000 },
];

/** A plan takes a second or more, so that many steps are short ones. */
const MANY_STEPS = 30_000;

test.each(inLongForm(tasks, tasks.slice(-1)))(
  'the plan for %o in turns is the plan made at once, in many steps',
  async (options) => {
    const turns = new CountedTurns();
    const inTurns = await runInTurns(planInSteps(options), turns);
    expect(planData(inTurns)).toEqual(planData(planSync(options)));
    expect(turns.count).toBeGreaterThan(MANY_STEPS);
  },
);

test('the settings of auto in turns are those made at once', async () => {
  const options = { fpr: 0.001, distinctElements: 1e6 };
  const turns = new CountedTurns();
  const inTurns = await runInTurns(advise(options, 'every stream'), turns);
  expect(inTurns).toEqual(runAtOnce(advise(options, 'every stream')));
  expect(turns.count).toBeGreaterThan(MANY_STEPS / 10);
});

test('an error is thrown in turns too', async () => {
  const impossible = { memory: '1KiB', fpr: 1e-9, distinctElements: 1e9, windowElements: 1e9 };
  expect(() => runAtOnce(planInSteps(impossible))).toThrow(expect.objectContaining({ code: 'E_BOUND' }));
  await expect(runInTurns(planInSteps(impossible))).rejects.toMatchObject({ code: 'E_BOUND' });
});
