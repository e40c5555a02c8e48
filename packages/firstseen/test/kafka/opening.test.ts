// How a worker goes on from what is there, and what it refuses.

import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { preparePointers } from '../../src/kafka/partition/opening.js';
import type { PointedSnapshot, Pointer } from '../../src/kafka/pointers/pointer.js';
import type { WorkerSettings } from '../../src/kafka/settings.js';
import { content, FakeClient, FakeCluster } from './support/fakecluster.js';
import { expected, makeTopics, ranToEnd, runToEnd, settingsFor, topics, written } from './support/workers.js';

function append(cluster: FakeCluster, from: number, to: number, partition = 0): void {
  for (let i = from; i < to; i++) {
    cluster.append(topics.input, partition, content(null, JSON.stringify({ id: (i * 7) % 31 })));
  }
}

/** The snapshots in the latest pointer, the newest first. */
function latest(cluster: FakeCluster): readonly PointedSnapshot[] {
  const { records } = cluster.committedFrom(topics.pointers, 0, 0);
  return records.length === 0 ? [] : (JSON.parse(String(records.at(-1)?.value)) as Pointer).snapshots;
}

function named(cluster: FakeCluster): string[] {
  return latest(cluster).map(({ file }) => file);
}

/** A group of one partition that has read 200 records. It has the snapshots at 200 and 150. */
async function begun(): Promise<{ cluster: FakeCluster; settings: WorkerSettings }> {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const settings = settingsFor({ partitions: 1 });
  for (let end = 50; end <= 200; end += 50) {
    append(cluster, end - 50, end);
    const started = await ranToEnd(cluster, { settings }, () => latest(cluster)[0]?.offset === end);
    expect(await started.ended).toBe(undefined);
  }
  return { cluster, settings };
}

function snapshotsIn({ folder }: WorkerSettings): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.snapshot'));
}

it('keeps the two snapshots that the pointer names', async () => {
  const { cluster, settings } = await begun();
  expect(named(cluster)).toHaveLength(2);
  expect(snapshotsIn(settings).sort()).toEqual(named(cluster).sort());
});

it.each([
  ['group', { group: 'another' }],
  ['cluster', {}],
])('leaves the snapshots of another %s in the same folder', async (_what, changes) => {
  const { cluster, settings } = await begun();
  const longAgo = Date.now() / 1000 - 3600;
  for (const name of snapshotsIn(settings)) utimesSync(join(settings.folder, name), longAgo, longAgo);
  const other = new FakeCluster();
  makeTopics(other, 1);
  append(other, 0, 200);
  expect(await runToEnd(other, { settings: { ...settings, ...changes } })).toBe(undefined);
  append(cluster, 200, 250);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
});

it('uses the snapshot before a damaged one', async () => {
  const { cluster, settings } = await begun();
  writeFileSync(join(settings.folder, named(cluster)[0] as string), 'damaged');
  append(cluster, 200, 300);
  const { ended, warnings } = await ranToEnd(cluster, { settings });
  expect(await ended).toBe(undefined);
  expect(warnings.join()).toMatch(/does not have the checksum that its name says.*the snapshot before it is used/);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
});

it('refuses a damaged snapshot without one before that the input reaches', async () => {
  const { cluster, settings } = await begun();
  const [newest = '', other = ''] = named(cluster);
  writeFileSync(join(settings.folder, newest), 'damaged');
  writeFileSync(join(settings.folder, other), 'damaged');
  expect(await runToEnd(cluster, { settings })).toMatchObject({ code: 'E_SNAPSHOT' });
});

it('refuses a damaged snapshot if the input does not reach back to the one before', async () => {
  const { cluster, settings } = await begun();
  writeFileSync(join(settings.folder, named(cluster)[0] as string), 'damaged');
  cluster.removeBefore(topics.input, 0, 151);
  expect(String(await runToEnd(cluster, { settings }))).toMatch(/begins at the offset 151, .* from 150 on/);
});

