// What happens seldom: damaged snapshots, an input that was shortened or divided again, aborted transactions in the input, and times out of order.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../tools/report.mjs';
import { endlessLoad, snapshotFlags } from './support/failing.mjs';
import { needed, skips } from './support/options.mjs';
import { Run } from './support/run.mjs';
import { startedFor } from './support/started.mjs';
import { openTransaction } from './support/transaction.mjs';
import { waitFor } from './support/waiting.mjs';

const RECORDS = 60_000;
const RECORDS_OF_TRANSACTION = 500;
const WINDOW_MILLISECONDS = 20_000;
const SECONDS_UNTIL_REFUSED = 90;
/** Within this time, a worker that waits for nothing has begun. */
const BEGUN_MILLISECONDS = 10_000;

describe('a worker', { skip: skips.inFull }, () => {
  const started = startedFor();

  /** Begins a run, hands it to work, and ends it. */
  async function withRun(options, work) {
    const run = await Run.begin({ ...started, load: endlessLoad, flags: snapshotFlags, ...options });
    try {
      return await work(run);
    } finally {
      await run.end();
    }
  }

  async function expectSame(what, run) {
    const { differences, read } = await run.finish();
    tell(what, `${read} records compared`);
    assert.deepEqual(differences, []);
  }

  /** Waits for the end of a worker that does not go on. @returns what it says */
  async function refusalOf(worker) {
    await waitFor('the refusal', () => worker.hasEnded, { seconds: SECONDS_UNTIL_REFUSED });
    assert.notEqual(worker.child.exitCode, 0);
    return worker.output;
  }

  /** Waits until a worker has taken snapshots of all partitions, and kills it. */
  async function killAfterSnapshots(run) {
    const worker = run.start();
    await run.works(worker);
    const taken = 'firstseen_kafka_snapshots_total{outcome="taken"}';
    await waitFor('snapshots', async () => (await worker.metrics()).get(taken) >= 8, { seconds: 120 });
    await run.kill(worker);
  }

  test('goes on from the snapshot before a damaged one', () =>
    withRun({}, async (run) => {
      await killAfterSnapshots(run);
      const paths = readdirSync(run.snapshots).map((name) => join(run.snapshots, name));
      const ofFirst = paths.filter((path) => path.includes(`${run.input}-0-`) && path.endsWith('.snapshot'));
      const newest = ofFirst.sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)[0];
      const bytes = readFileSync(newest);
      bytes[bytes.length >> 1] ^= 1;
      writeFileSync(newest, bytes);
      const worker = run.start();
      await run.works(worker);
      assert.match(worker.output, /the snapshot before it is used/);
      await expectSame('a damaged snapshot', run);
    }));

  test('is refused when the input was removed past its snapshot', () =>
    withRun({}, async (run) => {
      await killAfterSnapshots(run);
      for (const [partition, { end }] of (await started.cluster.tool.ends(run.input)).entries()) {
        await started.cluster.tool.deleteRecords(run.input, { partition, offset: end });
      }
      assert.match(await refusalOf(run.start()), /the retention of the topic has removed them/);
      tell('an input that was removed past the snapshot', 'refused');
    }));

  test('waits for the end of a transaction that has a newer pointer', () =>
    withRun({}, async (run) => {
      const worker = run.start();
      await run.works(worker);
      await run.stop(worker);
      const topic = `${run.group}-pointers`;
      const last = (await started.cluster.tool.read(topic)).filter((line) => line.startsWith('0\t')).at(-1);
      const [key, value] = last
        .split('\t')
        .slice(-2)
        .map((text) => Buffer.from(text.slice(1), 'base64'));
      const newer = Buffer.from(JSON.stringify({ ...JSON.parse(value), settings: '{"memory":"another"}' }));
      const connection = { client: needed.client, brokers: started.cluster.brokers };
      const commit = await openTransaction(connection, { topic, partition: 0, key, value: newer });
      const next = run.start();
      await sleep(BEGUN_MILLISECONDS);
      await commit();
      assert.match(await refusalOf(next), /has a state of other options/);
      tell('a newer pointer in an open transaction', 'waited for');
    }));

  test('stops when its input gets more partitions', () =>
    withRun({}, async (run) => {
      const worker = run.start();
      await run.works(worker);
      await started.cluster.tool.addPartitions(run.input, 6);
      assert.match(await refusalOf(worker), /has 6 partitions/);
      tell('an input with more partitions', 'refused');
    }));

  test('leaves out aborted transactions of the input, also two of one producer in a row', () =>
    withRun({ load: { records: RECORDS, keys: 3000, abort: RECORDS_OF_TRANSACTION } }, async (run) => {
      await run.works(run.start());
      await run.loaded();
      await expectSame('an input with aborted transactions', run);
    }));

  test('moves its window by the times of the records, also when they repeat and go back', () => {
    const window = `${WINDOW_MILLISECONDS / 1000}s`;
    const detector = { algorithm: 'apbf', window };
    const options = { detector, isTimed: true, flags: [...snapshotFlags, '--window', window] };
    return withRun({ ...options, load: { ...endlessLoad, early: 200 } }, async (run) => {
      const worker = run.start();
      await run.works(worker);
      await run.kill(worker);
      await run.works(run.start());
      await expectSame('times out of order, with a window', run);
    });
  });
});
