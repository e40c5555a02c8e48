// What holds a worker up, over real brokers: its line, /readyz and its metrics say the same, and no more once it is over.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../../tools/report.mjs';
import { defectOfHoldups } from './support/defects.mjs';
import { expectFound, expectSame } from './support/expecting.mjs';
import { needed, skips } from './support/options.mjs';
import { endlessLoad, withRun } from './support/running.mjs';
import { startedFor } from './support/started.mjs';
import { openTransaction } from './support/transaction.mjs';
import { waitFor } from './support/waiting.mjs';

/** What holds a worker up is told after 30 s, and looked for every 10 s. */
const SECONDS = 90;
/** The time for which a worker with a defect has to say nothing of what another one has told. */
const QUIET_SECONDS = 20;
const RECORDS = 2000;
/** Within this time, workers have opened the partitions that their group gives them. */
const SETTLED_MILLISECONDS = 5000;
/** Longer than the session of a worker. */
const AWAY_MILLISECONDS = 8000;
/** The client asks for the members of its group within this time. */
const ASKED_MILLISECONDS = 25_000;
const HELD_UP = /^firstseen_kafka_held_up_seconds\{half="worker",reason="(\w+)"\}$/;
/** Few records, because the workers wait. */
const load = { ...endlessLoad, rate: 200 };

/** Why a worker is held up, as its metrics say it. */
async function reasonsOf(worker) {
  return [...(await worker.metrics())].flatMap(([name, seconds]) => {
    const [, reason] = HELD_UP.exec(name) ?? [];
    return reason !== undefined && seconds > 0 ? [reason] : [];
  });
}

/** Waits until a worker is held up. @returns the reason */
async function heldUp(worker, seconds = SECONDS) {
  const isHeldUp = async () => (await reasonsOf(worker)).length > 0;
  await waitFor('a reason', isHeldUp, { seconds, milliseconds: 500, told: () => worker.output });
  return (await reasonsOf(worker)).join();
}

/** Waits until a worker is held up, and expects the reason and what it says of it in all places. */
async function expectHeldUp(worker, reason, text) {
  assert.equal(await heldUp(worker), reason);
  assert.match(worker.output, new RegExp(`has made no progress for \\d+ s, because of the ${reason}: ${text}`));
  assert.match(
    await worker.readiness(),
    new RegExp(`^\\w+\\nthe worker has made no progress for \\d+ s, because of the ${reason}: `),
  );
}

/** Waits until a worker is held up no more. */
async function expectFree(worker) {
  const isFree = async () => (await worker.readiness()) === 'ready\n' && (await reasonsOf(worker)).length === 0;
  await waitFor('the end of what held it up', isFree, {
    ...{ seconds: SECONDS, milliseconds: 500 },
    told: () => worker.output,
  });
}

describe('a worker that is held up', { skip: skips.inFull }, () => {
  const started = startedFor();

  /** Opens a transaction in the input of a run, whose worker has emitted records. @returns the worker, and what commits */
  async function openIn(run) {
    const worker = run.start();
    await run.works(worker);
    const connection = { client: needed.client, brokers: started.cluster.brokers };
    const record = { key: null, value: Buffer.from('{"id":"open"}') };
    const commit = await openTransaction(connection, { topic: run.input, partition: 1, ...record });
    return { worker, commit };
  }

  describe('by others', { concurrency: true }, () => {
    test('says that a transaction in the input is open', () =>
      withRun({ ...started, load }, async (run) => {
        const { worker, commit } = await openIn(run);
        try {
          await expectHeldUp(worker, 'input', `[\\d,]+ offsets of partition 1 of ${run.input} from \\d+ on wait for a`);
        } finally {
          await commit();
        }
        await expectFree(worker);
        await expectSame('a worker that an open transaction in its input held up', run);
      }));

    test('is found out if it does not look for open transactions', () =>
      expectFound('open transactions of the input are not looked for', {
        defect: defectOfHoldups,
        work: (main) =>
          withRun({ ...started, load }, async (run) => {
            const silent = run.start('a', { main, group: `${run.group}-defect` });
            await run.works(silent);
            const { worker, commit } = await openIn(run);
            try {
              assert.equal(await heldUp(worker), 'input');
              const differences = await heldUp(silent, QUIET_SECONDS).then(
                () => [],
                ({ message }) => [message],
              );
              assert.equal(await silent.readiness(), 'ready\n');
              return { differences };
            } finally {
              await commit();
            }
          }),
        foundText: () => 'found: it says nothing of what the worker without it has told',
      }));
  });

  test('goes on when the broker comes back', () =>
    withRun({ ...started, load: { ...load, records: RECORDS, rate: RECORDS } }, async (run) => {
      // Each has some of the partitions.
      const workers = ['a', 'b'].map((name) => run.start(name));
      await Promise.all(workers.map(expectFree));
      await run.loaded();
      await sleep(SETTLED_MILLISECONDS);
      const [node] = started.cluster.nodes;
      await node.kill();
      await sleep(AWAY_MILLISECONDS);
      node.start();
      await node.answers();
      await sleep(ASKED_MILLISECONDS);
      await Promise.all(workers.map(expectFree));
      for (const worker of workers) assert.equal(worker.hasEnded, false, worker.output);
      await expectSame('workers whose broker was away for longer than their sessions', run);
    }));

  test('says that a broker stands still, while it writes and while it has nothing to do', () =>
    // It always has something to write: records come until the broker stands still.
    withRun(started, (busy) =>
      withRun({ ...started, load: { ...load, records: RECORDS, rate: RECORDS } }, async (idle) => {
        const [writing, done] = [busy.start(), idle.start()];
        await Promise.all([busy.works(writing), idle.loaded()]);
        const isDone = async () => (await done.given()) >= RECORDS;
        await waitFor('the end of the input', isDone, { seconds: SECONDS, told: () => done.output });
        await busy.awaitTransaction('a', ['Ongoing']);
        const [node] = started.cluster.nodes;
        node.pause();
        try {
          await Promise.all([
            expectHeldUp(writing, 'brokers', 'they do not answer, while '),
            // Of two questions that it asks from time to time, either may be the first without an answer for long.
            expectHeldUp(
              done,
              'brokers',
              '(they do not answer, while the topic \\S+ is looked up|the brokers do not say where partition \\d+ of \\S+ ends)',
            ),
          ]);
        } finally {
          node.resume();
        }
        await expectFree(done);
        tell('a broker that stood still', 'told by a worker that writes, and by one that has nothing to do');
      }),
    ));
});
