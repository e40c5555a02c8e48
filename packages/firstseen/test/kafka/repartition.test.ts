// A worker that repartitions: what it writes is what one process makes of the containers, which have each record of the input once and equal
// keys in one partition, whenever it ends.

import { afterAll, expect, it } from 'vitest';
import type { FirstseenError } from '../../src/base/errors.js';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import { runTogether } from '../../src/kafka/group/halves.js';
import type { KeyOptions } from '../../src/kafka/messages/keys.js';
import { type ContainerNote, decodeContainer } from '../../src/kafka/repartition/containers.js';
import { NOWHERE, Partitioner, schemeOfCut } from '../../src/kafka/repartition/partitioner.js';
import { Repartitioner, type RepartitionSettings } from '../../src/kafka/repartition/repartitioner.js';
import { unpackedKeys } from '../../src/kafka/repartition/unpacking.js';
import { temporaryFolder } from '../cli/support/command.js';
import { inLongForm } from '../support/form.js';
import { Crash, content, FakeClient, FakeCluster, Fate } from './support/fakecluster.js';
import { choices, expected, isDone, makeTopics, newWorker, settingsFor, topics, written } from './support/workers.js';

const SOURCE = 'source';
const SOURCE_PARTITIONS = 4;
const keys: KeyOptions = { place: 'value', format: 'ndjson', keys: ['id'], onError: 'fail' };
const note: ContainerNote = { group: 'group', scheme: schemeOfCut(keys) };
const source: RepartitionSettings = {
  ...{ group: 'group-repartition', source: SOURCE, pointers: topics.pointers },
  ...{ topic: topics.input, partitions: 3, note, keys, from: 'earliest', maxRecords: 25 },
};

/** Topics, and records in any partition: each identifier is in all of them. */
function filled(choose: (below: number) => number, records: number): FakeCluster {
  const cluster = new FakeCluster();
  makeTopics(cluster);
  cluster.make(SOURCE, SOURCE_PARTITIONS);
  fill(cluster, choose, records);
  return cluster;
}

function fill(cluster: FakeCluster, choose: (below: number) => number, records: number): void {
  for (let i = 0; i < records; i++) {
    const partition = choose(SOURCE_PARTITIONS);
    const record = () => content(choose(3) === 0 ? null : `k${i}`, JSON.stringify({ id: choose(60), i }), i);
    const kind = choose(20);
    if (kind === 0) cluster.append(SOURCE, partition, content('gone', null, i));
    else if (kind === 1) cluster.appendBy(SOURCE, partition, [record(), record()], 'aborted');
    else cluster.append(SOURCE, partition, record());
  }
}

interface Halves {
  cluster: FakeCluster;
  /** The group of the first half. */
  cutters: FakeCluster;
}

const settings = settingsFor({ folder: temporaryFolder(afterAll), unpacks: note, keys: unpackedKeys(keys) });

/** Runs both halves until all is emitted. @returns what they ended with */
async function runBoth(
  { cluster, cutters }: Halves,
  fate = new Fate(Number.POSITIVE_INFINITY),
  changes = {},
  own = settings,
) {
  const controller = new AbortController();
  const warnings: string[] = [];
  const worker = newWorker(cluster, { settings: own, fate }, warnings);
  const repartitioner = new Repartitioner({
    client: new FakeClient(cutters, 'one-cutter', fate),
    settings: { ...source, ...changes },
    onWarning: (message) => warnings.push(message),
  });
  cluster.onIdle = () => {
    if (isDone(cutters, SOURCE) && isDone(cluster)) controller.abort();
  };
  const error = await runTogether([worker, repartitioner], controller.signal).catch((problem: unknown) => problem);
  return { error, warnings, repartitioner, worker };
}

function unpacked(cluster: FakeCluster): KafkaRecord[][] {
  return Array.from({ length: 3 }, (_, partition) =>
    cluster.committedFrom(topics.input, partition, 0).records.flatMap((message) => decodeContainer(message, note)),
  );
}

function recordsIn(cluster: FakeCluster): KafkaRecord[] {
  const partitions = Array.from({ length: SOURCE_PARTITIONS }, (_, partition) => partition);
  return partitions.flatMap((partition) => cluster.committedFrom(SOURCE, partition, 0).records);
}

const idOf = ({ value }: KafkaRecord) => (value === null ? undefined : JSON.parse(String(value)).id);
const textOf = ({ key, value, timestamp }: KafkaRecord) => `${key} ${value} ${timestamp}`;

