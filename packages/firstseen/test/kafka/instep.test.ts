// Partitions of a backlog are read in step by the times of their records.

import { afterAll, expect, it } from 'vitest';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import type { KeyOptions } from '../../src/kafka/messages/keys.js';
import { type ContainerNote, decodeContainer } from '../../src/kafka/repartition/containers.js';
import { InStep, stepOf } from '../../src/kafka/repartition/instep.js';
import { schemeOfCut } from '../../src/kafka/repartition/partitioner.js';
import { Repartitioner, type RepartitionSettings } from '../../src/kafka/repartition/repartitioner.js';
import { unpackedKeys } from '../../src/kafka/repartition/unpacking.js';
import { settingsWithKeys } from '../../src/plan/keys.js';
import { temporaryFolder } from '../cli/support/command.js';
import { content, FakeClient, FakeCluster } from './support/fakecluster.js';
import { choices, isDone, makeTopics, runToEnd, settingsFor, topics } from './support/workers.js';

const SOURCE = 'source';
const PARTITIONS = 3;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEP = HOUR / 10;
const inStep = { stepMilliseconds: STEP };
const BEGIN = Date.UTC(2026, 0, 1);
const keys: KeyOptions = { place: 'value', format: 'ndjson', keys: ['id'], onError: 'fail' };
const note: ContainerNote = { group: 'group', scheme: schemeOfCut(keys) };

function backlog(): FakeCluster {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  cluster.make(SOURCE, PARTITIONS);
  return cluster;
}

const at = (id: number | string, milliseconds: number) => content(null, JSON.stringify({ id }), milliseconds);

/** Cuts all records of the source. @returns the records of each partition of the topic */
async function cut(
  cluster: FakeCluster,
  { stepMilliseconds }: Pick<RepartitionSettings, 'stepMilliseconds'> = inStep,
): Promise<KafkaRecord[][]> {
  const cutters = new FakeCluster(cluster);
  const controller = new AbortController();
  const repartitioner = new Repartitioner({
    client: new FakeClient(cutters, 'one-cutter'),
    settings: {
      ...{ group: 'group-repartition', source: SOURCE, pointers: topics.pointers, topic: topics.input },
      ...{ partitions: 3, note, keys, from: 'earliest', maxRecords: 500, stepMilliseconds },
    },
    onWarning: () => undefined,
  });
  cutters.onIdle = () => {
    if (isDone(cutters, SOURCE)) controller.abort();
  };
  await repartitioner.run(controller.signal);
  return Array.from({ length: 3 }, (_, partition) =>
    cluster.committedFrom(topics.input, partition, 0).records.flatMap((message) => decodeContainer(message, note)),
  );
}

/** How far records are behind those before them at most. */
function maxBehind(records: readonly KafkaRecord[]): number {
  let [latest, behind] = [0, 0];
  for (const { timestamp } of records) {
    latest = Math.max(latest, timestamp);
    behind = Math.max(behind, latest - timestamp);
  }
  return behind;
}

/** Keys in the order of their times, each of them again in another partition 20 minutes later. */
function fillHours(cluster: FakeCluster, hours: number): number {
  const choose = choices(7);
  const list: { id: number; partition: number; time: number }[] = [];
  const count = hours * 60;
  for (let id = 0; id < count; id++) {
    const [partition, time] = [choose(PARTITIONS), BEGIN + id * MINUTE + choose(MINUTE)];
    list.push({ id, partition, time });
    list.push({ id, partition: (partition + 1) % PARTITIONS, time: time + 20 * MINUTE });
  }
  for (const { id, partition, time } of list.sort((one, other) => one.time - other.time))
    cluster.append(SOURCE, partition, at(id, time));
  return count;
}

/** The first occurrences that a worker finds in what was cut, with a window of an hour. */
async function countFirsts(cluster: FakeCluster): Promise<number> {
  const settings = settingsFor({
    folder: temporaryFolder(afterAll),
    ...{ unpacks: note, keys: unpackedKeys(keys), asked: { window: '1h' }, snapshotEvery: 5000, maxRecords: 500 },
    detector: { algorithm: 'exactwindow', window: '1h', memory: '256KiB', keys: ['id'] },
  });
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  const firsts = [0, 1, 2].flatMap((partition) => cluster.committedFrom(topics.output, partition, 0).records);
  return firsts.length;
}

it('lets no repeat pass that is in the window, over a backlog of 40 windows', async () => {
  const cluster = backlog();
  const count = fillHours(cluster, 40);
  const records = await cut(cluster);
  expect(records.flat()).toHaveLength(2 * count);
  expect(Math.max(...records.map(maxBehind))).toBeLessThanOrEqual(STEP);
  expect(await countFirsts(cluster)).toBe(count);
});

