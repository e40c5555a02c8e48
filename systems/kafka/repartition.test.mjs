// Topics whose identifiers are in all partitions: workers that cut them first give each identifier once, and are killed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../support/random.mjs';
import { defectOfCuts } from './support/defects.mjs';
import { expectFound, expectSame } from './support/expecting.mjs';
import { asked, isQuick, skips } from './support/options.mjs';
import { endlessLoad, withRun } from './support/running.mjs';
import { startedFor } from './support/started.mjs';
import { waitFor } from './support/waiting.mjs';

const PARTITIONS = 3;
const KEYS = 500;
/** So much memory that no identifier is forgotten or taken for another one. */
const EXACT = { algorithm: 'exact', memory: 8192 };
const MAX_MOMENT_MILLISECONDS = 1500;
const kills = isQuick ? 2 : asked.kills;
/** Kills after which a defect has to be found. Six have missed it once. */
const KILLS_OF_DEFECT = 20;
/** More than the input of a run has. */
const MORE_PARTITIONS = 6;
/** A worker needs less than a minute; a machine that is busy takes longer. */
const ADDED_SECONDS = 120;
const scattered = { ...endlessLoad, scattered: 1 };

describe('a worker that repartitions', { skip: skips.always }, () => {
  const started = startedFor();

  /** A run that cuts its input. */
  const cutting = (options, work) =>
    withRun({ ...started, load: scattered, repartition: PARTITIONS, ...options }, work);

  /** Kills the worker of a run a number of times, and starts it again. */
  async function killAgainAndAgain(run, times) {
    const random = randomOf(asked.seed);
    for (let i = 0; i < times; i++) {
      const worker = run.start();
      await run.works(worker);
      await sleep(random() * MAX_MOMENT_MILLISECONDS);
      await run.kill(worker, { isAlone: random() < 0.5 });
    }
    await run.works(run.start());
  }

  test(`loses and repeats nothing when it is killed ${kills} times`, () =>
    cutting({}, async (run) => {
      await killAgainAndAgain(run, kills);
      await expectSame(`${kills} kills of a worker that repartitions`, run);
    }));

  test(
    'is found out if the offsets of its first half are outside the transaction',
    {
      skip: skips.inFull,
    },
    () =>
      expectFound('the offsets of the first half are outside the transaction', {
        defect: defectOfCuts,
        work: (main) =>
          cutting({ main }, async (run) => {
            await killAgainAndAgain(run, KILLS_OF_DEFECT);
            return run.finish();
          }),
        foundText: ({ differences }) => `found: ${differences.length} differences after ${KILLS_OF_DEFECT} kills`,
      }),
  );

  test('goes on when the brokers have removed the offsets of its groups', { skip: skips.inFull }, () =>
    cutting({}, async (run) => {
      const worker = run.start();
      await run.works(worker);
      await run.kill(worker);
      await run.forgetOffsets();
      const next = run.start();
      await run.works(next);
      assert.match(next.output, /-repartition has no offset of partition/);
      await expectSame('offsets that were removed', run);
    }),
  );

  test(
    'reads partitions that its input was given while no worker ran, also if it starts within its session',
    {
      skip: skips.inFull,
    },
    () =>
      cutting({}, async (run) => {
        const worker = run.start();
        await run.works(worker);
        await run.kill(worker);
        await started.cluster.tool.addPartitions(run.input, MORE_PARTITIONS);
        const next = run.start();
        await run.works(next);
        const lag = `firstseen_kafka_repartition_lag_records{partition="${MORE_PARTITIONS - 1}"}`;
        await waitFor('the work on the new partition', async () => (await next.metrics()).has(lag), {
          ...{ seconds: ADDED_SECONDS, milliseconds: 500, told: () => next.output },
        });
        await expectSame('an input that was given partitions while no worker ran', run);
      }),
  );

  test('gives each identifier once over all partitions, with two workers of which one is killed', {
    skip: skips.inFull,
  }, () => {
    const load = { ...scattered, keys: KEYS, keyless: 0, tombstones: 0 };
    return cutting({ detector: EXACT, load }, async (run) => {
      const [one, two] = [run.start('a'), run.start('b')];
      for (const worker of [one, two]) await run.works(worker);
      await run.kill(two);
      const { records, identifiers } = await expectSame('two workers that repartition', run);
      assert.equal(records, identifiers);
    });
  });
});
