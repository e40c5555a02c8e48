// Failures of workers: kills and pauses at chosen moments, again and again, under load.

import { watch } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../../failures/support/random.mjs';
import { Run } from './run.mjs';
import { waitFor } from './waiting.mjs';

/** Failures after which a run ends and is compared, so that a difference is found near its cause. */
const FAILURES_OF_RUN = 10;
const RECORDS_PER_SECOND = 4000;
const LOAD_SECONDS = 600;
const KEYS = 3000;
/** Records after which a snapshot is taken: so few that many are taken. */
const SNAPSHOT_EVERY = 3000;
const MOST_MOMENT_MILLISECONDS = 1200;
const SHORT_MILLISECONDS = 30;
const MOST_STILL_MILLISECONDS = 300;
const MOST_FILE_MILLISECONDS = 60_000;
/** A worker that does not answer for so long has lost its partitions. */
const PAUSE_MILLISECONDS = 9000;

/** The load of a run that goes on until it is ended: what tests need of it decides how long. */
export const endlessLoad = {
  ...{ records: RECORDS_PER_SECOND * LOAD_SECONDS, rate: RECORDS_PER_SECOND, keys: KEYS },
  ...{ keyless: 20, tombstones: 20, headers: 20, early: 20 },
};
export const snapshotFlags = ['--snapshot-every', String(SNAPSHOT_EVERY)];

/** Waits for a file that appears. A file that is there for a short time is seen too. */
async function newFile(folder, ending) {
  const signal = AbortSignal.timeout(MOST_FILE_MILLISECONDS);
  for await (const { filename } of watch(folder, { signal })) if (filename.endsWith(ending)) return;
}

/** The moments at which a worker is killed. Each may return what is to be done then. */
export const moments = {
  // What a worker sends then is in a transaction that is not committed.
  async 'while the brokers stand still'({ random, cluster: { nodes } }) {
    await sleep(random() * MOST_MOMENT_MILLISECONDS);
    for (const node of nodes) node.pause();
    await sleep(random() * MOST_STILL_MILLISECONDS);
    return () => {
      for (const node of nodes) node.resume();
    };
  },
  'at any moment': ({ random }) => sleep(random() * MOST_MOMENT_MILLISECONDS),
  async 'while a snapshot is taken'({ random, worker }) {
    await waitFor('a snapshot', () => worker.descendants.length > 0, { milliseconds: 2 });
    await sleep(random() * SHORT_MILLISECONDS * 10);
  },
  'while a snapshot is written': ({ run }) => newFile(run.snapshots, '.part'),
  async 'after the rename of a snapshot'({ random, run }) {
    await newFile(run.snapshots, '.snapshot');
    await sleep(random() * SHORT_MILLISECONDS);
  },
};

/** The state of the transactions of the group at a failure, in words. */
function placeOf(states) {
  if (states.length === 0) return 'before the first transaction';
  if (states.includes('Ongoing')) return 'within a transaction';
  return states.some((state) => state.startsWith('Prepare')) ? 'within a commit' : 'between transactions';
}

/**
 * Kills the worker of a run and starts another one, a number of times. The other one has the name of the first.
 * @param options kills; seed; moment: the name of the only one; of `Run`: cluster, main, and more
 * @returns the number of kills by moment and place, and the differences: texts, with the first of which it ends
 */
export async function killAgainAndAgain({ kills, seed, moment, ...options }) {
  const random = randomOf(seed);
  const counts = new Map();
  let compared = 0;
  for (let killed = 0; killed < kills; ) {
    const run = await Run.begin({ load: endlessLoad, ...options, flags: [...snapshotFlags, ...(options.flags ?? [])] });
    try {
      let worker = run.start();
      for (let i = 0; i < FAILURES_OF_RUN && killed < kills; i++, killed++) {
        await run.works(worker);
        const name = moment ?? Object.keys(moments)[killed % Object.keys(moments).length];
        const then = await moments[name]({ random, worker, run, cluster: options.cluster });
        // The snapshot that it takes is killed too, or goes on alone.
        await run.kill(worker, { isAlone: random() < 0.5 });
        then?.();
        const what = `${name}, ${placeOf(await run.transactions())}`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
        worker = run.start();
      }
      await run.works(worker);
      const { differences, read } = await run.finish();
      compared += read;
      if (differences.length > 0) return { counts, compared, differences };
    } finally {
      await run.end();
    }
  }
  return { counts, compared, differences: [] };
}

/**
 * Pauses one of two workers for so long that the other one gets its partitions, and lets it go on, a number of times.
 * @returns as of `killAgainAndAgain`
 */
export async function pauseAgainAndAgain({ pauses, seed, ...options }) {
  const random = randomOf(seed);
  const counts = new Map();
  const run = await Run.begin({ load: endlessLoad, ...options, flags: [...snapshotFlags, ...(options.flags ?? [])] });
  try {
    const workers = [run.start('a'), run.start('b')];
    for (let i = 0; i < pauses; i++) {
      for (const worker of workers) await run.works(worker);
      await sleep(random() * MOST_MOMENT_MILLISECONDS);
      const zombie = i % workers.length;
      workers[zombie].pause();
      await sleep(PAUSE_MILLISECONDS);
      workers[zombie].resume();
      const what = placeOf(await run.transactions());
      counts.set(what, (counts.get(what) ?? 0) + 1);
      // A worker may end when it finds out.
      await sleep(MOST_MOMENT_MILLISECONDS);
      if (workers[zombie].hasEnded) {
        await run.kill(workers[zombie]);
        workers[zombie] = run.start('ab'[zombie]);
      }
    }
    const { differences, read } = await run.finish();
    return { counts, compared: read, differences };
  } finally {
    await run.end();
  }
}