/** Checks that the containers have the records of the input, and the outputs what one process makes of the containers. */
async function expectRight({ cluster }: Halves): Promise<void> {
  const cut = unpacked(cluster);
  expect(cut.flat().map(textOf).sort()).toEqual(recordsIn(cluster).map(textOf).sort());
  const placesOf = new Map<unknown, Set<number>>();
  for (const [partition, records] of cut.entries()) {
    for (const record of records) {
      const id = idOf(record);
      if (id !== undefined) placesOf.set(id, (placesOf.get(id) ?? new Set()).add(partition));
    }
  }
  for (const places of placesOf.values()) expect(places.size).toBe(1);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
}

it('writes each key once over all partitions', async () => {
  const cluster = filled(choices(1), inLongForm(600, 400));
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  const { error, repartitioner } = await runBoth(halves);
  expect(error).toBe(undefined);
  await expectRight(halves);
  const firsts = written(cluster, settings).flatMap(([first]) => first as KafkaRecord[]);
  expect(firsts.filter(({ value }) => value !== null)).toHaveLength(60);
  expect(repartitioner.counts.records).toBe(unpacked(cluster).flat().length);
  expect(repartitioner.counts.containers).toBeLessThan(repartitioner.counts.records / 3);
});

it('writes the same through crashes at any call', async () => {
  let crashes = 0;
  for (let seed = 1; seed <= inLongForm(12, 2); seed++) {
    const choose = choices(seed);
    const cluster = filled(choose, 250);
    const halves = { cluster, cutters: new FakeCluster(cluster) };
    for (let end: unknown = true; end !== undefined; ) {
      end = (await runBoth(halves, new Fate(2 * choose(600) + choose(2)))).error;
      if (end === undefined) break;
      expect(end).toBeInstanceOf(Crash);
      crashes++;
    }
    await expectRight(halves);
  }
  expect(crashes).toBeGreaterThan(inLongForm(12, 1));
}, 60_000);

it('repeats transactions that were aborted, and goes on after those whose end is not known', async () => {
  const choose = choices(5);
  const cluster = filled(choose, inLongForm(300, 75));
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  for (const aborts of [2, 6]) {
    halves.cutters.abortNext(aborts);
    halves.cutters.lostEnds.push('committed', 'aborted');
    const { error, warnings } = await runBoth(halves);
    expect(error).toBe(undefined);
    expect(warnings.length).toBeGreaterThanOrEqual(aborts + 2);
    fill(cluster, choose, inLongForm(150, 40));
  }
  expect((await runBoth(halves)).error).toBe(undefined);
  await expectRight(halves);
}, 30_000);

it('stops at a record that a policy refuses, in the input, after those before it', async () => {
  const cluster = filled(choices(1), 0);
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  for (const value of ['{"id":1}', '{"id":2}', '{"other":3}', '{"id":4}'])
    cluster.append(SOURCE, 2, content(null, value));
  const { error } = await runBoth(halves);
  expect(error).toMatchObject({ code: 'E_KEY_MISSING' });
  expect((error as FirstseenError).message).toMatch(/^source, partition 2, offset 2: /);
  expect(unpacked(cluster).flat().map(idOf).sort()).toEqual([1, 2]);
  // Passed, it is in the partition of its number, and is not compared.
  const passing = { keys: { ...keys, missingKey: 'distinct' } as const };
  expect((await runBoth(halves, undefined, passing)).error).toBe(undefined);
  expect(unpacked(cluster)[2]?.map((record) => String(record.value))).toContain('{"other":3}');
  await expectRight(halves);
});

it('refuses a message that is not a container, after those before it', async () => {
  const cluster = filled(choices(2), 40);
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  expect((await runBoth(halves)).error).toBe(undefined);
  const end = cluster.bounds(topics.input, 1).high;
  cluster.append(topics.input, 1, content('k', '{"id":1}'));
  fill(cluster, choices(3), 40);
  for (let start = 0; start < 2; start++) {
    const { error } = await runBoth(halves);
    expect((error as FirstseenError).message).toMatch(
      new RegExp(`^in, partition 1, offset ${end}: the message is not a container`),
    );
    expect(cluster.offsets.get(1)).toBeLessThanOrEqual(end);
  }
});

