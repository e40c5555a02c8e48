// What happens seldom: damaged snapshots, a full folder, an input that was shortened or divided again, aborted transactions in the input, times out of order,
// and others who write to the same output or have the same name.

import assert from 'node:assert/strict';
import { chownSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { canContain, containedWords, NOBODY } from '../../tools/contained.mjs';
import { childrenOf } from '../../tools/processes.mjs';
import { tell } from '../../tools/report.mjs';
import { withPackage } from '../../tools/support/kafka/program.mjs';
import { expectSame, refusalOf } from './support/expecting.mjs';
import { needed, skips } from './support/options.mjs';
import { endlessLoad, withRun } from './support/running.mjs';
import { fillUp, mountSmall, whyNoMount } from './support/smallfolder.mjs';
import { startedFor } from './support/started.mjs';
import { openTransaction, takeTransactions } from './support/transaction.mjs';
import { waitFor } from './support/waiting.mjs';

const RECORDS = 60_000;
const RECORDS_OF_TRANSACTION = 500;
const WINDOW_MILLISECONDS = 20_000;
/** How often the transactions of a worker are taken from it. */
const TAKEN = 3;
/** Within this time, a worker that waits for nothing has begun. */
const BEGUN_MILLISECONDS = 10_000;

describe('a worker', { skip: skips.inFull }, () => {
  const started = startedFor();

  const connection = () => ({ client: needed.client, brokers: started.cluster.brokers });

  /** A run of the brokers of this suite. */
  const running = (options, work) => withRun({ ...started, ...options }, work);

  /** Waits until a worker has ended more snapshots. */
  async function snapshots(worker, outcome, more) {
    const name = `firstseen_kafka_snapshots_total{outcome="${outcome}"}`;
    const before = (await worker.metrics()).get(name) ?? 0;
    const told = () => worker.output;
    await waitFor('snapshots', async () => (await worker.metrics()).get(name) >= before + more, { seconds: 120, told });
  }

  /** Waits until a worker has taken snapshots of all partitions, and kills it. */
  async function killAfterSnapshots(run) {
    const worker = run.start();
    await run.works(worker);
    await snapshots(worker, 'taken', 8);
    await run.kill(worker);
  }

  test('goes on from the snapshot before a damaged one', () =>
    running({}, async (run) => {
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

  test('goes on without snapshots while their folder is full, and takes them again', { skip: whyNoMount() }, () =>
    running({}, async (run) => {
      const unmount = mountSmall(run.folder);
      try {
        const worker = run.start();
        await snapshots(worker, 'taken', 4);
        const filler = join(run.folder, 'filler');
        fillUp(filler);
        await snapshots(worker, 'failed', 1);
        assert.match(worker.output, /no snapshot of partition \d was taken: .*its disk is full/);
        await run.shared();
        const left = readdirSync(run.snapshots).filter((name) => name.endsWith('.part'));
        assert.ok(left.length <= 1, `not finished: ${left}`);
        rmSync(filler);
        await snapshots(worker, 'taken', 4);
        await run.kill(worker);
        await run.works(run.start());
        await expectSame('a folder of snapshots that was full', run);
      } finally {
        unmount();
      }
    }),
  );

  test('is refused when the input was removed past its snapshot', () =>
    running({}, async (run) => {
      await killAfterSnapshots(run);
      for (const [partition, { end }] of (await started.cluster.tool.ends(run.input)).entries()) {
        await started.cluster.tool.deleteRecords(run.input, { partition, offset: end });
      }
      assert.match(await refusalOf(run.start()), /the retention of the topic has removed them/);
      tell('an input that was removed past the snapshot', 'refused');
    }));

  test('ends when its input is removed, and is refused when it was re-created', () =>
    running({ load: { records: RECORDS, keys: 3000 } }, async (run) => {
      const worker = run.start();
      await run.works(worker);
      await run.loaded();
      await run.remake(async () =>
        assert.match(
          await refusalOf(worker),
          /events-\d+ (of --input was removed while the worker runs|.*does not exist any more)/,
        ),
      );
      // More than before: the offsets that were emitted are there again, with other records.
      run.startLoad({ records: 2 * RECORDS, keys: 3000, seed: 2 });
      await run.loaded();
      assert.match(await refusalOf(run.start()), /was re-created after the group began/);
      tell('an input that was re-created', 'refused');
    }));

  test('ends when its input is re-created while it runs', () =>
    running({ load: { records: RECORDS, keys: 3000 } }, async (run) => {
      const worker = run.start();
      await run.works(worker);
      await run.loaded();
      await run.remake();
      run.startLoad({ records: 2 * RECORDS, keys: 3000, seed: 2 });
      assert.match(await refusalOf(worker), /was re-created/);
      tell('an input that was re-created while a worker ran', 'the worker ended');
    }));

  test('waits for the end of a transaction that has a newer pointer', () =>
    running({}, async (run) => {
      const worker = run.start();
      // A partition that has emitted nothing may have other options.
      await run.shared();
      await run.stop(worker);
      const topic = run.pointers;
      const last = (await started.cluster.tool.read(topic)).filter((line) => line.startsWith('0\t')).at(-1);
      const [key, value] = last
        .split('\t')
        .slice(-2)
        .map((text) => Buffer.from(text.slice(1), 'base64'));
      const newer = Buffer.from(JSON.stringify({ ...JSON.parse(value), settings: '{"memory":"another"}' }));
      const commit = await openTransaction(connection(), { topic, partition: 0, key, value: newer });
      const next = run.start();
      await sleep(BEGUN_MILLISECONDS);
      await commit();
      assert.match(await refusalOf(next), /was started with other options/);
      tell('a newer pointer in an open transaction', 'waited for');
    }));

  test('goes on when its transactions were taken from it, as long as it is in the group', () =>
    running({}, async (run) => {
      const worker = run.start();
      for (let i = 0; i < TAKEN; i++) {
        await run.shared();
        await takeTransactions(connection(), run.transactionOf('a'));
      }
      await run.shared();
      assert.match(worker.output, /the worker goes on from what is committed/);
      await expectSame('a producer that was fenced, three times', run);
    }));

  test('ends when its output takes only smaller messages than it writes at once, and goes on when they are smaller', () => {
    const bytes = 2000;
    return running({ outputSettings: { 'max.message.bytes': bytes } }, async (run) => {
      const worker = run.start();
      assert.match(await refusalOf(worker), /Message size too large.*give --config batch\.size/);
      await run.kill(worker);
      await run.works(run.start('a', { more: ['--config', `batch.size=${bytes}`] }));
      await expectSame('an output that takes small messages only', run);
    });
  });

  test('ends when another worker has its name', () =>
    running({}, async (run) => {
      const worker = run.start();
      await run.works(worker);
      const other = run.start();
      assert.match(await refusalOf(worker), /another worker has the same instance name/);
      await run.kill(worker);
      await run.works(other);
      await expectSame('two workers of the same name', run);
    }));

  test('writes its first occurrences beside those of another group with the same output', () =>
    running({}, async (run) => {
      await Promise.all([run.works(run.start('a')), run.works(run.start('b', { group: `${run.group}-other` }))]);
      await expectSame('two groups with the same output, each for itself', run, { groups: 2 });
    }));

  const noContainer = canContain() ? false : 'needs root and namespaces';
  test('runs as the first process of another user, where only its folder can be written', { skip: noContainer }, () =>
    running({}, (run) =>
      withPackage({}, async ({ main, modules }) => {
        chownSync(run.folder, NOBODY, NOBODY);
        const shown = [join(needed.client, 'node_modules'), modules];
        const place = { folder: run.folder, readOnly: dirname(modules), shown };
        const worker = run.start('a', { main, wordsOf: (words) => containedWords(place, words) });
        await snapshots(worker, 'taken', 1);
        const [first] = childrenOf(worker.child.pid);
        assert.match(readFileSync(`/proc/${first}/status`, 'latin1'), /^Uid:\t65534\t[\s\S]*^NSpid:\t\d+\t1$/m);
        process.kill(first, 'SIGTERM');
        assert.equal(await worker.ended(), 0);
        await run.kill(worker);
        await run.works(run.start());
        await expectSame('a worker in a container', run);
      }),
    ),
  );

  test('stops when its input gets more partitions', () =>
    running({}, async (run) => {
      const worker = run.start();
      await run.works(worker);
      await started.cluster.tool.addPartitions(run.input, 6);
      assert.match(await refusalOf(worker), /has 6 partitions/);
      tell('an input with more partitions', 'refused');
    }));

  test('leaves out aborted transactions of the input, also two of one producer in a row', () =>
    running({ load: { records: RECORDS, keys: 3000, abort: RECORDS_OF_TRANSACTION } }, async (run) => {
      await run.works(run.start());
      await run.loaded();
      await expectSame('an input with aborted transactions', run);
    }));

  test('moves its window by the times of the records, also when they repeat and go back', () => {
    const window = `${WINDOW_MILLISECONDS / 1000}s`;
    const detector = { algorithm: 'apbf', window };
    const options = { detector, isTimed: true, flags: ['--window', window] };
    return running({ ...options, load: { ...endlessLoad, early: 200 } }, async (run) => {
      const worker = run.start();
      await run.works(worker);
      await run.kill(worker);
      await run.works(run.start());
      await expectSame('times out of order, with a window', run);
    });
  });
});
