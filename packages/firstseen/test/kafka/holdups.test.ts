// What a worker says that does not move.

import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import type { KafkaClient } from '../../src/io/kafka/contract.js';
import { kafkaError } from '../../src/io/kafka/errors.js';
import { Holdups, type Reason } from '../../src/kafka/watch/holdups.js';
import { watching } from '../../src/kafka/watch/watching.js';
import { content, FakeClient, FakeCluster } from './support/fakecluster.js';
import { makeTopics, topics } from './support/workers.js';

/** A promise that the test resolves. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A member of a group of a cluster in memory, with a clock that the test moves. */
async function joined(half?: string) {
  const cluster = new FakeCluster();
  makeTopics(cluster, 2);
  const client = new FakeClient(cluster, 'one');
  const clock = { now: 1000 };
  const told: string[] = [];
  const holdups = new Holdups({
    ...{ half, topic: topics.input, client, now: () => clock.now },
    onWarning: (message) => told.push(message),
  });
  const watched = watching(client, holdups);
  const member = await watched.join(topics.input);
  /** What is told after some seconds. @param signal as of `check` */
  const after = async (seconds: number, signal?: AbortSignal): Promise<Reason | undefined> => {
    clock.now += 1000 * seconds;
    await holdups.check(signal);
    return holdups.current?.reason;
  };
  return { cluster, client, watched, member, holdups, told, after };
}

/** As `joined`, reading from the begin. */
async function reading() {
  const all = await joined();
  all.member.changes();
  all.member.start(new Map([0, 1].map((partition) => [partition, 0])));
  return all;
}

it('says that a transaction in the input is open, and when it has ended no more', async () => {
  const { cluster, member, told, holdups, after } = await reading();
  const open = cluster.beginFor('other');
  const entries = cluster.entriesOf(topics.input, 1);
  entries.push({ record: content(null, 'a'), transaction: open }, { record: content(null, 'b') });
  open.touched.add(entries);
  await member.fetch(10);
  expect(await after(29)).toBe(undefined);
  await member.fetch(10);
  // A worker makes one call or another all the time.
  const { promise, resolve: end } = deferred();
  const call = holdups.during('output', 'a transaction is committed', () => promise);
  expect(await after(1)).toBe(undefined);
  await member.fetch(10);
  expect(await after(1)).toBe('input');
  await member.fetch(10);
  expect(await after(10)).toBe('input');
  end();
  await call;
  expect(told).toEqual([
    'the worker has made no progress for 31 s, because of the input: 2 offsets of partition 1 of in from 0 on wait for a transaction that its producer has not ended',
  ]);
  expect(holdups.current?.milliseconds).toBe(41_000);
  cluster.end(open, 'committed');
  expect((await member.fetch(10)).records).toHaveLength(2);
  // The next check is seconds away.
  expect(holdups.current).toBe(undefined);
  expect(await after(1)).toBe(undefined);
});

