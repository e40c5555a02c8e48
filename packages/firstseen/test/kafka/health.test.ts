// What a worker tells monitors.

import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { serveHealth } from '../../src/kafka/watch/health.js';
import { Holdups } from '../../src/kafka/watch/holdups.js';
import type { Watched } from '../../src/kafka/watch/metrics.js';
import { PartitionEnds } from '../../src/kafka/watch/metrics.js';
import { watching } from '../../src/kafka/watch/watching.js';
import { content, FakeClient, FakeCluster } from './support/fakecluster.js';
import { isDone, makeTopics, settingsFor, startWorker, topics, until } from './support/workers.js';

function healthOf(watched: Watched, port = 0) {
  return serveHealth({ host: '127.0.0.1', port }, watched.client, () => watched);
}

it('is alive and not ready before there is a worker', async () => {
  const client = new FakeClient(new FakeCluster(), 'monitor');
  const { port, close } = await serveHealth({ host: '127.0.0.1', port: 0 }, client, () => undefined);
  onTestFinished(close);
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  expect(await Promise.all(['/livez', '/readyz', '/metrics', '/'].map(statusOf))).toEqual([200, 503, 503, 404]);
});

it('says what it waits for while it is not ready', async () => {
  const clock = { now: 0 };
  const client = new FakeClient(new FakeCluster(), 'monitor');
  const holdups = new Holdups({ topic: topics.input, client, now: () => clock.now, onWarning: () => undefined });
  const { port, close } = await serveHealth({ host: '127.0.0.1', port: 0 }, client, () => undefined, {
    worker: holdups,
  });
  onTestFinished(close);
  vi.spyOn(client, 'partitionsOf').mockReturnValue(new Promise(() => undefined));
  void watching(client, holdups).partitionsOf(topics.pointers);
  const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
  clock.now = 2999;
  expect(await ready()).toBe('loading\n');
  clock.now = 4000;
  expect(await ready()).toBe(
    'loading\nthe worker has waited for 4 s for the brokers: the topic pointers is looked up\n',
  );
});

it('tells whether the worker is ready, and what it does', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  for (let i = 0; i < 30; i++) {
    cluster.append(topics.input, i % 3, content(null, i % 10 === 0 ? null : JSON.stringify({ id: i % 6 })));
  }
  const settings = settingsFor();
  const idle = new Promise<void>((resolve) => {
    cluster.onIdle = () => isDone(cluster) && resolve();
  });
  const { worker, stop, ended } = startWorker(cluster, { settings });
  const watched = { worker, client: new FakeClient(cluster, 'monitor'), settings, version: '1.2.3' };
  const { port, close } = await healthOf(watched);
  onTestFinished(close);
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return [response.status, await response.text()] as const;
  };
  expect(await get('/livez')).toEqual([200, 'ok\n']);
  await idle;
  expect(await get('/readyz')).toEqual([200, 'ready\n']);
  const [status, text] = await get('/metrics');
  expect(status).toBe(200);
  const sampleOf = (series: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1];
  expect(sampleOf('firstseen_info{version="1.2.3"}')).toBe('1');
  expect(sampleOf('firstseen_kafka_records_total{answer="distinct"}')).toBe('6');
  expect(sampleOf('firstseen_kafka_records_total{answer="duplicate"}')).toBe('21');
  expect(sampleOf('firstseen_kafka_records_total{answer="tombstone"}')).toBe('3');
  expect(sampleOf('firstseen_kafka_lag_records{partition="1"}')).toBe('0');
  expect(sampleOf('firstseen_kafka_position_offset{partition="2"}')).toBe('10');
  expect(Number(sampleOf('firstseen_kafka_transactions_total{outcome="committed"}'))).toBeGreaterThan(0);
  expect(Number(sampleOf('firstseen_kafka_snapshot_age_seconds{partition="0"}'))).toBeLessThan(600);
  expect(await get('/', 'GET')).toEqual([404, 'not found: this port serves /livez, /readyz and /metrics\n']);
  for (const path of ['//', '//[', '/%', '/livez?a=//'])
    expect((await get(path))[0]).toBe(path.startsWith('/livez') ? 200 : 404);
  expect((await get('/metrics', 'POST'))[0]).toBe(405);
  stop();
  await ended;
  expect(await get('/readyz')).toEqual([503, 'draining\n']);
});

