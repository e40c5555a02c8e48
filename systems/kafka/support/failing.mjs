// Failures of workers: kills, pauses and changes of their number, again and again, under load.

import { watch } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomOf } from '../../support/random.mjs';
import { endlessLoad, RECORDS_PER_SECOND, SNAPSHOT_EVERY, withRun } from './running.mjs';
import { waitFor } from './waiting.mjs';

/** Failures after which a run ends and is compared, so that a difference is found near its cause. */
const FAILURES_OF_RUN = 10;
const MAX_MOMENT_MILLISECONDS = 1200;
/** Most of the time between two transactions. */
const BETWEEN_MILLISECONDS = 80;
const SHORT_MILLISECONDS = 30;
const MAX_STILL_MILLISECONDS = 300;
const MAX_FILE_MILLISECONDS = 60_000;
/** A worker that does not answer for so long has lost its partitions. */
const PAUSE_MILLISECONDS = 9000;
/** After this time, brokers have aborted its transaction too. */
const LONG_PAUSE_MILLISECONDS = 22_000;
/** Runs at the same time: their workers wait most of the time. */
const LANES = 4;

/** For several runs at the same time. */
const laneLoad = { ...endlessLoad, rate: RECORDS_PER_SECOND / LANES };
/** Fewer snapshots, because each takes a process. */
const LANE_FLAGS = ['--snapshot-every', String(8 * SNAPSHOT_EVERY)];
const NAMES = ['a', 'b', 'c'];
const COMMITTED = 'CompleteCommit';
const WITHIN = 'within a transaction';

/** Waits for a file that appears. A file that is there for a short time is seen too. */
async function newFile(folder, ending) {
  const signal = AbortSignal.timeout(MAX_FILE_MILLISECONDS);
  for await (const { filename } of watch(folder, { signal })) if (filename.endsWith(ending)) return;
}

/** The moments at which a worker is killed. Each may return what is to be done then. */
export const moments = {
  'within a transaction': ({ run, name }) => run.awaitTransaction(name, ['Ongoing']),
  async 'while a snapshot is taken'({ random, worker }) {
    await waitFor('a snapshot', () => worker.descendants.length > 0, { milliseconds: 2 });
    await sleep(random() * SHORT_MILLISECONDS * 10);
  },
  // What a worker sends then is in a transaction that is not committed.
  async 'while the brokers stand still'({ random, cluster: { nodes } }) {
    await sleep(random() * MAX_MOMENT_MILLISECONDS);
    for (const node of nodes) node.pause();
    await sleep(random() * MAX_STILL_MILLISECONDS);
    return () => {
      for (const node of nodes) node.resume();
    };
  },
  async 'before a transaction'({ random, run, name }) {
    await run.awaitTransaction(name, ['Ongoing', COMMITTED]);
    await sleep(random() * BETWEEN_MILLISECONDS);
  },
  'after a transaction': ({ run, name }) => run.awaitTransaction(name, ['Ongoing', COMMITTED]),
  'while a snapshot is written': ({ run }) => newFile(run.snapshots, '.part'),
  async 'after the rename of a snapshot'({ random, run }) {
    await newFile(run.snapshots, '.snapshot');
    await sleep(random() * SHORT_MILLISECONDS);
  },
};

/** The state of transactions at a failure, in words. */
function placeOf(states) {
  if (states.length === 0) return 'before the first transaction';
  if (states.includes('Ongoing')) return WITHIN;
  return states.some((state) => state.startsWith('Prepare')) ? 'within a commit' : 'between transactions';
}

/** What was found by failures: how often they hit which place, seconds of recoveries, and differences. */
function newFound() {
  return { counts: new Map(), recoveries: [], most: 0, restarts: 0, compared: 0, differences: [] };
}

