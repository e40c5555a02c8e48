// Topics that are made again while workers run.

import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { kafkaError } from '../../src/io/kafka/errors.js';
import { type RemadeOptions, RemadeTopics } from '../../src/kafka/pointers/remade.js';
import { schemeOfCut } from '../../src/kafka/repartition/partitioner.js';
import { Repartitioner } from '../../src/kafka/repartition/repartitioner.js';
import { content, FakeClient, FakeCluster } from './support/fakecluster.js';
import {
  isDone,
  makeTopics,
  runToEnd,
  type StartedWorker,
  settingsFor,
  startWorker,
  topics,
  until,
} from './support/workers.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

function filled(): FakeCluster {
  const cluster = new FakeCluster();
  makeTopics(cluster, 2);
  for (const partition of [0, 1]) {
    for (let id = 0; id < 10; id++) cluster.append(topics.input, partition, content('k', JSON.stringify({ id })));
  }
  return cluster;
}

/** Calls what a test says once, when all is emitted, and lets time go by until the end. */
function whenDone(cluster: FakeCluster, act: () => void, hasEnded: () => boolean, end: () => void): void {
  let isActed = false;
  cluster.onIdle = () => {
    vi.advanceTimersByTime(1000);
    if (isActed && hasEnded()) end();
    if (isActed || !isDone(cluster)) return;
    isActed = true;
    act();
  };
}

/** Runs a worker that emits all, until a topic is made again and something else holds. */
async function runThrough(cluster: FakeCluster, topic: string, hasEnded: (warnings: string[]) => boolean) {
  const settings = settingsFor({ partitions: 2 });
  const started = startWorker(cluster, { settings });
  const remake = () => cluster.make(topic, 2);
  whenDone(cluster, remake, () => hasEnded(started.warnings), started.stop);
  const ended = await started.ended;
  return { settings, ended, warnings: started.warnings };
}

it('ends when its input is made again', async () => {
  const { ended } = await runThrough(filled(), topics.input, () => performance.now() > 60_000);
  expect(ended).toMatchObject({ code: 'E_STATE_DIFFERS' });
  expect(String(ended)).toContain('the topic in was re-created after the group began: its records have other offsets');
});

it('writes the pointers of all its partitions again when their topic is made again', async () => {
  const cluster = filled();
  const hasPointers = () => [0, 1].every((partition) => cluster.entriesOf(topics.pointers, partition).length > 0);
  const { settings, ended, warnings } = await runThrough(cluster, topics.pointers, hasPointers);
  expect(ended).toBe(undefined);
  expect(warnings).toEqual([
    expect.stringMatching(/^the topic pointers of the pointers was removed or re-created while/),
  ]);
  cluster.onIdle = () => undefined;
  cluster.append(topics.input, 0, content('k', '{"id":3}'));
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(cluster.committedFrom(topics.output, 0, 0).records).toHaveLength(10);
});

/** Starts a worker that emits all, removes the topic of its pointers, and writes more records to the input. */
async function runWithoutPointers(cluster: FakeCluster, act: () => void) {
  const settings = settingsFor({ partitions: 2 });
  const started = startWorker(cluster, { settings });
  const next = () => {
    act();
    for (const id of [3, 10]) cluster.append(topics.input, 0, content('k', JSON.stringify({ id })));
  };
  whenDone(
    cluster,
    next,
    () => isDone(cluster) && started.warnings.some((warning) => warning.includes('pointers')),
    started.stop,
  );
  const ended = await started.ended;
  cluster.onIdle = () => undefined;
  cluster.append(topics.input, 0, content('k', '{"id":5}'));
  const endedAgain = await runToEnd(cluster, { settings });
  const given = [0, 1].map((partition) => cluster.committedFrom(topics.output, partition, 0).records.length);
  return { ended, endedAgain, given, warnings: started.warnings };
}

it('makes the topic of its pointers again when it is removed, and writes all of them', async () => {
  const cluster = filled();
  const { ended, endedAgain, given, warnings } = await runWithoutPointers(cluster, () =>
    cluster.topics.delete(topics.pointers),
  );
  expect([ended, endedAgain]).toEqual([undefined, undefined]);
  expect(given).toEqual([11, 10]);
  expect(warnings.at(-1)).toMatch(/^the topic pointers of the pointers was removed or re-created while the worker/);
  expect(cluster.topics.get(topics.pointers)?.isCompacted).toBe(true);
});

it.each(['committed', 'aborted'] as const)(
  'emits each record once when its pointers are removed within a transaction that is %s, and nobody says so',
  async (outcome) => {
    const cluster = filled();
    const { ended, endedAgain, given } = await runWithoutPointers(cluster, () => {
      cluster.lostEnds.push(outcome);
      cluster.stampIn(topics.output, (timestamp) => {
        cluster.stampIn(topics.output, (same) => same);
        cluster.topics.delete(topics.pointers);
        return timestamp;
      });
    });
    expect([ended, endedAgain]).toEqual([undefined, undefined]);
    expect(given).toEqual([11, 10]);
  },
);