it('says that it does not see a file', async () => {
  const { cluster, settings } = await begun();
  rmSync(join(settings.folder, named(cluster)[0] as string));
  const error = await runToEnd(cluster, { settings });
  expect(error).toMatchObject({ code: 'E_STATE_FILE' });
  expect(String(error)).toMatch(
    /does not have .*, which the pointer of the group names; give all workers of the group/,
  );
});

it('refuses an input whose retention has passed the snapshot', async () => {
  const { cluster, settings } = await begun();
  append(cluster, 200, 220);
  cluster.removeBefore(topics.input, 0, 201);
  const error = await runToEnd(cluster, { settings });
  expect(error).toMatchObject({ code: 'E_STATE_DIFFERS' });
  expect(String(error)).toMatch(/begins at the offset 201, but the state needs the records from 200 on/);
  expect(String(error)).toMatch(/goes on where it stopped, and allowsMissing if it is to go on without what is gone;/);
});

it('goes on when the retention has passed what is not needed', async () => {
  const { cluster, settings } = await begun();
  const all = new FakeCluster();
  makeTopics(all, 1);
  append(all, 0, 260);
  cluster.removeBefore(topics.input, 0, 60);
  append(cluster, 200, 260);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(all, settings));
});

it('refuses an input that has lost records within the replay', async () => {
  const { cluster, settings } = await begun();
  append(cluster, 200, 230);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  delete cluster.entriesOf(topics.input, 0)[210]?.record;
  const error = await runToEnd(cluster, { settings });
  expect(error).toMatchObject({ code: 'E_STATE_DIFFERS' });
  expect(String(error)).toMatch(/has lost records, or is compacted/);
});

it('refuses an input that ends before what was emitted', async () => {
  const { cluster, settings } = await begun();
  cluster.entriesOf(topics.input, 0).splice(150);
  expect(String(await runToEnd(cluster, { settings }))).toMatch(/ends at the offset 150, but its records were emitted/);
});

it('refuses an input that was made again, also if it reaches further than what was emitted', async () => {
  const { cluster, settings } = await begun();
  cluster.make(topics.input, 1);
  append(cluster, 0, 400);
  expect(await runToEnd(cluster, { settings })).toMatchObject({
    code: 'E_STATE_DIFFERS',
    message: expect.stringMatching(
      /^the topic in was re-created after the group began: its records have other offsets/,
    ),
  });
});

it('takes an input that was made again as long as nothing was emitted', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const settings = settingsFor({ partitions: 1 });
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  cluster.make(topics.input, 1);
  cluster.offsets.clear();
  append(cluster, 0, 100);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
});

it('goes on with a pointer that has no id of the input, as brokers without ids leave it', async () => {
  const { cluster, settings } = await begun();
  for (const { record } of cluster.entriesOf(topics.pointers, 0)) {
    if (record?.value) record.value = Buffer.from(String(record.value).replace(/"inputId":"[^"]*",/, ''));
  }
  append(cluster, 200, 300);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
  expect(String(cluster.committedFrom(topics.pointers, 0, 0).records.at(-1)?.value)).toMatch(/"inputId":"in#[\d.]+"/);
});

it('refuses to emit the records of another topic in a group that is in use', async () => {
  const { cluster, settings } = await begun();
  cluster.make('cut', 1);
  const other = { ...settings, topics: { ...topics, input: 'cut', source: topics.input } };
  const before = new Map(cluster.offsets);
  cluster.offsets.clear();
  expect(await runToEnd(cluster, { settings: other })).toMatchObject({
    code: 'E_STATE_DIFFERS',
    message: expect.stringMatching(/^the group group has read the topic in, and would now read cut/),
  });
  for (const [partition, offset] of before) cluster.offsets.set(partition, offset);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
});

it('refuses other options, and names them', async () => {
  const { cluster, settings } = await begun();
  const error = await runToEnd(cluster, { settings: { ...settings, asked: { window: 21, seed: 1 } } });
  expect(error).toMatchObject({ code: 'E_STATE_DIFFERS' });
  expect(String(error)).toMatch(/window was 20 and is 21; seed was 0 and is 1/);
});

it('goes on with the same options in other words', async () => {
  const { cluster, settings } = await begun();
  const asked = { window: '2_0', seed: '0', algorithm: 'auto', 'null-key': 'empty' };
  expect(await runToEnd(cluster, { settings: { ...settings, asked } })).toBe(undefined);
});

it('takes other options as long as nothing was emitted', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const settings = settingsFor({ partitions: 1 });
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  const [first] = snapshotsIn(settings);
  append(cluster, 0, 100);
  const changed = { ...settings, detector: { ...settings.detector, window: 5 }, asked: { window: 5 } };
  expect(await runToEnd(cluster, { settings: changed })).toBe(undefined);
  expect(written(cluster, changed)).toEqual(await expected(cluster, changed));
  expect(snapshotsIn(changed)).not.toContain(first);
  expect(await runToEnd(cluster, { settings })).toMatchObject({ code: 'E_STATE_DIFFERS' });
});

