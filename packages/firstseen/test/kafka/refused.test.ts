// Records that an output refuses, for their size or by its settings.

import { expect, it } from 'vitest';
import { RecordRefused } from '../../src/io/kafka/contract.js';
import { runTogether } from '../../src/kafka/group/halves.js';
import type { KeyOptions } from '../../src/kafka/messages/keys.js';
import { Narrowing } from '../../src/kafka/refusals/narrowing.js';
import type { ContainerNote } from '../../src/kafka/repartition/containers.js';
import { schemeOfCut } from '../../src/kafka/repartition/partitioner.js';
import { Repartitioner, type RepartitionSettings } from '../../src/kafka/repartition/repartitioner.js';
import { unpackedKeys } from '../../src/kafka/repartition/unpacking.js';
import { temporaryFolder } from '../cli/support/command.js';
import { content, FakeClient, FakeCluster } from './support/fakecluster.js';
import { expected, isDone, makeTopics, newWorker, ranToEnd, settingsFor, topics, written } from './support/workers.js';

const SOURCE = 'source';

/** A cluster of two partitions with 40 records each, of which the output refuses some. */
function refusing(isRefused: (text: string) => boolean): FakeCluster {
  const cluster = new FakeCluster();
  makeTopics(cluster, 2);
  for (let i = 0; i < 40; i++) {
    for (const partition of [0, 1])
      cluster.append(topics.input, partition, content('key', JSON.stringify({ id: i, partition }), i + 1));
  }
  cluster.refuses = (topic, { value }) => topic === topics.output && isRefused(String(value));
  return cluster;
}

const isSeventeenth = (text: string) => text === '{"id":17,"partition":1}';