it('tells what it does when partitions are given up while their ends are asked for', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  const settings = settingsFor();
  const { worker, stop, ended } = startWorker(cluster, { settings });
  await until(() => worker.phase === 'ready');
  const client = new FakeClient(cluster, 'monitor');
  vi.spyOn(client, 'bounds').mockImplementation(async () => {
    cluster.expire('one');
    await until(() => worker.states.size === 0);
    return { low: 0, high: 0 };
  });
  const { port, close } = await healthOf({ worker, client, settings, version: '1' });
  onTestFinished(close);
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toContain('firstseen_kafka_transactions_total');
  expect(text).not.toContain('partition="');
  stop();
  await ended;
});

it('tells what it knows while brokers do not answer, and asks them once at a time', async () => {
  let asked = 0;
  const ends = new PartitionEnds({
    bounds: () => {
      asked++;
      return new Promise(() => undefined);
    },
  });
  const found = await Promise.all([ends.of('in', [0, 1]), ends.of('in', [0, 1])]);
  expect(found).toEqual([new Map(), new Map()]);
  expect(asked).toBe(1);
});

it('tells the ends that it found the time before while it asks for longer, until brokers refuse', async () => {
  const asked: { answer: (high: number) => void; refuse: () => void }[] = [];
  const ends = new PartitionEnds({
    bounds: () =>
      new Promise((resolve, reject) => {
        asked.push({ answer: (high) => resolve({ low: 0, high }), refuse: () => reject(new Error('refused')) });
      }),
  });
  const next = async () => {
    await until(() => asked.length > 0);
    expect(asked).toHaveLength(1);
    return asked.shift() as (typeof asked)[number];
  };
  expect(await ends.of('in', [0, 1])).toEqual(new Map());
  for (const high of [7, 8]) (await next()).answer(high);
  await setImmediate();
  const found = new Map([
    [0, 7],
    [1, 8],
  ]);
  expect(await ends.of('in', [0, 1])).toEqual(found);
  (await next()).answer(9);
  expect(await ends.of('in', [0, 1])).toEqual(found);
  (await next()).refuse();
  await setImmediate();
  expect(await ends.of('in', [0, 1])).toEqual(new Map());
}, 30_000);

it('forgets ends that it found long ago', async () => {
  let isSlow = false;
  const ends = new PartitionEnds({ bounds: async () => (isSlow ? new Promise(() => undefined) : { low: 0, high: 7 }) });
  expect(await ends.of('in', [0])).toEqual(new Map([[0, 7]]));
  isSlow = true;
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 400_000);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  expect(await ends.of('in', [0])).toEqual(new Map());
});

it('tells the ends that it found before brokers refused', async () => {
  const bounds = async (_topic: string, partition: number) => {
    if (partition === 1) throw new Error('refused');
    return { low: 0, high: 7 };
  };
  const ends = new PartitionEnds({ bounds });
  expect(await ends.of('in', [0, 1, 2])).toEqual(new Map([[0, 7]]));
  expect(await ends.of('in', [])).toEqual(new Map());
  expect(await ends.of('in', [2])).toEqual(new Map([[2, 7]]));
});

it('says that a port is taken', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  const settings = settingsFor();
  const { worker, stop, ended } = startWorker(cluster, { settings });
  const watched = { worker, client: new FakeClient(cluster, 'monitor'), settings, version: '1' };
  const { port, close } = await healthOf(watched);
  onTestFinished(close);
  await expect(healthOf(watched, port)).rejects.toMatchObject({ code: 'E_USAGE' });
  stop();
  await ended;
});

it('tells what holds the worker up, though it is ready', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  const settings = settingsFor();
  const { worker, stop, ended } = startWorker(cluster, { settings });
  await until(() => worker.phase === 'ready');
  const current = { reason: 'input', text: 'a transaction is open', milliseconds: 31_500 } as const;
  const holdups = {
    worker: { current, waiting: undefined },
    repartition: { current: undefined, waiting: undefined },
  };
  const watched = { worker, client: new FakeClient(cluster, 'monitor'), settings, holdups, version: '1' };
  const { port, close } = await healthOf(watched);
  onTestFinished(close);
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  expect(await get('/readyz')).toBe(
    'ready\nthe worker has made no progress for 31 s, because of the input: a transaction is open\n',
  );
  const samples = (await get('/metrics')).split('\n').filter((line) => line.startsWith('firstseen_kafka_held_up'));
  expect(samples).toContain('firstseen_kafka_held_up_seconds{half="worker",reason="input"} 31.5');
  expect(samples).toContain('firstseen_kafka_held_up_seconds{half="repartition",reason="input"} 0');
  expect(samples).toHaveLength(10);
  stop();
  await ended;
});