it('listens to the signal for no longer than it waits for an answer', async () => {
  const { member, after } = await reading();
  const { signal } = new AbortController();
  await member.fetch(10);
  await after(60);
  await member.fetch(10);
  await after(0, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('says nothing of a worker that has read all', async () => {
  const { member, told, after } = await reading();
  for (let i = 0; i < 10; i++) {
    await member.fetch(10);
    expect(await after(20)).toBe(undefined);
  }
  expect(told).toEqual([]);
});

it('says that brokers send nothing of a partition, unless it pauses', async () => {
  const clock = { now: 0 };
  const told: string[] = [];
  const mute = {
    ...{ changes: () => [{ kind: 'assigned', partitions: [0, 1] }], start: () => undefined, pause: () => undefined },
    fetch: () => Promise.resolve({ records: [], ends: new Map([[1, 0]]) }),
  };
  const client = {
    join: () => Promise.resolve(mute),
    bounds: () => Promise.resolve({ low: 0, high: 0 }),
  } as unknown as KafkaClient;
  const onWarning = (message: string) => told.push(message);
  const holdups = new Holdups({ topic: 'in', client, now: () => clock.now, onWarning });
  const member = await watching(client, holdups).join('in');
  member.changes();
  member.start(new Map([0, 1].map((partition) => [partition, 0])));
  const check = async () => {
    clock.now += 20_000;
    await member.fetch(10);
    await holdups.check();
    return holdups.current?.reason;
  };
  member.pause(new Set([0]));
  expect([await check(), await check(), await check()]).toEqual([undefined, undefined, undefined]);
  member.pause(new Set());
  expect([await check(), await check()]).toEqual([undefined, 'brokers']);
  expect(told.join()).toMatch(
    /^the worker has made no progress for 40 s, because of the brokers: .* nothing of partition 0 of in, not even/,
  );
});

it('says that brokers do not say where a partition ends, until they do', async () => {
  const { client, member, told, holdups, after } = await reading();
  await member.fetch(10);
  const { promise: silence, resolve: answer } = deferred();
  const bounds = vi.spyOn(client, 'bounds').mockImplementation(() => silence.then(() => ({ low: 0, high: 0 })));
  /** As `after`, of a worker that goes on to fetch, without the wait for the answer. */
  const silentFor = async (seconds: number) => {
    await member.fetch(10);
    return after(seconds, AbortSignal.abort());
  };
  expect(await silentFor(25)).toBe(undefined);
  expect(bounds).not.toHaveBeenCalled();
  expect(await silentFor(10)).toBe('brokers');
  expect(await silentFor(10)).toBe('brokers');
  expect(holdups.current?.milliseconds).toBe(45_000);
  // Each question takes a thread.
  expect(bounds).toHaveBeenCalledTimes(1);
  expect(told).toEqual([
    'the worker has made no progress for 35 s, because of the brokers: the brokers do not say where partition 0 of in ends',
  ]);
  answer();
  await silence;
  await member.fetch(10);
  expect(await after(10)).toBe(undefined);
  bounds.mockRejectedValue(new Error('refused'));
  expect([await silentFor(20), await silentFor(20)]).toEqual([undefined, 'brokers']);
});

it('says that transactions are aborted again and again, until one is committed or the group changes', async () => {
  const { cluster, member, told, after } = await reading();
  await member.fetch(10);
  cluster.abortNext(Number.POSITIVE_INFINITY);
  const transact = async () => {
    await member.begin();
    return member.commit(new Map([[0, 1]])).catch(({ name }: Error) => name);
  };
  /** The reason after each of four transactions, with ten seconds in between. */
  const four = async () => {
    const found: (Reason | undefined)[] = [];
    for (let i = 0; i < 4; i++) {
      expect(await transact()).toBe('TransactionAborted');
      found.push(await after(10));
    }
    return found;
  };
  expect(await four()).toEqual([undefined, undefined, 'output', 'output']);
  expect(told).toEqual([
    'the worker has made no progress for 30 s, because of the output: transactions are aborted: the generation is not the latest',
  ]);
  cluster.abortNext(0);
  expect(await transact()).toBe(undefined);
  expect(await after(1)).toBe(undefined);
  cluster.abortNext(Number.POSITIVE_INFINITY);
  expect(await four()).toEqual([undefined, undefined, 'output', 'output']);
  cluster.join('two', topics.input);
  member.changes();
  expect(await after(1)).toBe(undefined);
  expect(await four()).toEqual([undefined, undefined, 'output', 'output']);
  // Nothing is left to write.
  await member.fetch(10);
  expect(await after(25)).not.toBe('output');
});

it('says that the group gives it no partitions', async () => {
  const { member, told, after } = await joined();
  await member.committed([0]);
  expect(await after(29)).toBe(undefined);
  await member.committed([0]);
  expect(await after(2)).toBe('group');
  expect(told[0]).toMatch(/because of the group: the group assigns no partitions to it/);
  member.changes();
  expect(await after(1)).toBe(undefined);
});

it('says that brokers do not answer a member that has lost its partitions', async () => {
  const { client, member, told, after } = await joined();
  vi.spyOn(client, 'bounds').mockImplementation(() => new Promise(() => undefined));
  expect(await after(29)).toBe(undefined);
  await member.fetch(10);
  expect(await after(2, AbortSignal.abort())).toBe('brokers');
  expect(told).toEqual([
    'the worker has made no progress for 31 s, because of the brokers: the brokers do not say where partition 0 of in ends',
  ]);
});

it('says which call does not return, and that none is made', async () => {
  const { holdups, after } = await joined();
  for (const [reason, doing] of [
    ['output', 'a transaction is committed'],
    ['brokers', 'the topic is looked up'],
    ['group', 'it joins its group'],
  ] as const) {
    const { promise, resolve: end } = deferred();
    const call = holdups.during(reason, doing, () => promise);
    expect(await after(31)).toBe(reason);
    end();
    await call;
    expect(holdups.current).toBe(undefined);
    expect(await after(1)).not.toBe(reason === 'group' ? 'output' : reason);
  }
  expect(await after(31)).toBe('disk');
});

it('blames brokers that answer nothing at all, whatever a worker does meanwhile, and names its half', async () => {
  const { client, holdups, told, after } = await joined('the first half');
  const { promise, resolve: end } = deferred();
  const call = holdups.during('output', 'a transaction is committed', () => promise);
  vi.spyOn(client, 'bounds').mockRejectedValueOnce(new Error('no answer'));
  expect(await after(31)).toBe('brokers');
  expect(await after(1)).toBe('output');
  end();
  await call;
  expect(told.map((text) => text.replace('has made no progress for ', ''))).toEqual([
    'the first half 31 s, because of the brokers: they do not answer, while a transaction is committed',
    'the first half 32 s, because of the output: a transaction is committed',
  ]);
});

it('counts from the first of the requests that nobody has answered, and tells it once', async () => {
  const { client, watched, holdups, told, after } = await joined();
  const unanswered = kafkaError('it fails', Object.assign(new Error('no answer'), { code: -185 }));
  const topicId = vi.spyOn(client, 'topicId');
  for (let request = 0; request < 4; request++) {
    const { promise: silence, resolve: fail } = deferred();
    topicId.mockImplementationOnce(() => silence.then(() => Promise.reject(unanswered)));
    const asked = watched.topicId('in').catch(() => undefined);
    expect(await after(20)).toBe(request === 0 ? undefined : 'brokers');
    fail();
    await asked;
  }
  expect(told).toEqual(['the worker has made no progress for 40 s, because of the brokers: the topic in is looked up']);
  await watched.topicId('in');
  expect(holdups.current).toBe(undefined);
});
