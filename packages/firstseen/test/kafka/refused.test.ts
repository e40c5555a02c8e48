// Records that an output refuses, for their size or by its settings.

import { expect, it } from 'vitest';
import { RecordRefused } from '../../src/io/kafka/contract.js';
import { Narrowing } from '../../src/kafka/partition/narrowing.js';
import { content, FakeCluster } from './support/fakecluster.js';
import { expected, makeTopics, ranToEnd, settingsFor, topics, written } from './support/workers.js';

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

it('forgets what was fetched of partitions that are given up', async () => {
  const states = new Map([0, 1].map((partition) => [partition, { position: 0 }] as const));
  const narrowing = new Narrowing({ input: 'in', states, drops: false, isContainer: false });
  const record = (partition: number, offset: number) => ({ ...content('k', 'v'), partition, offset });
  const records = [0, 1].flatMap((partition) => [0, 1, 2].map((offset) => record(partition, offset)));
  const ends = new Map([0, 1].map((partition) => [partition, 3]));
  const member = { fetch: async () => ({ records, ends }) } as unknown as Parameters<Narrowing['fetch']>[0];
  expect((await narrowing.fetch(member, 10)).records).toHaveLength(6);
  narrowing.refuse(new RecordRefused('E_KAFKA', 'no'), records.slice(0, 4));
  expect(await narrowing.fetch(member, 10)).toEqual({ records: records.slice(0, 2), ends: new Map() });
  narrowing.forget([0]);
  expect(await narrowing.fetch(member, 10)).toEqual({ records: records.slice(3, 5), ends: new Map() });
  expect(await narrowing.fetch(member, 10)).toEqual({ records: records.slice(5), ends: new Map([[1, 3]]) });
});
