// Workers that are asked to stop while they start, whatever they wait for: each ends with 0, and soon.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tell } from '../../tools/report.mjs';
import { needed, skips } from './support/options.mjs';
import { endlessLoad, withRun } from './support/running.mjs';
import { startedFor } from './support/started.mjs';
import { openTransaction } from './support/transaction.mjs';
import { waitFor } from './support/waiting.mjs';

/** Starts, and the time from one to the next: so far they are apart when the broker stands still. */
const STARTS = 10;
const APART_MILLISECONDS = 250;
/** The bit of SIGHUP among the signals that a process handles. Node itself handles SIGTERM before the worker does, but not SIGHUP. */
const SIGHUP_BIT = 1n;
const STILL_MILLISECONDS = 1000;
/** Requests to brokers have 5 s, those of a worker that already writes 10 s, and clients are closed after them. */
const MAX_SECONDS = 25;
/** Within this time, a start comes to what it waits for. */
const BEGUN_MILLISECONDS = 6000;

const load = { ...endlessLoad, rate: 200 };

/** Whether a worker handles signals: Node itself is loaded before. */
function handlesSignals({ child: { pid } }) {
  const [, bits] = /^SigCgt:\t([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  return (BigInt(`0x${bits}`) & SIGHUP_BIT) !== 0n;
}

/** Asks a worker to stop. @returns the seconds that it takes @throws AssertionError unless it ends with 0 */
async function secondsToStop(worker) {
  const begin = performance.now();
  const code = await worker.stop();
  assert.equal(code, 0, `${worker.child.signalCode ?? code}: ${worker.output}`);
  return (performance.now() - begin) / 1000;
}

function expectSoon(what, seconds) {
  const most = Math.max(...seconds);
  tell(`SIGTERM at the start, ${what}`, `${seconds.length} times: ended with 0 after at most ${most.toFixed(1)} s`);
  assert.ok(most < MAX_SECONDS, `took ${most} s`);
}

describe('a start that is asked to stop', { skip: skips.inFull }, () => {
  const started = startedFor();

  const running = (work) => withRun({ ...started, load }, work);

  test('ends while the broker stands still', () =>
    running(async (run) => {
      const workers = [];
      for (let i = 0; i < STARTS; i++) {
        const worker = run.start('a', { group: `${run.group}-${i}` });
        workers.push(worker);
        await waitFor('the handling of signals', () => handlesSignals(worker));
        await sleep(APART_MILLISECONDS);
      }
      const [node] = started.cluster.nodes;
      node.pause();
      try {
        await sleep(STILL_MILLISECONDS);
        expectSoon('while the broker stands still', await Promise.all(workers.map(secondsToStop)));
      } finally {
        node.resume();
      }
    }));

  test('ends while a transaction among the pointers is open', () =>
    running(async (run) => {
      const first = run.start();
      await run.works(first);
      await run.stop(first);
      const connection = { client: needed.client, brokers: started.cluster.brokers };
      const record = { key: Buffer.from('{}'), value: Buffer.from('{}') };
      const commit = await openTransaction(connection, { topic: run.pointers, partition: 0, ...record });
      try {
        const worker = run.start();
        await sleep(BEGUN_MILLISECONDS);
        assert.equal((await worker.positions()).size, 0);
        expectSoon('while a transaction among the pointers is open', [await secondsToStop(worker)]);
      } finally {
        await commit();
      }
    }));

  test('ends while the group that it takes over has members', () =>
    running(async (run) => {
      await run.works(run.start());
      const worker = run.start('b', { group: `${run.group}-new`, more: ['--from-group', run.group] });
      const isWaiting = () => /waits until the group .* has no members/.test(worker.output);
      await waitFor('the wait for the members', isWaiting, { told: () => worker.output });
      expectSoon('while the group that is taken over has members', [await secondsToStop(worker)]);
    }));
});