it('takes the pointer for the truth, and says when the offset of the group is another', async () => {
  const { cluster, settings } = await begun();
  cluster.offsets.set(0, 3);
  append(cluster, 200, 250);
  const { ended, warnings } = await ranToEnd(cluster, { settings });
  expect(await ended).toBe(undefined);
  expect(warnings.join()).toMatch(/has the offset 3 of partition 0; the worker goes on at 200/);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
});

it.each(['earliest', 'latest'] as const)('refuses a group that has offsets and no pointer, from %s', async (from) => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  cluster.offsets.set(0, 5);
  const error = await runToEnd(cluster, { settings: settingsFor({ partitions: 1, from }) });
  expect(error).toMatchObject({ code: 'E_STATE_DIFFERS' });
  expect(String(error)).toMatch(/has the offset 5 of partition 0, but pointers has no pointer of that partition/);
  expect(cluster.committedFrom(topics.pointers, 0, 0).records).toEqual([]);
});

describe('a group whose pointers and offsets are gone', () => {
  it('is refused as long as its folder has what it has seen', async () => {
    const { cluster, settings } = await begun();
    const before = written(cluster, settings);
    cluster.make(topics.pointers, 1);
    cluster.offsets.clear();
    append(cluster, 200, 250);
    const error = await runToEnd(cluster, { settings });
    expect(error).toMatchObject({ code: 'E_STATE_DIFFERS' });
    expect(String(error)).toMatch(
      /has in-0-\S+, but pointers has no pointer of partition 0: the topic has lost its pointers/,
    );
    expect(written(cluster, settings)).toEqual(before);
    expect(cluster.committedFrom(topics.pointers, 0, 0).records).toEqual([]);
  });

  it('is another one where its input was made again, or is in another cluster', async () => {
    const { cluster, settings } = await begun();
    for (const topic of [topics.pointers, topics.input]) cluster.make(topic, 1);
    cluster.offsets.clear();
    append(cluster, 0, 50);
    expect(await runToEnd(cluster, { settings })).toBe(undefined);
  });
});

describe('the topic of the pointers', () => {
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  beforeEach(() => void warnings.splice(0));

  it('is told if it is not compacted, at each start', async () => {
    const cluster = new FakeCluster();
    makeTopics(cluster, 1);
    const settings = settingsFor({ partitions: 1 });
    const client = new FakeClient(cluster, 'one');
    cluster.make(topics.pointers, 1);
    const told = expect.stringMatching(
      /^the topic \S+ of the pointers takes records without keys, .* set it to compact/,
    );
    for (const count of [1, 2]) {
      await preparePointers(client, settings, warn);
      expect(warnings).toEqual(new Array(count).fill(told));
    }
    cluster.make(topics.pointers, 1, { isCompacted: true });
    await preparePointers(client, settings, warn);
    expect(warnings).toHaveLength(2);
  });

  it('is made by a start that is not refused', async () => {
    const cluster = new FakeCluster();
    makeTopics(cluster, 1);
    const settings = settingsFor({ partitions: 1 });
    const client = new FakeClient(cluster, 'one');
    cluster.topics.delete(topics.pointers);
    cluster.topics.delete(topics.output);
    await expect(preparePointers(client, settings, warn)).rejects.toMatchObject({ code: 'E_USAGE' });
    expect(cluster.topics.has(topics.pointers)).toBe(false);
    cluster.make(topics.output, 1);
    await preparePointers(client, settings, warn);
    expect(cluster.topics.get(topics.pointers)?.partitions).toHaveLength(1);
    cluster.make(topics.output, 2);
    await expect(preparePointers(client, settings, warn)).rejects.toMatchObject({ code: 'E_USAGE' });
  });

  it('is not made where a group has lost it', async () => {
    const { cluster, settings } = await begun();
    cluster.topics.delete(topics.pointers);
    const error = preparePointers(new FakeClient(cluster, 'one'), settings, warn);
    await expect(error).rejects.toMatchObject({ code: 'E_STATE_DIFFERS' });
    expect(cluster.topics.has(topics.pointers)).toBe(false);
  });
});

