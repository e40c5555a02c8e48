// A new group that takes over from an old one: each record of the input is given out by one of them.

import { expect, it } from 'vitest';
import type { WorkerSettings } from '../../src/kafka/settings.js';
import { takeOverWorker } from '../../src/kafka/takingover.js';
import { settingsWithKeys } from '../../src/plan/keys.js';
import { inLongForm } from '../support/form.js';
import { Crash, content, FakeClient, FakeCluster, Fate } from './support/fakecluster.js';
import { choices, expected, makeTopics, runToEnd, settingsFor, topics, written } from './support/workers.js';

const NEW_POINTERS = 'new-pointers';
const OLD_GROUP = { group: 'group', pointers: topics.pointers };

/** Both groups over the same topics. */
interface Groups {
  old: FakeCluster;
  cluster: FakeCluster;
  oldSettings: WorkerSettings;
  settings: WorkerSettings;
}

type Changes = Partial<WorkerSettings>;

function groupsOf(oldChanges: Changes, newChanges: Changes = oldChanges, partitions = 3): Groups {
  const old = new FakeCluster();
  makeTopics(old, partitions);
  old.make(NEW_POINTERS, partitions);
  const cluster = new FakeCluster(old);
  const asked = (changes: Changes) => ({ detector: JSON.stringify(changes.detector), output: topics.output });
  const oldSettings = settingsFor({ partitions, asked: asked(oldChanges), ...oldChanges });
  const of = { group: 'new', topics: { ...topics, pointers: NEW_POINTERS }, old: OLD_GROUP };
  return {
    old,
    cluster,
    oldSettings,
    settings: settingsFor({ partitions, asked: asked(newChanges), ...newChanges, ...of }),
  };
}

/** Records with repeats, tombstones, and transactions that were aborted. */
function fill(cluster: FakeCluster, choose: (below: number) => number, { from, to, partitions = 3 }: Filling): void {
  for (let i = from; i < to; i++) {
    const partition = choose(partitions);
    const record = () => content(`k${i}`, JSON.stringify({ id: choose(40), other: choose(40), i }), i + 1);
    const kind = choose(20);
    if (kind === 0) cluster.append(topics.input, partition, content('gone', null, i + 1));
    else if (kind === 1) cluster.appendBy(topics.input, partition, [record(), record()], 'aborted');
    else if (kind === 2) cluster.appendBy(topics.input, partition, [record(), record()], 'committed');
    else cluster.append(topics.input, partition, record());
  }
}

interface Filling {
  from: number;
  to: number;
  partitions?: number;
}

interface Told {
  warnings: string[];
  notices: string[];
}

/** Takes over. @returns what was said */
async function take({ old, cluster, settings }: Groups, fate?: Fate): Promise<Told> {
  const told: Told = { warnings: [], notices: [] };
  await takeOverWorker(
    {
      client: new FakeClient(cluster, 'new-one', fate),
      old: new FakeClient(old, 'new', fate),
      ...{ settings, oldGroup: OLD_GROUP },
      onNotice: (message) => told.notices.push(message),
      onWarning: (message) => told.warnings.push(message),
    },
    await settingsWithKeys({ ...settings.detector, clock: 'manual' }),
  );
  return told;
}

/** Takes over, and gives out what is left. @returns what it ended with */
async function runNew(groups: Groups, fate?: Fate): Promise<unknown> {
  try {
    await take(groups, fate);
  } catch (error) {
    return error;
  }
  const { cluster, settings } = groups;
  return runToEnd(cluster, { settings, name: 'new-one', ...(fate ? { fate } : {}) });
}

/** An old group that has given out some records, before others came. */
async function begun(groups: Groups, seed = 1, records = 240): Promise<void> {
  const choose = choices(seed);
  const { partitions } = groups.settings;
  fill(groups.old, choose, { from: 0, to: records, partitions });
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  fill(groups.old, choose, { from: records, to: records + records / 2, partitions });
}

const large = { memory: '64KiB', keys: ['id'] } as const;
const small = { memory: '4KiB', keys: ['id'] } as const;

/** Detectors whose answers are exact, so that both groups write what one process writes. */
const changes = [
  ['more memory', { algorithm: 'exact', ...small }, { algorithm: 'exact', ...large }],
  ['another algorithm', { algorithm: 'exact', ...small }, { algorithm: 'exactwindow', window: '1h', ...large }],
  [
    'a window of time',
    { algorithm: 'exactwindow', window: '50ms', ...small },
    { algorithm: 'exactwindow', window: '50ms', ...large },
  ],
  [
    'a window that repeats restart',
    { algorithm: 'exactwindow', window: 20, refresh: true, ...small },
    { algorithm: 'exactwindow', window: 20, refresh: true, ...large },
  ],
  [
    'a window of time that repeats restart',
    { algorithm: 'exactwindow', window: '50ms', refresh: true, ...small },
    { algorithm: 'exactwindow', window: '50ms', refresh: true, ...large },
  ],
] as const;

it.each(changes)('gives out each record once, and forgets nothing, with %s', async (_what, before, after) => {
  for (let seed = 1; seed <= inLongForm(10, 3); seed++) {
    const groups = groupsOf({ detector: before }, { detector: after });
    await begun(groups, seed);
    expect(await runNew(groups)).toBe(undefined);
    expect(written(groups.cluster, groups.settings)).toEqual(await expected(groups.cluster, groups.settings));
  }
});

const crashed = inLongForm<readonly (typeof changes)[number][]>(changes, changes.slice(2, 4));

it.each(crashed)(
  'is taken up again after a crash at any call, with %s',
  async (_what, before, after) => {
    let crashes = 0;
    for (let calls = 0, end: unknown = new Crash(); end !== undefined; calls += inLongForm(1, 17)) {
      const groups = groupsOf({ detector: before }, { detector: after }, 2);
      await begun(groups, 7, 40);
      const { partitions } = groups.settings;
      end = await runNew(groups, new Fate(calls));
      if (end !== undefined) expect(end).toBeInstanceOf(Crash);
      if (end !== undefined) crashes++;
      // The old group starts again. It goes on, or it is refused, because the new one has taken over.
      groups.old.expire('new');
      const again = await runToEnd(groups.old, { settings: groups.oldSettings, name: 'again' });
      if (again !== undefined) expect(String(again)).toMatch(/the group new has taken over the partition/);
      groups.old.expire('again');
      if (again === undefined && end === undefined) throw new Error('both groups give out records');
      fill(groups.old, choices(8), { from: 200, to: 220, partitions });
      expect(await runNew(groups)).toBe(undefined);
      expect(written(groups.cluster, groups.settings)).toEqual(await expected(groups.cluster, groups.settings));
    }
    expect(crashes).toBeGreaterThan(inLongForm(100, 5));
  },
  120_000,
);
