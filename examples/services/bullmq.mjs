// A worker of BullMQ that skips orders it has shipped. Producers add some orders twice, and BullMQ runs the jobs of a worker again
// that has died. Run it with `node examples/services/bullmq.mjs FOLDER REDIS_URL`.

import { appendFile } from 'node:fs/promises';
import { DelayedError, Worker } from 'bullmq';
import { createClaims } from 'firstseen';
import { openState } from 'firstseen/node';
import Redis from 'ioredis';

const RETRY_MILLISECONDS = 100;
const [folder = '.', url = 'redis://localhost:6379'] = process.argv.slice(2);
const state = await openState(`${folder}/orders.state`, { algorithm: 'exact', window: '14d', memory: '4MiB' });
// A claim ends when its job does. After a crash no key is held.
const claims = createClaims(state.detector, { lease: Number.POSITIVE_INFINITY });

async function ship(job, token) {
  const { order } = job.data;
  const claim = claims.claim(order);
  if (claim.verdict === 'pending') {
    // Another job ships the order and may fail.
    await job.moveToDelayed(Date.now() + RETRY_MILLISECONDS, token);
    throw new DelayedError();
  }
  if (claim.verdict === 'distinct') {
    try {
      await appendFile(`${folder}/shipped.ndjson`, `${JSON.stringify({ order })}\n`);
    } catch (error) {
      claim.abort();
      throw error;
    }
    claim.commit();
  }
  await state.save(); // A job is complete only when the state has its order, also if an earlier attempt has shipped it.
  return claim.verdict === 'distinct' ? 'shipped' : 'shipped before';
}

const connection = new Redis(url, { maxRetriesPerRequest: null });
// BullMQ gives the jobs of a dead worker to another after the duration of a lock.
new Worker('orders', ship, { connection, concurrency: 8, lockDuration: 5000, stalledInterval: 2500 });