it('finds the pointer of its group among those of another one', async () => {
  const { cluster, settings } = await begun();
  for (let i = 0; i < 300; i++) cluster.append(topics.pointers, 0, content('["other","in",0]', '{}'));
  append(cluster, 200, 250);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(cluster, settings));
});

it('begins at the end of the input if that is asked for, and stays there', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  append(cluster, 0, 50);
  const settings = settingsFor({ partitions: 1, from: 'latest' });
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  append(cluster, 50, 60);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(cluster.committedFrom(topics.output, 0, 0).records).toHaveLength(10);
});

it('refuses an input that was given partitions', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 4);
  expect(String(await runToEnd(cluster, { settings: settingsFor({ partitions: 3 }) }))).toMatch(
    /the topic in has 4 partitions, not 3/,
  );
});

it('refuses an output with other partitions', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 3);
  cluster.make(topics.output, 2);
  expect(String(await runToEnd(cluster, { settings: settingsFor() }))).toMatch(
    /the topic out of output has 2 partitions, but in has 3/,
  );
  cluster.topics.delete(topics.output);
  expect(String(await runToEnd(cluster, { settings: settingsFor() }))).toMatch(
    /the topic out of output was removed while the worker runs/,
  );
});

it('writes what is before a record that is refused, and stops there', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  append(cluster, 0, 5);
  cluster.append(topics.input, 0, content(null, '{"other":1}'));
  append(cluster, 5, 9);
  const settings = settingsFor({ partitions: 1 });
  const error = await runToEnd(cluster, { settings });
  expect(error).toMatchObject({ code: 'E_KEY_MISSING' });
  expect(String(error)).toMatch(/in, partition 0, offset 5: a record has no value for the key id/);
  expect(cluster.committedFrom(topics.output, 0, 0).records).toHaveLength(5);
  expect(cluster.offsets.get(0)).toBe(5);
  const passing = { ...settings, keys: { ...settings.keys, missingKey: 'distinct' } as const };
  expect(await runToEnd(cluster, { settings: passing })).toBe(undefined);
  expect(cluster.committedFrom(topics.output, 0, 0).records).toHaveLength(10);
  // A policy that refuses what was passed does not stop a replay.
  append(cluster, 9, 12);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(cluster.committedFrom(topics.output, 0, 0).records).toHaveLength(13);
});

it('passes over a record that is skipped by a policy, and replays it when the policy is taken back', async () => {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const settings = settingsFor({ partitions: 1 });
  append(cluster, 0, 10);
  cluster.append(topics.input, 0, content(null, 'poison'));
  append(cluster, 10, 20);
  const refusal = expect.stringMatching(/^in, partition 0, offset 10: .*the value begins with "poison"/);
  for (let start = 0; start < 2; start++)
    expect(await runToEnd(cluster, { settings })).toMatchObject({ code: 'E_RECORD', message: refusal });
  const passing = { ...settings, keys: { ...settings.keys, onError: 'pass' } as const };
  expect(await runToEnd(cluster, { settings: passing })).toBe(undefined);
  append(cluster, 20, 25);
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(written(cluster, settings)).toEqual(await expected(cluster, passing));
});