it('passes over what another group has cut, and refuses what its own group has cut by another key', async () => {
  const cluster = filled(choices(2), 200);
  const other = { ...note, group: 'other' };
  const others = { cluster, cutters: new FakeCluster(cluster) };
  const run = async (halves: Halves, changes: Partial<RepartitionSettings>) =>
    (await runBoth(halves, undefined, changes)).error;
  expect(await run(others, { group: 'other-repartition', note: other })).toBe(undefined);
  expect(unpacked(cluster).flat()).toEqual([]);
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  expect(await run(halves, {})).toBe(undefined);
  await expectRight(halves);
  fill(cluster, choices(4), 10);
  const error = await run(halves, { note: { ...note, scheme: 'other' } });
  expect(error).toMatchObject({ code: 'E_STATE_DIFFERS' });
});

it('begins a new group where it is asked to, and partitions that are added later at their begin', async () => {
  const cluster = filled(choices(2), 100);
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  expect((await runBoth(halves, undefined, { from: 'latest' })).error).toBe(undefined);
  expect(unpacked(cluster).flat()).toEqual([]);
  cluster.topics.get(SOURCE)?.partitions.push([]);
  cluster.topics.get(SOURCE)?.low.push(0);
  for (const id of [100, 101]) cluster.append(SOURCE, SOURCE_PARTITIONS, content(null, JSON.stringify({ id })));
  expect((await runBoth(halves, undefined, { from: 'latest' })).error).toBe(undefined);
  expect(unpacked(cluster).flat().map(idOf).sort()).toEqual([100, 101]);
});

it.each(['earliest', 'latest'] as const)(
  'goes on from %s when the brokers have removed the offsets of its groups',
  async (from) => {
    const cluster = filled(choices(2), 100);
    const halves = { cluster, cutters: new FakeCluster(cluster) };
    const before = from === 'latest' ? recordsIn(cluster).length : 0;
    expect((await runBoth(halves, undefined, { from })).error).toBe(undefined);
    fill(cluster, choices(3), 100);
    for (const group of [cluster, halves.cutters]) group.offsets.clear();
    const { error, warnings } = await runBoth(halves, undefined, { from });
    expect(error).toBe(undefined);
    expect(warnings.filter((warning) => /^the group group-repartition has no offset of/.test(warning))).toHaveLength(
      SOURCE_PARTITIONS,
    );
    expect(unpacked(cluster).flat()).toHaveLength(recordsIn(cluster).length - before);
    expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
  },
);

it('refuses offsets without pointers, as those of another program whose group has its name', async () => {
  const cluster = filled(choices(2), 100);
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  halves.cutters.offsets.set(0, 20);
  expect((await runBoth(halves)).error).toMatchObject({
    code: 'E_STATE_DIFFERS',
    message: expect.stringMatching(
      /^the group group-repartition has the offset 20 of partition 0, but pointers has no pointer of that partition/,
    ),
  });
  expect(unpacked(cluster).flat()).toEqual([]);
});

it('takes the pointers for the truth when somebody has set the offsets', async () => {
  const cluster = filled(choices(2), 100);
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  expect((await runBoth(halves)).error).toBe(undefined);
  fill(cluster, choices(3), 100);
  halves.cutters.offsets.set(0, cluster.bounds(SOURCE, 0).high);
  halves.cutters.offsets.set(1, 0);
  const { error, warnings } = await runBoth(halves);
  expect(error).toBe(undefined);
  expect(warnings.filter((warning) => /^the group group-repartition has the offset/.test(warning))).toHaveLength(2);
  await expectRight(halves);
});

it('is refused when the input was made again, or is another one', async () => {
  const cluster = filled(choices(2), 100);
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  expect((await runBoth(halves)).error).toBe(undefined);
  cluster.make(SOURCE, SOURCE_PARTITIONS);
  fill(cluster, choices(3), 400);
  expect((await runBoth(halves)).error).toMatchObject({
    code: 'E_STATE_DIFFERS',
    message: expect.stringMatching(/^the topic source was re-created after the group began/),
  });
  cluster.make('another', 1);
  expect((await runBoth(halves, undefined, { source: 'another' })).error).toMatchObject({
    code: 'E_STATE_DIFFERS',
    message: expect.stringMatching(
      /^the group group-repartition has read the topic source, and would now read another/,
    ),
  });
});