function idsIn(cluster: FakeCluster, partition: number): number[] {
  return cluster.committedFrom(topics.output, partition, 0).records.map(({ value }) => JSON.parse(String(value)).id);
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

it('names the record that is refused, and emits those before it', async () => {
  const cluster = refusing(isSeventeenth);
  const { ended } = await ranToEnd(cluster, { settings: settingsFor({ partitions: 2, maxRecords: 1000 }) });
  expect(await ended).toMatchObject({
    code: 'E_KAFKA',
    message: expect.stringMatching(
      /^in, partition 1, offset 17 \(26 bytes\): a topic does not take what is written; drop the record, with onError drop$/,
    ),
  });
  expect(idsIn(cluster, 1)).toEqual(upTo(17));
});

it('drops records that are refused if it is asked to, and no others', async () => {
  const isRefused = (text: string) =>
    isSeventeenth(text) || text.startsWith('{"id":18,') || text.startsWith('{"id":39,');
  const cluster = refusing(isRefused);
  const settings = settingsFor({ partitions: 2, maxRecords: 1000, dropsRefused: true });
  const { ended, warnings, worker } = await ranToEnd(cluster, { settings });
  expect(await ended).toBe(undefined);
  expect(idsIn(cluster, 0)).toEqual(upTo(40).filter((id) => ![18, 39].includes(id)));
  expect(idsIn(cluster, 1)).toEqual(upTo(40).filter((id) => ![17, 18, 39].includes(id)));
  expect(worker.counts.records.dropped).toBe(5);
  expect(warnings).toHaveLength(5);
  expect(warnings).toContain(
    'in, partition 1, offset 17 (26 bytes): a topic does not take what is written; the record is dropped',
  );
  // A replay observes them as before.
  cluster.append(topics.input, 1, content('key', '{"id":39}'));
  const again = await ranToEnd(cluster, { settings: { ...settings, dropsRefused: false } });
  expect(await again.ended).toBe(undefined);
  expect(idsIn(cluster, 1)).toHaveLength(37);
});

it('ends where records are refused only together, after some of them, and loses none', async () => {
  const cluster = refusing(() => false);
  let open = 0;
  cluster.refuses = (topic) => {
    if (topic === topics.pointers) open = 0;
    return topic === topics.output && ++open > 5;
  };
  const settings = settingsFor({ partitions: 2, maxRecords: 1000 });
  const { ended } = await ranToEnd(cluster, { settings });
  expect(await ended).toMatchObject({ code: 'E_KAFKA', message: 'a topic does not take what is written' });
  expect(idsIn(cluster, 0)).toEqual(upTo(10));
  cluster.refuses = () => false;
  expect(await (await ranToEnd(cluster, { settings })).ended).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
});

interface Scattered {
  cluster: FakeCluster;
  /** The group of the first half. */
  cutters: FakeCluster;
  folder: string;
}

/** Runs both halves over the source to the end. @returns what they ended with */
async function repartitioned({ cluster, cutters, folder }: Scattered, onError: 'fail' | 'drop', window?: '10m') {
  const keys: KeyOptions = { place: 'value', format: 'ndjson', keys: ['id', 'partition'], onError };
  const note: ContainerNote = { group: 'group', scheme: schemeOfCut(keys) };
  const source: RepartitionSettings = {
    ...{ group: 'group-repartition', source: SOURCE, pointers: topics.pointers, topic: topics.input },
    ...{ partitions: 2, note, keys, from: 'earliest', maxRecords: 1000, stepMilliseconds: 5 },
  };
  const controller = new AbortController();
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const repartitioner = new Repartitioner({ client: new FakeClient(cutters, 'cutter'), settings: source, onWarning });
  const settings = settingsFor({
    ...{ folder, partitions: 2, maxRecords: 1000, topics: { ...topics, source: SOURCE }, unpacks: note },
    ...{
      keys: unpackedKeys(keys),
      dropsRefused: onError === 'drop',
      detector: { memory: '64KiB', keys: ['id', 'partition'], ...(window ? { window } : {}) },
    },
  });
  const worker = newWorker(cluster, { settings }, warnings);
  cluster.onIdle = () => {
    if (isDone(cutters, SOURCE) && isDone(cluster)) controller.abort();
  };
  const error = await runTogether([repartitioner, worker], controller.signal).catch((problem: unknown) => problem);
  return { error, warnings, repartitioner, worker };
}

/** A cluster whose source has two partitions with 40 records each, and a topic that refuses some. */
function scattered(topic: string, refused: readonly string[]): Scattered {
  const cluster = new FakeCluster();
  makeTopics(cluster, 2);
  cluster.make(SOURCE, 2);
  for (let i = 0; i < 40; i++) {
    for (const partition of [0, 1])
      cluster.append(SOURCE, partition, content(null, JSON.stringify({ id: i, partition }), i + 1));
  }
  const cutters = new FakeCluster(cluster);
  for (const one of [cluster, cutters]) {
    one.refuses = (written, { value }) =>
      written === topic && value !== null && refused.some((text) => Buffer.from(value).includes(text));
  }
  return { cluster, cutters, folder: temporaryFolder() };
}

/** The partitions and identifiers of the records in the output, as texts in order. */
function emittedIn(cluster: FakeCluster): string[] {
  const records = [0, 1].flatMap((partition) => cluster.committedFrom(topics.output, partition, 0).records);
  return records.map(({ value }) => String(value)).sort();
}

const textsBut = (...left: string[]) =>
  upTo(40)
    .flatMap((id) => [0, 1].map((partition) => JSON.stringify({ id, partition })))
    .filter((text) => !left.includes(text))
    .sort();
const REFUSED = ['{"id":17,"partition":1}', '{"id":39,"partition":0}'];

it.each([
  { what: 'the topic of --repartition', topic: topics.input },
  { what: 'an output', topic: topics.output },
])('drops records of the source that $what refuses if it is asked to, and no others', async ({ topic }) => {
  const halves = scattered(topic, REFUSED);
  const { error, warnings, repartitioner, worker } = await repartitioned(halves, 'drop');
  expect(error).toBe(undefined);
  expect(emittedIn(halves.cluster)).toEqual(textsBut(...REFUSED));
  expect(warnings.sort()).toEqual(
    ['0, offset 39', '1, offset 17'].map(
      (place) => `source, partition ${place} (23 bytes): a topic does not take what is written; the record is dropped`,
    ),
  );
  const { dropped } = topic === topics.input ? repartitioner.counts : worker.counts.records;
  expect(dropped).toBe(2);
});

it.each([
  { what: 'once', count: 1 },
  { what: 'again and again', count: 7 },
])('finds the records of a container that an output refuses where trials are aborted $what', async ({ count }) => {
  const halves = scattered(topics.output, REFUSED);
  const { cluster } = halves;
  const { refuses } = cluster;
  let refusals = 0;
  cluster.refuses = (...written) => {
    const isRefused = refuses(...written);
    // The first refusal is that of the whole transaction.
    if (isRefused && ++refusals === 2) cluster.abortNext(count);
    return isRefused;
  };
  const { error, worker } = await repartitioned(halves, 'drop');
  expect(error).toBe(undefined);
  expect(emittedIn(cluster)).toEqual(textsBut(...REFUSED));
  expect(worker.counts.records.dropped).toBe(2);
});

it.each([
  { what: 'the topic of --repartition', topic: topics.input },
  { what: 'an output', topic: topics.output },
])('names the record of the source that $what refuses', async ({ topic }) => {
  const halves = scattered(topic, ['{"id":17,"partition":1}']);
  const { error } = await repartitioned(halves, 'fail');
  expect(error).toMatchObject({
    code: 'E_KAFKA',
    message:
      'source, partition 1, offset 17 (23 bytes): a topic does not take what is written; drop the record, with onError drop',
  });
  for (const one of [halves.cluster, halves.cutters]) one.refuses = () => false;
  expect((await repartitioned(halves, 'fail')).error).toBe(undefined);
  expect(emittedIn(halves.cluster)).toEqual(textsBut());
});

it('ends where an output refuses records of a container only together', async () => {
  const halves = scattered(topics.output, []);
  const { cluster } = halves;
  let open = 0;
  cluster.beginFor = (id) => {
    open = 0;
    return FakeCluster.prototype.beginFor.call(cluster, id);
  };
  cluster.refuses = (topic) => topic === topics.output && ++open > 5;
  const { error } = await repartitioned(halves, 'drop');
  expect(error).toMatchObject({
    code: 'E_KAFKA',
    message: expect.stringMatching(/^source, partition \d, offset \d+ \(records of up to 23 bytes\): a topic does not/),
  });
});

it('forgets what was fetched of partitions that are given up', async () => {
  const states = new Map([0, 1].map((partition) => [partition, { position: 0 }] as const));
  const narrowing = new Narrowing({ input: 'in', states, drops: false });
  const record = (partition: number, offset: number) => ({ ...content('k', 'v'), partition, offset });
  const records = [0, 1].flatMap((partition) => [0, 1, 2].map((offset) => record(partition, offset)));
  const ends = new Map([0, 1].map((partition) => [partition, 3]));
  const member = { fetch: async () => ({ records, ends }) } as unknown as Parameters<Narrowing['fetch']>[0];
  expect((await narrowing.fetch(member, 10)).records).toHaveLength(6);
  const refuse = () => Promise.reject(new RecordRefused('E_KAFKA', 'no'));
  const held = {
    states: new Map(),
    isOpen: true,
    open: async () => undefined,
    close: () => undefined,
    keep: async () => false,
  };
  const write = {
    held,
    counts: { aborted: 0 },
    onWarning: () => undefined,
    write: refuse,
    records: records.slice(0, 4),
  };
  expect(await narrowing.write(member, write)).toBe(false);
  expect(await narrowing.fetch(member, 10)).toEqual({ records: records.slice(0, 2), ends: new Map() });
  narrowing.forget([0]);
  expect(await narrowing.fetch(member, 10)).toEqual({ records: records.slice(3, 5), ends: new Map() });
  expect(await narrowing.fetch(member, 10)).toEqual({ records: records.slice(5), ends: new Map([[1, 3]]) });
});

it('names the place of an early record in the input, with --repartition', async () => {
  const one = scattered(topics.output, []);
  // In the year 2096.
  one.cluster.append(SOURCE, 1, content(null, JSON.stringify({ id: 40, partition: 1 }), 4e12));
  const { error, warnings } = await repartitioned(one, 'fail', '10m');
  expect(error).toBe(undefined);
  expect(warnings.join()).toContain(`the record at ${SOURCE}, partition 1, offset 40 has the time 2096-`);
});
