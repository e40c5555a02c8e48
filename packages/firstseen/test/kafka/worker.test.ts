// Workers over a cluster in memory: what they write is what one process writes, whenever they end.

import { setTimeout } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { inLongForm } from '../support/form.js';
import { Crash, content, FakeCluster, Fate } from './support/fakecluster.js';
import {
  choices,
  expected,
  isDone,
  makeTopics,
  ranToEnd,
  runToEnd,
  type StartedWorker,
  settingsFor,
  startWorker,
  topics,
  until,
  written,
} from './support/workers.js';

/** Records with repeats, tombstones, and transactions that were aborted. */
function fill(cluster: FakeCluster, choose: (below: number) => number, records: number): void {
  for (let i = 0; i < records; i++) {
    const partition = choose(3);
    const record = () => content(choose(3) === 0 ? null : `k${i}`, JSON.stringify({ id: choose(60), i }), i);
    const kind = choose(20);
    if (kind === 0) cluster.append(topics.input, partition, content('gone', null, i));
    else if (kind === 1) cluster.appendBy(topics.input, partition, [record(), record()], 'aborted');
    else if (kind === 2) cluster.appendBy(topics.input, partition, [record(), record()], 'committed');
    else cluster.append(topics.input, partition, record());
  }
}

it('writes what one process writes', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  fill(cluster, choices(1), 600);
  const settings = settingsFor();
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
  const [[first, again]] = written(cluster, settings) as [[unknown[], unknown[]]];
  expect(first.length).toBeGreaterThan(50);
  expect(again.length).toBeGreaterThan(20);
});

/** Detectors whose answers depend on what was observed before, and on times. */
const detectors = [
  { window: 20, memory: '4KiB', keys: ['id'] },
  { window: '50ms', memory: '4KiB', keys: ['id'] },
  { algorithm: 'bsbf', memory: '1KiB', parameters: { k: 64 }, keys: ['id'] },
] as const;

it.each(detectors)(
  'writes what one process writes, through crashes at any call: %j',
  async (detector) => {
    let crashes = 0;
    for (let seed = 1; seed <= inLongForm(10, 1); seed++) {
      const choose = choices(seed);
      const cluster = new FakeCluster();
      makeTopics(cluster);
      fill(cluster, choose, 250);
      const settings = settingsFor({ detector });
      while (!isDone(cluster)) {
        const end = await runToEnd(cluster, { settings, fate: new Fate(2 * choose(inLongForm(400, 120)) + choose(2)) });
        if (end !== undefined) expect(end).toBeInstanceOf(Crash);
        if (end !== undefined) crashes++;
      }
      expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
    }
    expect(crashes).toBeGreaterThan(inLongForm(8, 2));
  },
  60_000,
);

it('writes what one process writes while workers come, go, and are not heard of', async () => {
  for (let seed = 1; seed <= inLongForm(5, 1); seed++) {
    const choose = choices(100 + seed);
    const cluster = new FakeCluster();
    makeTopics(cluster);
    const settings = settingsFor();
    let running: StartedWorker[] = [];
    for (let round = 0; round < 8; round++) {
      fill(cluster, choose, 60);
      const name = `worker${choose(3)}`;
      running.push(startWorker(cluster, { settings, name, fate: new Fate(2 * choose(900) + choose(2)) }));
      await setTimeout(choose(40));
      if (choose(3) === 0) cluster.expire(`worker${choose(3)}`);
      const ended = running.filter((one) => one.hasEnded);
      for (const { ended: end } of ended) expect(String(await end)).toMatch(/Crash|taken over|undefined/);
      running = running.filter((one) => !one.hasEnded);
    }
    for (const worker of running) worker.stop();
    await Promise.all(running.map(({ ended }) => ended));
    for (const name of ['worker0', 'worker1', 'worker2']) cluster.expire(name);
    while (!isDone(cluster)) await runToEnd(cluster, { settings, name: 'last' });
    expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
  }
}, 60_000);

it('repeats a transaction that was aborted, without a replay', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  fill(cluster, choices(3), inLongForm(400, 100));
  const settings = settingsFor();
  for (const aborts of [2, 6]) {
    cluster.abortNext(aborts);
    const { ended, worker } = await ranToEnd(cluster, { settings });
    expect(await ended).toBe(undefined);
    expect(worker.counts.aborted).toBe(aborts);
    // Partitions are opened again only after the last repetition.
    expect(worker.counts.replayed > 0).toBe(aborts > 5);
    fill(cluster, choices(4), inLongForm(100, 50));
  }
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
}, 30_000);

it('goes on from what is committed when the end of a transaction is not known', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  const settings = settingsFor();
  for (let seed = 1; seed <= inLongForm(6, 2); seed++) {
    fill(cluster, choices(seed), 100);
    cluster.lostEnds.push(seed % 2 === 0 ? 'committed' : 'aborted', 'committed', 'aborted');
    const { ended, worker } = await ranToEnd(cluster, { settings });
    expect(await ended).toBe(undefined);
    expect(worker.counts.aborted).toBe(3);
  }
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
}, 30_000);