it('is refused when the retention has passed what was not read', async () => {
  const cluster = filled(choices(2), 100);
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  expect((await runBoth(halves)).error).toBe(undefined);
  fill(cluster, choices(3), 100);
  cluster.removeBefore(SOURCE, 0, cluster.bounds(SOURCE, 0).high);
  const { error } = await runBoth(halves);
  expect((error as FirstseenError).message).toMatch(/the retention has removed records that were not read/);
});

it('counts the records of batches that it cuts, not their messages', async () => {
  const lines: KeyOptions = { ...keys, isBatch: true };
  const ofLines: ContainerNote = { group: 'group', scheme: schemeOfCut(lines) };
  const cluster = filled(choices(1), 0);
  const ids = Array.from({ length: 8 }, (_, id) => JSON.stringify({ id }));
  for (const value of [ids.join('\n'), `${ids[0]}\n\n${ids[1]}`, null]) cluster.append(SOURCE, 0, content('k', value));
  const own = settingsFor({ unpacks: ofLines, keys: unpackedKeys(lines) });
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  const { error, repartitioner } = await runBoth(halves, undefined, { note: ofLines, keys: lines }, own);
  expect(error).toBe(undefined);
  expect(repartitioner.counts).toMatchObject({ records: 11, dropped: 1 });
});

it('cuts batches, and gives each integer once through crashes', async () => {
  const batches: KeyOptions = { place: 'value', format: 'u64', isBatch: true, keys: [], onError: 'fail' };
  const ofBatches: ContainerNote = { group: 'group', scheme: schemeOfCut(batches) };
  const detector = { algorithm: 'exact', memory: '64KiB' } as const;
  const own = settingsFor({ unpacks: ofBatches, keys: unpackedKeys(batches), detector });
  const cluster = filled(choices(1), 0);
  const halves = { cluster, cutters: new FakeCluster(cluster) };
  const choose = choices(9);
  const given = new Set<number>();
  for (let i = 0; i < inLongForm(100, 60); i++) {
    const integersOf = Array.from({ length: choose(30) + 1 }, () => choose(200));
    for (const integer of integersOf) given.add(integer);
    const value = Buffer.from(BigUint64Array.from(integersOf, BigInt).buffer);
    cluster.append(SOURCE, choose(SOURCE_PARTITIONS), { ...content(`k${i}`, ''), value });
  }
  let crashes = 0;
  for (let end: unknown = true; end !== undefined; crashes++) {
    const fate = new Fate(2 * choose(300) + choose(2));
    end = (await runBoth(halves, fate, { note: ofBatches, keys: batches }, own)).error;
    if (end !== undefined) expect(end).toBeInstanceOf(Crash);
  }
  expect(crashes).toBeGreaterThan(2);
  const firsts = written(cluster, own).flatMap(([first]) => first.map(({ value }) => Buffer.from(value as Uint8Array)));
  const integers = firsts.flatMap((value) =>
    Array.from({ length: value.length / 8 }, (_, i) => value[8 * i] as number),
  );
  expect(integers.sort((one, other) => one - other)).toEqual([...given].sort((one, other) => one - other));
}, 30_000);

it('cuts equal keys to equal partitions for ever, and spreads them', async () => {
  const partitioner = await Partitioner.open({ keys, topic: 'in', partitions: 8 });
  const records = Array.from({ length: 8000 }, (_, id) => ({
    ...{ partition: 5, offset: id },
    ...content(null, JSON.stringify({ id: `user-${id}` })),
  }));
  const { targets } = partitioner.partition(records);
  expect([...targets.slice(0, 12)]).toEqual([5, 4, 7, 7, 0, 5, 6, 5, 7, 1, 1, 5]);
  for (let target = 0; target < 8; target++) {
    // Six standard deviations of a binomial distribution around 1000.
    expect(Math.abs(targets.filter((one) => one === target).length - 1000)).toBeLessThan(180);
  }
});

it('puts tombstones with the key of their message, if that is compared, and drops what is to be dropped', async () => {
  const byKey: KeyOptions = { place: 'key', format: 'lines', keys: [], onError: 'fail', missingKey: 'drop' };
  const partitioner = await Partitioner.open({ keys: byKey, topic: 'in', partitions: 1000 });
  const at = (key: string | null, value: string | null) => ({ partition: 2005, offset: 0, ...content(key, value) });
  const { targets } = partitioner.partition([at('a', 'v'), at('a', null), at(null, 'v'), at(null, null)]);
  expect(targets[1]).toBe(targets[0]);
  expect([...targets.slice(2)]).toEqual([NOWHERE, 5]);
});