function count({ counts }, what) {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** How often failures hit which place, in words. */
export function told(counts) {
  return Array.from(counts, ([name, times]) => `${times} ${name}`).join(', ');
}

/** Begins a run for some failures, ends it, and adds what its comparison finds. */
function failing({ found, ...options }, fail) {
  return withRun(options, async (run) => {
    await fail(run);
    const { differences, read } = await run.finish();
    found.compared += read;
    found.differences.push(...differences);
  });
}

/** Notes the time until a recovery since a moment, and what it may be. */
async function recovered(run, found, begin) {
  found.recoveries.push((performance.now() - begin) / 1000);
  found.most = await run.maxRecoverySeconds();
}

/**
 * Kills the worker of a run and starts another one, a number of times. The other one has the name of the first.
 * @param options kills; seed; moment: the name of the only one; of `Run`: cluster, main, and more
 * @returns as of `newFound`; it ends with the first run that has differences
 */
export async function killAgainAndAgain({ kills, seed, moment, ...options }) {
  const [found, random] = [newFound(), randomOf(seed)];
  const [names, name] = [moment ? [moment] : Object.keys(moments), NAMES[0]];
  const killOne = async (run, worker, what) => {
    await run.works(worker);
    const then = await moments[what]({ random, worker, run, name, cluster: options.cluster });
    // The snapshot that it takes is killed too, or goes on alone.
    await run.kill(worker, { isAlone: random() < 0.5 });
    const begin = performance.now();
    then?.();
    const place = placeOf(await run.transactions());
    count(found, moment ? place : `${what}, ${place}`);
    const next = run.start(name);
    await run.works(next);
    await recovered(run, found, begin);
    return next;
  };
  for (let killed = 0; killed < kills && found.differences.length === 0; ) {
    await failing({ found, ...options }, async (run) => {
      let worker = run.start(name);
      for (let i = 0; i < FAILURES_OF_RUN && killed < kills; i++, killed++) {
        worker = await killOne(run, worker, names[killed % names.length]);
      }
    });
  }
  return found;
}

/**
 * Kills one of two workers within a transaction, until the other one has its partitions, and starts it again, a number of times.
 * @returns as of `newFound`, with recoveries by the other worker
 */
export async function takeOverAgainAndAgain({ kills, ...options }) {
  const found = newFound();
  await failing({ found, ...options }, async (run) => {
    const names = NAMES.slice(0, 2);
    const workers = new Map(names.map((name) => [name, run.start(name)]));
    for (let killed = 0; killed < kills; ) {
      await run.shared();
      const name = names[killed % names.length];
      await run.awaitTransaction(name, ['Ongoing']);
      await run.kill(workers.get(name));
      const begin = performance.now();
      const place = placeOf(await run.transactions(name));
      count(found, place);
      await run.shared();
      await recovered(run, found, begin);
      if (place === WITHIN) killed++;
      workers.set(name, run.start(name));
    }
    await run.shared();
  });
  return found;
}

/** Does a number of failures in several runs at the same time. @param work is given what is found, the random numbers and the failures of a run */
async function inLanes({ failures, seed, ...options }, work) {
  const found = newFound();
  const lanes = Math.min(LANES, failures);
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) => {
      const own = Math.floor((failures + lane) / lanes);
      return failing({ found, load: laneLoad, flags: LANE_FLAGS, ...options }, (run) =>
        work({ run, found, random: randomOf(seed + lane), failures: own, lane }),
      );
    }),
  );
  return found;
}

/**
 * Pauses one of two workers for so long that the other one gets its partitions, and lets it go on, a number of times. The last pause is
 * so long that brokers abort the transaction too.
 * @returns as of `newFound`
 */
export function pauseAgainAndAgain({ pauses, ...options }) {
  return inLanes({ failures: pauses, ...options }, async ({ run, found, random, failures, lane }) => {
    const names = NAMES.slice(0, 2);
    const workers = new Map(names.map((name) => [name, run.start(name)]));
    for (let i = 0; i < failures; i++) {
      await run.shared();
      const name = names[i % names.length];
      const zombie = workers.get(name);
      // Some defects show between transactions only.
      if ((i + lane) % 2 === 0) await run.awaitTransaction(name, ['Ongoing']);
      else await sleep(random() * MAX_MOMENT_MILLISECONDS);
      zombie.pause();
      count(found, placeOf(await run.transactions()));
      await sleep(i === failures - 1 && failures > 1 ? LONG_PAUSE_MILLISECONDS : PAUSE_MILLISECONDS);
      zombie.resume();
      await sleep(MAX_MOMENT_MILLISECONDS);
      if (!zombie.hasEnded) continue;
      found.restarts++;
      await run.kill(zombie);
      workers.set(name, run.start(name));
    }
    await run.shared();
  });
}

/**
 * One worker, then three, then two, then one, a number of times. One of those that leave is killed, the other one is asked to stop.
 * @returns as of `newFound`, with recoveries by other workers
 */
export function changeAgainAndAgain({ changes, ...options }) {
  return inLanes({ failures: changes, ...options }, async ({ run, found, random, failures }) => {
    const workers = new Map([[NAMES[0], run.start(NAMES[0])]]);
    const leave = async (isKilled) => {
      const name = [...workers.keys()][Math.floor(random() * workers.size)];
      const worker = workers.get(name);
      workers.delete(name);
      if (isKilled) await run.kill(worker);
      else await run.stop(worker);
      const begin = performance.now();
      count(found, isKilled ? 'left by SIGKILL' : 'left by SIGTERM');
      await run.shared();
      await recovered(run, found, begin);
    };
    for (let i = 0; i < failures; i++) {
      await run.shared();
      for (const name of NAMES) if (!workers.has(name)) workers.set(name, run.start(name));
      await run.shared();
      await leave(i % 2 === 0);
      await leave(i % 2 !== 0);
    }
  });
}