/** Disturbs a worker a number of times when all is emitted, each time with new records. @returns the worker, which has written the same as one process */
async function disturbed(times: number, disturb: (cluster: FakeCluster) => void): Promise<StartedWorker> {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  fill(cluster, choices(7), 200);
  const settings = settingsFor();
  const started = startWorker(cluster, { settings });
  let done = 0;
  cluster.onIdle = () => {
    if (!isDone(cluster)) return;
    if (done === times) return started.stop();
    done++;
    disturb(cluster);
    fill(cluster, choices(7 + done), 100);
  };
  expect(await started.ended).toBe(undefined);
  expect(done).toBe(times);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
  return started;
}

it('goes on by itself when its producer was fenced and the group still has it', async () => {
  const { warnings } = await disturbed(3, (cluster) => cluster.initialize('one'));
  expect(warnings).toHaveLength(3);
});

it('joins its group again when its name was taken from it and nobody has it', async () => {
  const { warnings } = await disturbed(1, (cluster) => cluster.replace('one'));
  expect(warnings.filter((text) => text.includes('the worker joins its group again'))).toHaveLength(1);
});

it('is ready while the group has no partition for it, and not while it opens one', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const settings = settingsFor({ partitions: 1 });
  const one = startWorker(cluster, { settings, name: 'one' });
  await until(() => one.worker.states.size === 1);
  const other = startWorker(cluster, { settings, name: 'other' });
  expect(other.worker.phase).toBe('loading');
  await until(() => other.worker.phase === 'ready');
  expect(other.worker.states.size).toBe(0);
  let opening: string | undefined;
  vi.spyOn(cluster, 'bounds').mockImplementation((...place) => {
    // The first time is while the partition is opened.
    if (one.hasEnded) opening ??= other.worker.phase;
    return FakeCluster.prototype.bounds.apply(cluster, place);
  });
  one.stop();
  await until(() => other.worker.states.size === 1 && other.worker.phase === 'ready');
  expect(opening).toBe('loading');
  other.stop();
  expect(await Promise.all([one.ended, other.ended])).toEqual([undefined, undefined]);
});

it('is not ready once it has lost its place in the group', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  const { worker, stop, ended } = startWorker(cluster, { settings: settingsFor() });
  await until(() => worker.phase === 'ready');
  cluster.expire('one');
  await until(() => worker.phase === 'loading');
  stop();
  expect(await ended).toBe(undefined);
});

it('is not ready while brokers do not answer', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  const { worker, stop, ended } = startWorker(cluster, { settings: settingsFor() });
  await until(() => worker.phase === 'ready');
  let answer: (() => void) | undefined;
  vi.spyOn(Fate.prototype, 'around').mockImplementationOnce(async (call) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return call();
  });
  cluster.append(topics.input, 0, content(null, '{"id":1}'));
  await until(() => answer);
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 9000);
  expect(worker.phase).toBe('ready');
  vi.spyOn(performance, 'now').mockReturnValue(now + 11_000);
  expect(worker.phase).toBe('loading');
  vi.restoreAllMocks();
  answer?.();
  await until(() => worker.phase === 'ready' && isDone(cluster));
  stop();
  expect(await ended).toBe(undefined);
});

it('ends, and commits nothing more, when another worker has its name', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  fill(cluster, choices(8), 200);
  const settings = settingsFor();
  const one = startWorker(cluster, { settings });
  // The other one would be the first to end if it joined first.
  await until(() => one.worker.states.size > 0);
  const other = startWorker(cluster, { settings });
  expect(String(await one.ended)).toMatch(/another member has taken over/);
  expect(one.worker.phase).toBe('loading');
  cluster.onIdle = () => {
    if (isDone(cluster)) other.stop();
  };
  fill(cluster, choices(9), 200);
  expect(await other.ended).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
});

it('ends with the error of one partition that cannot be opened, among many that can', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 20);
  for (let partition = 0; partition < 20; partition++)
    cluster.append(topics.input, partition, content(null, '{"id":1}'));
  const settings = settingsFor({ partitions: 20 });
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  cluster.entriesOf(topics.input, 17).splice(0);
  expect(String(await runToEnd(cluster, { settings }))).toMatch(/partition 17 of in ends at the offset 0/);
});

it('finds pointers that are far from the end of their topic', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 2);
  for (const partition of [0, 1]) cluster.append(topics.input, partition, content(null, '{"id":1}'));
  const settings = settingsFor({ partitions: 2 });
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  for (let i = 0; i < 500; i++) cluster.append(topics.pointers, 1, content('["another","in",1]', '{}'));
  for (const partition of [0, 1]) cluster.append(topics.input, partition, content(null, '{"id":1}'));
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
});
