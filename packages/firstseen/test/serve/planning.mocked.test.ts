// Plans in the thread of dist/, which the build makes.

import { afterEach, expect, test, vi } from 'vitest';
import { settingsWithKeys } from '../../src/plan/keys.js';
import { MAX_WAITING_PLANS, type PredictionTask, planningHere } from '../../src/serve/planning/planning.js';
import { PlanningThread } from '../../src/serve/planning/thread.js';
import { identityOf } from '../../src/snapshot/partitions.js';
import { coverOf, inLongForm } from '../support/form.js';
import { Client } from './support/client.js';
import { withServer } from './support/server.js';

vi.mock('node:worker_threads', async (original) => {
  const { threadsOfDist } = await import('../support/distthreads.js');
  return threadsOfDist(original, 'planning');
});

const threads: PlanningThread[] = [];

function newThread(): PlanningThread {
  const thread = new PlanningThread();
  threads.push(thread);
  return thread;
}

afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close();
});

/** Distinct elements of plans, which take the longer the more there are. */
const [FEW, MANY] = inLongForm([1e4, 1e5], [1000, 1000]) as [number, number];
/** In the short form, plans try one layout of each family, and a few of them have each option. */
const oneLayout = inLongForm({}, { layout: 'blocked' as const });

test('a plan of the thread is the plan', async () => {
  const thread = newThread();
  const rows = [
    { ...oneLayout, distinctElements: MANY, memory: 'auto' },
    {
      ...oneLayout,
      distinctElements: FEW,
      lengthElements: 100 * FEW,
      memory: '64KiB',
      secret: new Uint8Array(16).fill(7),
    },
    {
      layout: 'blocked',
      memory: '64KiB',
      witness: { memory: '32KiB' },
      seed: 5n,
      partitions: 4,
      distinctElements: FEW,
    },
    { layout: 'blocked', memory: '64KiB', keys: ['a', 'b'], format: 'ndjson', fingerprint: 'rabin' },
    { algorithm: 'exact', memory: 1024 },
  ] as const;
  for (const options of coverOf(rows, (row) => Object.keys(row))) {
    const [found, expected] = [await thread.settingsOf(options), await settingsWithKeys(options)];
    expect(identityOf(found)).toBe(identityOf(expected));
    expect([found.keyScheme, found.witnessBytes]).toEqual([expected.keyScheme, expected.witnessBytes]);
  }
  const advice = { distinctElements: 100, lengthElements: 200, memory: '64KiB', layout: 'classic' } as const;
  expect(await thread.recommend(advice)).toEqual(await planningHere.recommend(advice));
});

test('an error of the thread is the error', async () => {
  const asked = { distinctElements: 1e12, memory: 1024, fpr: 1e-9, layout: 'blocked' } as const;
  const expected = await settingsWithKeys(asked).then(
    () => expect.fail(),
    (error: unknown) => error,
  );
  await expect(newThread().settingsOf(asked)).rejects.toThrow((expected as Error).message);
});

test('after the end of the thread, plans fail, and the next one starts another', async () => {
  const thread = newThread();
  const options = { distinctElements: MANY, memory: 'auto' } as const;
  const planned = thread.settingsOf(options);
  await thread.close();
  await expect(planned).rejects.toMatchObject({ code: 'E_THREAD' });
  expect(identityOf(await thread.settingsOf(options))).toBe(identityOf(await settingsWithKeys(options)));
});

test('clients do not wait for the plans of others, and plans wait for each other up to a limit', async () => {
  const thread = newThread();
  await withServer(
    async (client, { port }) => {
      const asked = await Promise.all(Array.from({ length: MAX_WAITING_PLANS + 2 }, () => Client.open(port)));
      const plans = asked.map(async (one) =>
        String(await one.send('FS.PLAN', 'memory', '64KiB', 'layout', 'classic', 'expect-distinct', `${FEW}`)),
      );
      // The last request has no place.
      expect(await plans.at(-1)).toMatch(/^-ERR .*plans are waiting already.*E_USAGE/);
      expect(await client.send('PING')).toBe('+PONG');
      await plans[0];
      await thread.close();
      expect((await Promise.all(plans)).filter((reply) => reply.includes('E_THREAD')).length).toBeGreaterThan(20);
      for (const one of asked) one.close();
      expect(await client.send('FS.CREATE', 'd', 'memory', 'auto', 'expect-distinct', `${FEW}`)).toBe('+OK');
    },
    { planning: thread },
  );
});

test('a detector that is dropped while a plan for it is made is made again', async () => {
  let goOn: () => void = () => undefined;
  let wait: Promise<void> = Promise.resolve();
  const planning = {
    ...planningHere,
    settingsOf: async (options: Parameters<typeof planningHere.settingsOf>[0]) => {
      await wait;
      return planningHere.settingsOf(options);
    },
  };
  await withServer(
    async (client, { port }) => {
      const create = () => client.send('FS.CREATE', 'd', 'CLAIMS', 'MEMORY', '64KiB');
      const made = await create();
      wait = new Promise((resolve) => {
        goOn = resolve;
      });
      const again = create();
      const other = await Client.open(port);
      expect(await other.send('FS.DROP', 'd')).toBe('+OK');
      goOn();
      expect(await again).toEqual(made);
      expect(await other.send('EXISTS', 'd')).toBe(1);
      other.close();
    },
    { planning },
  );
});

test('a prediction of the thread is the prediction', async () => {
  const task: PredictionTask = {
    hints: { distinctElements: 1e5, lengthElements: 1e6 },
    algorithm: 'qht',
    layout: 'classic',
    parameters: {},
    memoryBytes: 2 ** 16,
  };
  const predicted = await planningHere.predict(task);
  expect(predicted?.falseNegativeRate).toBeGreaterThan(0.1);
  expect(await newThread().predict(task)).toEqual(predicted);
  const contradicting = { ...task, hints: { distinctElements: 10, lengthElements: 5 } };
  await expect(newThread().predict(contradicting)).rejects.toMatchObject({ code: 'E_PARAMETER' });
});
