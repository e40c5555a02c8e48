// A partition to which nothing comes goes on to its end, after the marks of transactions, also while others have records all the time.

import { afterEach, expect, it, vi } from 'vitest';
import { schemeOfCut } from '../../src/kafka/repartition/partitioner.js';
import { Repartitioner } from '../../src/kafka/repartition/repartitioner.js';
import { content, FakeClient, FakeCluster } from './support/fakecluster.js';
import { isDone, makeTopics, settingsFor, startWorker, topics } from './support/workers.js';

const RECORDS = 20;
const { now } = Date;
afterEach(() => {
  vi.restoreAllMocks();
});

const record = (id: number) => content(null, JSON.stringify({ id }));

/** Partition 0 has records of a transaction, and a mark at its end. Partition 1 has records for many steps. */
function quietAndBusy(): FakeCluster {
  const cluster = new FakeCluster();
  makeTopics(cluster, 2);
  const records = Array.from({ length: RECORDS }, (_, i) => record(i));
  cluster.appendBy(topics.input, 0, records, 'committed');
  for (let i = 0; i < 500; i++) cluster.append(topics.input, 1, record(i));
  return cluster;
}

/** The offset of the quiet partition that is committed once there are no more records. */
function committedBefore(cluster: FakeCluster, stop: () => void): () => number | undefined {
  let committed: number | undefined;
  cluster.onIdle = () => {
    committed ??= cluster.offsets.get(0);
    if (isDone(cluster)) stop();
  };
  return () => committed;
}

/** Has the clock go on by a second whenever somebody looks. */
function fastClock(): void {
  let aheadMilliseconds = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => {
    aheadMilliseconds += 1000;
    return now() + aheadMilliseconds;
  });
}

it.each([
  ['when nothing came for a minute', fastClock, RECORDS + 1],
  ['and not sooner', () => undefined, RECORDS],
])('goes on to the end while another partition has records, %s', async (_when, setClock, expected) => {
  const cluster = quietAndBusy();
  setClock();
  const { ended, stop } = startWorker(cluster, { settings: settingsFor({ partitions: 2, maxRecords: 4 }) });
  const committed = committedBefore(cluster, stop);
  expect(await ended).toBe(undefined);
  expect(committed()).toBe(expected);
});

it('does not go on past a record that is refused when it comes after a quiet time', async () => {
  const cluster = quietAndBusy();
  fastClock();
  let reads = 0;
  vi.spyOn(cluster, 'committedFrom').mockImplementation((...place) => {
    if (++reads === 300) cluster.append(topics.input, 0, content(null, '{}'));
    return FakeCluster.prototype.committedFrom.apply(cluster, place);
  });
  const { ended } = startWorker(cluster, { settings: settingsFor({ partitions: 2, maxRecords: 4 }) });
  expect(await ended).toMatchObject({ code: 'E_KEY_MISSING' });
  expect(cluster.offsets.get(0)).toBe(RECORDS + 1);
});

function cutterOf(cluster: FakeCluster): Repartitioner {
  cluster.make('cut', 2);
  const keys = { place: 'value', format: 'ndjson', keys: ['id'], onError: 'fail' } as const;
  const note = { group: 'group', scheme: schemeOfCut(keys) };
  return new Repartitioner({
    client: new FakeClient(cluster, 'one'),
    settings: {
      ...{ group: 'group-repartition', source: topics.input, topic: 'cut', pointers: topics.pointers, partitions: 2 },
      ...{ note, keys, from: 'earliest', maxRecords: 4 },
    },
    onWarning: () => undefined,
  });
}

it('goes on to the end in the first half too', async () => {
  const cluster = quietAndBusy();
  fastClock();
  const controller = new AbortController();
  const committed = committedBefore(cluster, () => controller.abort());
  await cutterOf(cluster).run(controller.signal);
  expect(committed()).toBe(RECORDS + 1);
});

it('starts the first half again when the retention has removed all records and the mark after them', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  cluster.appendBy(topics.input, 0, [record(1)], 'committed');
  for (let start = 0; start < 2; start++) {
    const controller = new AbortController();
    let idle = 0;
    cluster.onIdle = () => ++idle > 20 && controller.abort();
    await cutterOf(cluster).run(controller.signal);
    cluster.removeBefore(topics.input, 0, 2);
  }
  expect(cluster.offsets.get(0)).toBe(2);
});