it('says what is true of an output that is removed', async () => {
  const cluster = filled();
  const started = startWorker(cluster, { settings: settingsFor({ partitions: 2 }) });
  const remove = () => {
    // The outcome is not known, as after a transaction that the brokers end.
    cluster.lostEnds.push('aborted');
    cluster.stampIn(topics.output, (timestamp) => {
      cluster.topics.delete(topics.output);
      return timestamp;
    });
    cluster.append(topics.input, 0, content('k', '{"id":10}'));
  };
  whenDone(cluster, remove, () => started.hasEnded, started.stop);
  await expect(started.ended).resolves.toMatchObject({
    code: 'E_KAFKA',
    message: expect.stringContaining(
      'the topic out of output was removed while the worker runs; make it again, with as many partitions as in has',
    ),
  });
});

it.each([topics.output, topics.duplicatesTo])('says that %s was made again, once, and goes on', async (topic) => {
  const { ended, warnings } = await runThrough(filled(), topic, () => performance.now() > 60_000);
  expect(ended).toBe(undefined);
  expect(warnings).toEqual([
    `the topic ${topic} was re-created while the worker runs: what was written to it before is gone; the worker goes on`,
  ]);
});

it('ends when the input that it cuts is made again', async () => {
  const cluster = filled();
  cluster.make('cut', 3);
  const keys = { place: 'value', format: 'ndjson', keys: ['id'], onError: 'fail' } as const;
  const repartitioner = new Repartitioner({
    client: new FakeClient(cluster, 'one'),
    settings: {
      ...{ group: 'group', source: topics.input, pointers: topics.pointers, topic: 'cut', partitions: 3 },
      ...{ note: { group: 'group', scheme: schemeOfCut(keys) }, keys, from: 'earliest', maxRecords: 25 },
    },
    onWarning: () => undefined,
  });
  const stop = new AbortController();
  const isLate = () => performance.now() > 60_000;
  whenDone(
    cluster,
    () => cluster.make(topics.input, 2),
    isLate,
    () => stop.abort(),
  );
  await expect(repartitioner.run(stop.signal)).rejects.toThrow('the topic in was re-created after the group began');
});

/** A client whose brokers answer when a test says so. */
function askedBy(signal: AbortSignal, answers: (() => Promise<string>)[]): Promise<RemadeTopics> {
  const client: RemadeOptions['client'] = {
    topicId: (topic) => (topic === 'pointers' ? Promise.resolve('p') : (answers.shift() as () => Promise<string>)()),
    partitionsOf: async () => 1,
    makeCompacted: async () => undefined,
  };
  return RemadeTopics.of({ client, topics: ['in'], pointers: { topic: 'pointers', partitions: 1 }, signal });
}

it('waits for brokers that do not answer, however often they are asked', async () => {
  const unanswered = () => Promise.reject(kafkaError('it fails', Object.assign(new Error('no'), { code: -185 })));
  let answer: (id: string) => void = () => undefined;
  const slow = () =>
    new Promise<string>((resolve) => {
      answer = resolve;
    });
  const remade = await askedBy(new AbortController().signal, [async () => 'a', unanswered, unanswered, slow]);
  vi.advanceTimersByTime(10_000);
  expect(await remade.look()).toEqual([]);
  vi.advanceTimersByTime(4999);
  expect(await remade.look()).toEqual([]);
  vi.advanceTimersByTime(1);
  let looked: readonly string[] | undefined;
  const looking = remade.look().then((found) => {
    looked = found;
  });
  await turn();
  expect(looked).toBe(undefined);
  answer('b');
  await looking;
  expect(looked).toEqual(['in']);
});

it('waits no more once it is asked to stop', async () => {
  const stop = new AbortController();
  const unanswered = () => {
    stop.abort();
    return Promise.reject(kafkaError('it fails', Object.assign(new Error('no'), { code: -185 })));
  };
  const remade = await askedBy(stop.signal, [async () => 'a', unanswered]);
  vi.advanceTimersByTime(10_000);
  await remade.look();
  vi.advanceTimersByTime(5000);
  expect(await remade.look()).toEqual([]);
});

it('is not ready while brokers do not answer, also without partitions', async () => {
  const cluster = filled();
  const settings = settingsFor({ partitions: 2 });
  const workers = ['one', 'two', 'three'].map((name) => startWorker(cluster, { settings, name }));
  const isReady = () => workers.every(({ worker }) => worker.phase === 'ready') && isDone(cluster);
  await until(isReady);
  const spare = workers.find(({ worker }) => worker.states.size === 0) as StartedWorker;
  const silence = new Promise<undefined>(() => undefined);
  const asked = vi.spyOn(FakeClient.prototype, 'topicId').mockReturnValue(silence);
  vi.advanceTimersByTime(10_000);
  await until(() => asked.mock.calls.length >= 3);
  vi.advanceTimersByTime(5000);
  await turn();
  await turn();
  vi.advanceTimersByTime(11_000);
  expect(spare.worker.phase).toBe('loading');
  vi.restoreAllMocks();
});
