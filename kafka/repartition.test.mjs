// Topics whose identifiers are in all partitions: workers that cut them first give each identifier once, and are killed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../failures/support/random.mjs';
import { tell } from '../tools/report.mjs';
import { endlessLoad, snapshotFlags } from './support/failing.mjs';
import { asked, isQuick, skips } from './support/options.mjs';
import { Run } from './support/run.mjs';
import { startedFor } from './support/started.mjs';

const PARTITIONS = 3;
const KEYS = 500;
/** So much memory that no identifier is forgotten or taken for another one. */
const EXACT = { algorithm: 'exact', memory: 8192 };
const MOST_MOMENT_MILLISECONDS = 1500;
const kills = isQuick ? 2 : asked.kills;
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
    const { differences, read, containers, given, identifiers } = await run.finish();
    tell(what, `${read} records compared, in ${containers} containers`);
    assert.deepEqual(differences.slice(0, 5), []);
    return { given, identifiers };
  }

  test(`loses and repeats nothing when it is killed ${kills} times`, () =>
    withRun({}, async (run) => {
      const random = randomOf(asked.seed);
      for (let i = 0; i < kills; i++) {
        const worker = run.start();
        await run.works(worker);
        await sleep(random() * MOST_MOMENT_MILLISECONDS);
        await run.kill(worker, { isAlone: random() < 0.5 });
      }
      await run.works(run.start());
      await expectSame(`${kills} kills of a worker that repartitions`, run);
    }));

  test('gives each identifier once over all partitions, with two workers of which one is killed', {
    skip: skips.inFull,
  }, () => {
    const load = { ...scattered, keys: KEYS, keyless: 0, tombstones: 0 };
    return withRun({ detector: EXACT, load }, async (run) => {
      const [one, two] = [run.start('a'), run.start('b')];
      for (const worker of [one, two]) await run.works(worker);
      await run.kill(two);
      const { given, identifiers } = await expectSame('two workers that repartition', run);
      assert.equal(given, identifiers);
    });
  });
});
