// What must hold of pointers and positions, when it is broken: the worker ends, and nothing is committed.

import { expect, it } from 'vitest';
import type { GroupMember, KafkaRecord } from '../../src/io/kafka/contract.js';
import type { Observing } from '../../src/kafka/observing/observing.js';
import type { WindowClock } from '../../src/kafka/observing/windowclock.js';
import { PartitionState } from '../../src/kafka/partition/partition.js';
import { sendPointers } from '../../src/kafka/pointers/pointers.js';
import { content, FakeCluster } from './support/fakecluster.js';
import { makeTopics, runToEnd, settingsFor, startWorker, topics, until, written } from './support/workers.js';

const of = { group: 'g', topic: 'p', partitions: 2 };
const snapshotAt = (offset: number) => ({ file: `at-${offset}`, offset, writtenMilliseconds: 1 });

it.each([
  [
    'the position of a pointer never falls, but partition is 1, position is 8, committedPosition is 9;',
    { pointer: { input: 'in', partition: 1, position: 8 }, committedPosition: 9 },
  ],
  [
    'a pointer names no snapshot after its position, but partition is 1, offset is 11, position is 10;',
    {
      pointer: { input: 'in', partition: 1, position: 10, snapshots: [snapshotAt(11), snapshotAt(5)] },
      committedPosition: 9,
    },
  ],
])('%s', async (message, broken) => {
  const sent: unknown[] = [];
  const member = { send: (...record: unknown[]) => sent.push(record) && undefined } as unknown as GroupMember;
  const whole = { pointer: { input: 'in', partition: 0, position: 9 }, committedPosition: 9 };
  await expect(sendPointers(member, of, [whole, broken])).rejects.toMatchObject({
    code: 'E_INVARIANT',
    message: expect.stringContaining(message),
  });
  expect(sent).toEqual([]);
  await sendPointers(member, of, [whole]);
  expect(sent.length).toBe(1);
});

it('observes nothing of records that were read before, or come in another order', () => {
  const observed: number[] = [];
  const detector = { observed: 0, duplicates: 0, settings: { parameters: { values: {} } } };
  const clock = { endReplay: () => undefined, settle: () => false, look: () => undefined } as unknown as WindowClock;
  const take = (records: readonly KafkaRecord[]) => {
    observed.push(...records.map(({ offset }) => offset));
    return { records: [], outcomes: [], sizes: [], taken: 0 };
  };
  const state = new PartitionState({
    ...{ partition: 4, inputId: undefined, detectorId: '0'.repeat(16), clock },
    ...{ observing: { detector, take } as unknown as Observing, superseded: [], position: 3, isNew: false },
    ...{ snapshots: [snapshotAt(3)], replayed: undefined, given: undefined, outputId: undefined },
  });
  const recordAt = (offset: number): KafkaRecord => ({
    ...{ partition: 4, offset, key: null, value: null, timestamp: 1, headers: undefined },
  });
  for (const [first, last] of [
    [2, 4],
    [5, 3],
  ] as const) {
    expect(() => state.take([recordAt(first), recordAt(last)])).toThrow(
      expect.objectContaining({
        code: 'E_INVARIANT',
        message: expect.stringContaining(
          `no record of a partition is read twice, but partition is 4, next is 3, first is ${first}, last is ${last};`,
        ),
      }),
    );
  }
  expect([observed, state.position, state.next]).toEqual([[], 3, 3]);
  expect(state.pointer).toBeTypeOf('function');
});

it('ends a worker whose brokers give records again, and commits none of them', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  const settings = settingsFor();
  const fill = (from: number, to: number) => {
    for (let i = from; i < to; i++) cluster.append(topics.input, 0, content(null, JSON.stringify({ id: i }), i));
  };
  fill(0, 10);
  const started = startWorker(cluster, { settings });
  await until(() => cluster.offsets.get(0) === 10);
  const before = written(cluster, settings);
  const read = cluster.committedFrom.bind(cluster);
  cluster.committedFrom = (topic, partition, from, most) =>
    read(topic, partition, topic === topics.input && partition === 0 ? Math.min(from, 9) : from, most);
  fill(10, 12);
  expect(await started.ended).toMatchObject({ code: 'E_INVARIANT' });
  cluster.committedFrom = read;
  expect([written(cluster, settings), cluster.offsets.get(0)]).toEqual([before, 10]);
  // Nothing is lost or repeated by the next one.
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)[0]?.map((records) => records.length)).toEqual([12, 0]);
});