it('reads partitions as they come for a window that is no time, so one in time would let repeats pass', async () => {
  const cluster = backlog();
  const count = fillHours(cluster, 40);
  const records = await cut(cluster, { stepMilliseconds: undefined });
  expect(records.flat()).toHaveLength(2 * count);
  expect(Math.max(...records.map(maxBehind))).toBeGreaterThan(10 * HOUR);
  expect(await countFirsts(cluster)).toBeGreaterThan(1.1 * count);
});

it.each([
  ['1h', STEP],
  ['2s', 1000],
  [1000, undefined],
])('lets the partitions be apart by a tenth of a window, which is %s', async (window, step) => {
  const { parameters } = await settingsWithKeys({ window, memory: '64KiB', clock: 'manual' });
  expect(stepOf(parameters)).toBe(step);
});

it('waits for no partition that is empty, or at its end', async () => {
  const cluster = backlog();
  for (let i = 0; i < 1500; i++) cluster.append(SOURCE, 1, at(i, BEGIN + i * MINUTE));
  cluster.append(SOURCE, 2, at('early', BEGIN - 100 * HOUR));
  cluster.appendBy(SOURCE, 2, [at('aborted', BEGIN)], 'aborted');
  expect((await cut(cluster)).flat()).toHaveLength(1501);
});

it('is not held back, or led on, by records with wrong times', async () => {
  const cluster = backlog();
  for (let i = 0; i < 2000; i++) {
    const partition = i % PARTITIONS;
    if (i === 600) cluster.append(SOURCE, partition, at('ahead', Date.now() + 1000 * HOUR));
    if (i === 900) cluster.append(SOURCE, partition, at('behind', 1));
    if (i === 1200) cluster.append(SOURCE, partition, at('without', -1));
    cluster.append(SOURCE, partition, at(i, BEGIN + i * MINUTE));
  }
  const records = await cut(cluster);
  expect(records.flat()).toHaveLength(2003);
  const right = records.map((list) => list.filter(({ value }) => typeof JSON.parse(String(value)).id === 'number'));
  expect(Math.max(...right.map(maxBehind))).toBeLessThanOrEqual(STEP + NEIGHBOURS_MILLISECONDS);
});

/** A record is judged by those after it, which are some minutes later here. */
const NEIGHBOURS_MILLISECONDS = 3 * PARTITIONS * MINUTE;

it('pauses what is ahead, and holds a bounded number of records back', () => {
  const paces = new InStep({ stepMilliseconds: STEP, maxRecords: 1000 });
  for (const partition of [0, 1]) paces.open(partition, 0);
  const record = (partition: number, offset: number, time: number): KafkaRecord => ({
    ...{ partition, offset },
    ...at(offset, time),
  });
  const ahead = Array.from({ length: 1000 }, (_, i) => record(0, i, BEGIN + i * MINUTE));
  expect(paces.most).toBe(1000);
  paces.add({ records: ahead, ends: new Map() });
  expect([...paces.runs()]).toEqual([]);
  expect([...paces.pause()]).toEqual([0]);
  expect(paces.most).toBe(1000);
  paces.add({ records: [record(1, 0, BEGIN + 10 * MINUTE)], ends: new Map() });
  const given = [...paces.runs()].map(({ partition, records }) => [partition, records.length]);
  expect(given).toEqual([
    [0, 7],
    [0, 7],
    [1, 1],
    [0, 3],
  ]);
  expect(paces.holds(0)).toBe(true);
  expect([...paces.pause()]).toEqual([0]);
  // It goes on when it holds a quarter of its share.
  paces.add({ records: [record(1, 1, BEGIN + 735 * MINUTE)], ends: new Map() });
  expect([...paces.runs()].flatMap(({ records }) => records).length).toBeGreaterThan(700);
  expect([...paces.pause()]).toEqual([0]);
  paces.add({ records: [record(1, 2, BEGIN + 755 * MINUTE)], ends: new Map() });
  expect([...paces.runs()].flatMap(({ records }) => records)).toHaveLength(21);
  expect(paces.pause().size).toBe(0);
  // The other one is at its end now.
  paces.add({ records: [], ends: new Map([[1, 3]]) });
  expect([...paces.runs()].flatMap(({ records }) => records)).toHaveLength(238);
  expect(paces.pause().size).toBe(0);
});

it('pauses all that hold records back when these are large', () => {
  const paces = new InStep({ stepMilliseconds: STEP, maxRecords: 1000 });
  for (const partition of [0, 1]) paces.open(partition, 0);
  const value = new Uint8Array(2 ** 24);
  const records = [0, 1].map((offset) => ({ ...at(offset, BEGIN + offset * HOUR), value, partition: 0, offset }));
  paces.add({ records, ends: new Map() });
  expect([...paces.runs()]).toEqual([]);
  expect([...paces.pause()]).toEqual([0]);
  expect(paces.most).toBe(1);
});
