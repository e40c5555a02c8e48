// A new group with `--repartition` that takes over both halves of an old one, over the same topic of containers.

import { expect, it } from 'vitest';
import { runTogether } from '../../src/kafka/group/halves.js';
import type { KeyOptions } from '../../src/kafka/messages/keys.js';
import { type ContainerNote, decodeContainer } from '../../src/kafka/repartition/containers.js';
import { schemeOfCut } from '../../src/kafka/repartition/partitioner.js';
import { Repartitioner, type RepartitionSettings } from '../../src/kafka/repartition/repartitioner.js';
import { unpackedKeys } from '../../src/kafka/repartition/unpacking.js';
import type { WorkerSettings } from '../../src/kafka/settings.js';
import { takeOverCuts, takeOverWorker, withEarlier } from '../../src/kafka/takeover/takingover.js';
import { settingsWithKeys } from '../../src/plan/keys.js';
import { inLongForm } from '../support/form.js';
import { Crash, content, FakeClient, FakeCluster, Fate } from './support/fakecluster.js';
import { choices, isDone, makeTopics, newWorker, settingsFor, topics } from './support/workers.js';

const SOURCE = 'source';
const SOURCE_PARTITIONS = 2;
const keys: KeyOptions = { place: 'value', format: 'ndjson', keys: ['id'], onError: 'fail' };
const asked = { format: 'ndjson', key: ['id'], output: topics.output };

/** A group with both halves: its offsets in both topics. */
interface Group {
  cluster: FakeCluster;
  cutters: FakeCluster;
  settings: WorkerSettings;
  cuts: RepartitionSettings;
}

function groupOf(name: string, topicsOf: FakeCluster, pointers: string, changes: Partial<WorkerSettings>): Group {
  const note: ContainerNote = { group: name, scheme: schemeOfCut(keys) };
  const own = { group: name, partitions: 2, topics: { ...topics, source: SOURCE, pointers }, asked };
  return {
    cluster: new FakeCluster(topicsOf),
    cutters: new FakeCluster(topicsOf),
    settings: settingsFor({ ...own, unpacks: note, keys: unpackedKeys(keys), ...changes }),
    cuts: {
      ...{ group: `${name}-repartition`, source: SOURCE, topic: topics.input, partitions: 2, pointers, note, keys },
      ...{ from: 'earliest', maxRecords: 25 },
    },
  };
}

function fill(
  cluster: FakeCluster,
  choose: (below: number) => number,
  { from, to }: { from: number; to: number },
): void {
  for (let i = from; i < to; i++) {
    const record = content(null, JSON.stringify({ id: choose(50), i }), i + 1);
    cluster.append(SOURCE, choose(SOURCE_PARTITIONS), record);
  }
}

/** Runs both halves until all is emitted, or the first one only. @returns what they ended with */
async function run(group: Group, fate = new Fate(Number.POSITIVE_INFINITY), isWhole = true): Promise<unknown> {
  const { cluster, cutters, settings, cuts } = group;
  const controller = new AbortController();
  const name = settings.group;
  const repartitioner = new Repartitioner({
    client: new FakeClient(cutters, `${name}-cutter`, fate),
    settings: cuts,
    onWarning: () => undefined,
  });
  const worker = newWorker(cluster, { settings, name: `${name}-one`, fate }, []);
  const end = () => {
    if (isDone(cutters, SOURCE) && (!isWhole || isDone(cluster))) controller.abort();
  };
  cluster.onIdle = end;
  cutters.onIdle = isWhole ? () => undefined : end;
  return runTogether(isWhole ? [worker, repartitioner] : [repartitioner], controller.signal).catch(
    (problem: unknown) => problem,
  );
}

/** Takes over both halves, and runs them. @param isTold whether the option is given */
async function runNew(
  group: Group,
  old: Group,
  fate = new Fate(Number.POSITIVE_INFINITY),
  isTold = true,
): Promise<unknown> {
  const { cluster, cutters, settings: own, cuts } = group;
  const client = new FakeClient(cluster, 'new-one', fate);
  const told = { onNotice: () => undefined, onWarning: () => undefined };
  try {
    if (isTold) {
      const oldGroup = { group: old.settings.group, pointers: old.settings.topics.pointers };
      const detector = await settingsWithKeys({ ...own.detector, clock: 'manual' });
      const taking = { client, old: new FakeClient(old.cluster, 'new', fate), settings: own, oldGroup, ...told };
      await takeOverWorker(taking, detector);
    }
    const settings = await withEarlier(client, own);
    if (settings.old) {
      const first = {
        client: new FakeClient(cutters, 'new-cutter', fate),
        old: new FakeClient(old.cutters, 'new', fate),
      };
      await takeOverCuts({ ...first, settings, oldGroup: settings.old, ...told }, cuts, SOURCE_PARTITIONS);
    }
    return await run({ ...group, settings }, fate);
  } catch (error) {
    return error;
  }
}

