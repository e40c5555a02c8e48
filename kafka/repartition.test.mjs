// Topics whose identifiers are in all partitions: workers that cut them first give each identifier once, and are killed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../failures/support/random.mjs';
import { tell } from '../tools/report.mjs';
import { defectOfCuts } from './support/defects.mjs';
import { endlessLoad, snapshotFlags } from './support/failing.mjs';
import { asked, isQuick, needed, skips } from './support/options.mjs';
import { copyPackage } from './support/program.mjs';
import { Run } from './support/run.mjs';
import { startedFor } from './support/started.mjs';

const PARTITIONS = 3;
const KEYS = 500;
/** So much memory that no identifier is forgotten or taken for another one. */
const EXACT = { algorithm: 'exact', memory: 8192 };
const MOST_MOMENT_MILLISECONDS = 1500;
const kills = isQuick ? 2 : asked.kills;
/** Kills after which a defect has to be found. */
const KILLS_OF_DEFECT = 6;
const scattered = { ...endlessLoad, scattered: 1 };

describe('a worker that repartitions', { skip: skips.always }, () => {
  const started = startedFor();

  /** Begins a run that cuts its input, hands it to work, and ends it. */
  async function withRun(options, work) {
    const flags = [...snapshotFlags, ...(options.flags ?? [])];
    const run = await Run.begin({ ...started, load: scattered, repartition: PARTITIONS, ...options, flags });
    try {
      return await work(run);
    } finally {
      await run.end();
    }
  }

  async function expectSame(what, run) {
    const { differences, read, containers, records, identifiers } = await run.finish();
    tell(what, `${read} records compared, in ${containers} containers`);
    assert.deepEqual(differences.slice(0, 5), []);
    return { records, identifiers };
  }

  /** Kills the worker of a run a number of times, and starts it again. */
  async function killAgainAndAgain(run, times) {
    const random = randomOf(asked.seed);
    for (let i = 0; i < times; i++) {
      const worker = run.start();
      await run.works(worker);
      await sleep(random() * MOST_MOMENT_MILLISECONDS);
      await run.kill(worker, { isAlone: random() < 0.5 });
    }
    await run.works(run.start());
  }

  test(`loses and repeats nothing when it is killed ${kills} times`, () =>
    withRun({}, async (run) => {
      await killAgainAndAgain(run, kills);
      await expectSame(`${kills} kills of a worker that repartitions`, run);
    }));

  test('is found out if the offsets of its first half are outside the transaction', {
    skip: skips.inFull,
  }, async () => {
    const { main, remove } = copyPackage({ ...needed, defect: defectOfCuts });
    try {
      const { differences } = await withRun({ main }, async (run) => {
        await killAgainAndAgain(run, KILLS_OF_DEFECT);
        return run.finish();
      });
      assert.notDeepEqual(differences, []);
      tell(
        'defect: the offsets of the first half are outside the transaction',
        `found: ${differences.length} differences after ${KILLS_OF_DEFECT} kills`,
      );
    } finally {
      remove();
    }
  });

  test('gives each identifier once over all partitions, with two workers of which one is killed', {
    skip: skips.inFull,
  }, () => {
    const load = { ...scattered, keys: KEYS, keyless: 0, tombstones: 0 };
    return withRun({ detector: EXACT, load }, async (run) => {
      const [one, two] = [run.start('a'), run.start('b')];
      for (const worker of [one, two]) await run.works(worker);
      await run.kill(two);
      const { records, identifiers } = await expectSame('two workers that repartition', run);
      assert.equal(records, identifiers);
    });
  });
});
