// When snapshots are taken: by the records since the newest one, and by its age.

import { afterEach, expect, it, vi } from 'vitest';
import type { PartitionState } from '../../src/kafka/partition/partition.js';
import { Snapshotting } from '../../src/kafka/partition/snapshotting.js';
import { decodePointer, type PointedSnapshot } from '../../src/kafka/pointers/pointer.js';
import { content, FakeCluster } from './support/fakecluster.js';
import { expected, makeTopics, ranToEnd, runToEnd, settingsFor, topics, written } from './support/workers.js';

const HOUR_MILLISECONDS = 3_600_000;

const { now } = Date;
let aheadMilliseconds = 0;
afterEach(() => {
  vi.restoreAllMocks();
  aheadMilliseconds = 0;
});

/** Has the clock go on by a time. */
function later(milliseconds: number): void {
  aheadMilliseconds += milliseconds;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMilliseconds);
}

function append(cluster: FakeCluster, partition: number, records: number): void {
  for (let i = 0; i < records; i++) {
    cluster.append(topics.input, partition, content(null, JSON.stringify({ id: (i * 7) % 31 })));
  }
}

function newestSnapshot(cluster: FakeCluster, partition: number): PointedSnapshot | undefined {
  const value = cluster.committedFrom(topics.pointers, partition, 0).records.at(-1)?.value;
  return value ? decodePointer(value, 'here').snapshots[0] : undefined;
}

it('takes a snapshot of a partition that gets no more records, before the retention removes them', async () => {
  const [cluster, all] = [new FakeCluster(), new FakeCluster()];
  for (const one of [cluster, all]) {
    makeTopics(one, 2);
    append(one, 0, 20);
    append(one, 1, 20);
  }
  const settings = settingsFor({ partitions: 2, snapshotEvery: 100 });
  const offsets = () => [0, 1].map((partition) => newestSnapshot(cluster, partition)?.offset);
  const first = await ranToEnd(cluster, { settings });
  expect([await first.ended, first.worker.counts.snapshots, offsets()]).toEqual([undefined, 0, [0, 0]]);
  later(HOUR_MILLISECONDS);
  let idle = 0;
  const isSaved = () => offsets().every((offset) => offset === 20) || ++idle > 5000;
  const second = await ranToEnd(cluster, { settings }, isSaved);
  expect([await second.ended, second.worker.counts.snapshots, offsets()]).toEqual([undefined, 2, [20, 20]]);
  // The snapshots of the beginning are named too, and are not needed.
  for (const partition of [0, 1]) cluster.removeBefore(topics.input, partition, 20);
  for (const one of [cluster, all]) append(one, 1, 30);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(all, settings));
});

/** A partition, as far as it decides which snapshot is taken. */
function state(partition: number, behind: number, ageHours = 0): PartitionState {
  const snapshotAgeMilliseconds = ageHours * HOUR_MILLISECONDS;
  const observed = { observed: 0, duplicates: 0 };
  const clock = { hasManyNotes: false };
  return { partition, behind, snapshotAgeMilliseconds, replayLeft: 0, observed, clock } as unknown as PartitionState;
}

/** The partitions of which snapshots are taken in turns, each with one try at least 10 s after a failure. */
async function order(states: readonly PartitionState[], turns: number, fails: readonly number[]): Promise<number[]> {
  const taken: number[] = [];
  const snapshotting = new Snapshotting({
    settings: settingsFor(),
    take: async ({ partition, to: offset }) => {
      taken.push(partition);
      if (fails.includes(partition)) throw new Error('it fails');
      return { file: 'a', offset, writtenMilliseconds: 0, observed: 0, duplicates: 0 };
    },
    onTaken: (one) => Object.assign(one, { behind: 0 }),
    onFailure: () => later(10_000),
  });
  for (let i = 0; i < turns; i++) {
    snapshotting.takeDue(states);
    await vi.waitFor(() => expect(taken).toHaveLength(i + 1));
    await Promise.resolve();
  }
  return taken;
}

it('takes those that are due by their age before those with the longest replay', async () => {
  expect(await order([state(0, 100), state(1, 3000), state(2, 1, 2), state(3, 50, 3)], 4, [])).toEqual([3, 2, 1, 0]);
});

it('does not let a partition whose snapshots always fail keep others from theirs', async () => {
  const states = [state(0, 100), state(1, 3000), state(2, 1, 2)];
  expect(await order(states, 5, [1, 2])).toEqual([2, 1, 0, 2, 1]);
});

/** How many snapshots are tried in 50 steps, if all fail. */
async function tries(states: readonly PartitionState[]): Promise<number> {
  let count = 0;
  const snapshotting = new Snapshotting({
    settings: settingsFor(),
    take: async () => {
      count++;
      throw new Error('no broker answers');
    },
    onTaken: () => undefined,
    onFailure: () => undefined,
  });
  for (let i = 0; i < 50; i++) {
    snapshotting.takeDue(states);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return count;
}

it('waits after a failure, also when a snapshot is due by its age', async () => {
  expect(await tries([state(0, 1, 2), state(1, 1, 3)])).toBe(1);
});

it('takes no snapshot where nothing came since the newest one, however old it is, or within an hour', async () => {
  expect(await tries([state(0, 0, 9), state(1, 39, 0.9)])).toBe(0);
});

it('takes snapshots with the priority of the worker once many records wait for one, and for ten minutes after', async () => {
  const urgencies: boolean[] = [];
  let milliseconds = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => milliseconds);
  const snapshotting = new Snapshotting({
    settings: settingsFor({ snapshotEvery: 40 }),
    take: async ({ isUrgent, to: offset }) => {
      urgencies.push(isUrgent);
      return { file: 'a', offset, writtenMilliseconds: 0, observed: 0, duplicates: 0 };
    },
    onTaken: () => undefined,
    onFailure: () => undefined,
  });
  const take = async (behind: number) => {
    snapshotting.takeDue([state(0, behind)]);
    await new Promise((resolve) => setImmediate(resolve));
  };
  await take(60);
  await take(61);
  milliseconds = 599_999;
  await take(40);
  milliseconds = 600_000;
  await take(40);
  expect(urgencies).toEqual([false, true, true, false]);
});