const large = { algorithm: 'exact', memory: '64KiB', keys: ['id'] } as const;

/** An old group that has emitted some records, and cut others. */
async function begun(detector: WorkerSettings['detector']): Promise<{ old: Group; group: Group }> {
  const all = new FakeCluster();
  makeTopics(all, 2);
  all.make(SOURCE, SOURCE_PARTITIONS);
  all.make('new-pointers', 2);
  const old = groupOf('group', all, topics.pointers, { detector });
  const choose = choices(5);
  fill(all, choose, { from: 0, to: 60 });
  expect(await run(old)).toBe(undefined);
  fill(all, choose, { from: 60, to: 100 });
  expect(await run(old, undefined, false)).toBe(undefined);
  fill(all, choose, { from: 100, to: 140 });
  return { old, group: groupOf('new', all, 'new-pointers', { detector }) };
}

/** The records of the containers, and what was emitted of them. */
function expectOnce({ cluster }: Group, records = 140): void {
  const ids = (records: readonly { value: Uint8Array | null }[]) =>
    records.map(({ value }) => JSON.parse(String(value)));
  const partitions = [0, 1];
  const cut = partitions.flatMap((partition) =>
    cluster.committedFrom(topics.input, partition, 0).records.flatMap((message) => {
      const notes = ['group', 'new'].map((group) => ({ group, scheme: schemeOfCut(keys) }));
      return notes.flatMap((note) => decodeContainer(message, note));
    }),
  );
  expect(
    ids(cut)
      .map(({ i }) => i)
      .sort((one, other) => one - other),
  ).toEqual(Array.from({ length: records }, (_, i) => i));
  const given = ids(partitions.flatMap((partition) => cluster.committedFrom(topics.output, partition, 0).records));
  const found = given.map(({ id }) => id).sort((one, other) => one - other);
  expect(found).toEqual([...new Set(ids(cut).map(({ id }) => id))].sort((one, other) => one - other));
}

it.each([
  ['what was emitted', large],
  ['containers, where repeats restart the window', { ...large, algorithm: 'exactwindow', window: '1h', refresh: true }],
] as const)('goes on in both halves, after %s', async (_what, detector) => {
  const { old, group } = await begun(detector);
  expect(await runNew(group, old)).toBe(undefined);
  expectOnce(group);
  expect(String(await run(old))).toMatch(/the group new(-repartition)? has taken over/);
});

it('names the group to give also where the pointer of the first half is found first', async () => {
  const { old, group } = await begun(large);
  expect(await runNew(group, old)).toBe(undefined);
  expect(String(await run(old, undefined, false))).toMatch(
    /the group new-repartition has taken over the partition \d of source .*; give group new, which goes on there;/,
  );
  // What it names goes on where the new group was, with the flags of the old one.
  fill(group.cluster, choices(6), { from: 140, to: 150 });
  expect(await runNew(group, old, undefined, false)).toBe(undefined);
  expectOnce(group, 150);
});

it('names the group to give where another one has taken over the first half', async () => {
  const { old, group } = await begun(large);
  expect(await runNew(group, old)).toBe(undefined);
  const { cutters, settings, cuts } = groupOf('third', group.cluster, 'new-pointers', { detector: large });
  const fate = new Fate(Number.POSITIVE_INFINITY);
  const clients = { client: new FakeClient(cutters, 'third', fate), old: new FakeClient(old.cutters, 'third', fate) };
  const oldGroup = { group: 'group', pointers: topics.pointers };
  const told = { onNotice: () => undefined, onWarning: () => undefined };
  await expect(takeOverCuts({ ...clients, settings, oldGroup, ...told }, cuts, SOURCE_PARTITIONS)).rejects.toThrow(
    /the group new-repartition has taken over from group-repartition; give group new to go on, or fromGroup new to/,
  );
});

it('is taken up again after a crash at any call, also without the option', async () => {
  let crashes = 0;
  for (let calls = 0, end: unknown = new Crash(); end !== undefined; calls += inLongForm(1, 131)) {
    const { old, group } = await begun(large);
    end = await runNew(group, old, new Fate(calls));
    if (end !== undefined) expect(end).toBeInstanceOf(Crash);
    if (end !== undefined) crashes++;
    for (const one of [old.cluster, old.cutters]) one.expire('new');
    const isTaken = group.cluster.committedFrom('new-pointers', 0, 0).records.length > 0;
    expect(await runNew(group, old, undefined, !isTaken)).toBe(undefined);
    expectOnce(group);
  }
  expect(crashes).toBeGreaterThan(2);
});

it('refuses other keys', async () => {
  const { old, group } = await begun(large);
  const settings = { ...group.settings, asked: { ...asked, key: ['other'] } };
  const error = await runNew({ ...group, settings }, old);
  expect(String(error)).toMatch(
    /the topic in of repartition was partitioned by other keys: key was \["id"\] and is \["other"\]/,
  );
});
