// Where a group begins whose workers open their partitions at different times, and what its other workers may ask for.

import { expect, it } from 'vitest';
import type { KeyOptions } from '../../src/kafka/messages/keys.js';
import { schemeOfCut } from '../../src/kafka/repartition/partitioner.js';
import { Repartitioner, type RepartitionSettings } from '../../src/kafka/repartition/repartitioner.js';
import { content, FakeClient, FakeCluster } from './support/fakecluster.js';
import { makeTopics, runToEnd, settingsFor, startWorker, topics } from './support/workers.js';

const [HELD, OWN] = [0, 1];
const keys: KeyOptions = { place: 'value', format: 'ndjson', keys: ['id'], onError: 'fail' };

function append(cluster: FakeCluster, topic: string, from: number, to: number, partitions = [HELD, OWN]): void {
  for (let id = from; id < to; id++) {
    for (const partition of partitions) cluster.append(topic, partition, content(null, JSON.stringify({ id })));
  }
}

/** The identifiers in a partition of the output. */
function given(cluster: FakeCluster, partition: number): number[] {
  const { records } = cluster.committedFrom(topics.output, partition, 0);
  return records.map(({ value }) => JSON.parse(String(value)).id);
}

/** Has another member keep one of two partitions, and a worker get the other one. */
function withHeld(cluster: FakeCluster, topic: string): { gaveUp(): void; leave(): void } {
  const other = cluster.join('other', topic);
  return { gaveUp: () => cluster.givenUp(other, [OWN]), leave: () => cluster.leave(other) };
}

/** Waits until members find nothing to read. */
function idle(cluster: FakeCluster, until: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    cluster.onIdle = () => {
      if (until()) resolve();
    };
  });
}

it('begins at the ends of its first start, also in partitions that are opened later', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 2);
  append(cluster, topics.input, 0, 5);
  const settings = settingsFor({ partitions: 2, from: 'latest' });
  const held = withHeld(cluster, topics.input);
  const first = startWorker(cluster, { settings });
  await idle(cluster, () => {
    held.gaveUp();
    return first.worker.phase === 'ready' && cluster.offsets.has(OWN);
  });
  append(cluster, topics.input, 5, 8);
  await idle(cluster, () => given(cluster, OWN).length === 3);
  first.stop();
  expect(await first.ended).toBe(undefined);
  held.leave();
  // The group has begun, whatever is asked for now.
  expect(await runToEnd(cluster, { settings: { ...settings, from: 'earliest' }, name: 'two' })).toBe(undefined);
  expect([given(cluster, HELD), given(cluster, OWN)]).toEqual([
    [5, 6, 7],
    [5, 6, 7],
  ]);
});

it('begins so in the first half of a worker that repartitions, and with the first records of partitions that are added', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  cluster.make('source', 2);
  append(cluster, 'source', 0, 5);
  const settings: RepartitionSettings = {
    ...{ group: 'group-repartition', source: 'source', pointers: topics.pointers, topic: topics.input, partitions: 1 },
    ...{ note: { group: 'group', scheme: schemeOfCut(keys) }, keys, from: 'latest', maxRecords: 25 },
  };
  const held = withHeld(cluster, 'source');
  const run = async (name: string, until: (repartitioner: Repartitioner) => boolean) => {
    const controller = new AbortController();
    const options = { client: new FakeClient(cluster, name), settings, onWarning: () => undefined };
    const repartitioner = new Repartitioner(options);
    cluster.onIdle = () => {
      if (until(repartitioner)) controller.abort();
    };
    await repartitioner.run(controller.signal);
    return repartitioner.counts.records;
  };
  const first = await run('one', ({ isReady }) => {
    held.gaveUp();
    return isReady && cluster.offsets.has(OWN);
  });
  append(cluster, 'source', 5, 8);
  held.leave();
  const isRead = (partition: number, offset: number) => cluster.offsets.get(partition) === offset;
  const second = await run('two', () => isRead(HELD, 8) && isRead(OWN, 8));
  expect([first, second]).toEqual([0, 6]);
  cluster.topics.get('source')?.partitions.push([]);
  cluster.topics.get('source')?.low.push(0);
  append(cluster, 'source', 8, 12, [2]);
  expect(await run('three', () => isRead(2, 4))).toBe(4);
});

it('keeps where it began when its options change before the first record', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  append(cluster, topics.input, 0, 5, [0]);
  const settings = settingsFor({ partitions: 1, from: 'latest' });
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  append(cluster, topics.input, 5, 8, [0]);
  const changed = { ...settings, detector: { ...settings.detector, window: 30 }, asked: { window: 30 } };
  expect(await runToEnd(cluster, { settings: changed })).toBe(undefined);
  expect(given(cluster, 0)).toEqual([5, 6, 7]);
});

it('refuses other options for a partition of which nothing was emitted, once others were', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 2);
  append(cluster, topics.input, 0, 5, [HELD]);
  const settings = settingsFor({ partitions: 2 });
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  const held = withHeld(cluster, topics.input);
  const changed = { ...settings, detector: { ...settings.detector, window: 30 }, asked: { window: 30 } };
  const second = startWorker(cluster, { settings: changed, name: 'two' });
  cluster.onIdle = () => {
    held.gaveUp();
    if (second.worker.phase === 'ready' && second.worker.states.has(OWN)) second.stop();
  };
  expect(await second.ended).toMatchObject({
    code: 'E_STATE_DIFFERS',
    message: expect.stringMatching(/^the group group was started with other options: window was 20 and is 30/),
  });
});
