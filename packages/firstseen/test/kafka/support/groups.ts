// An old group and a new one that takes over from it, over the same topics in memory.

import { expect } from 'vitest';
import type { WorkerSettings } from '../../../src/kafka/settings.js';
import { takeOverWorker } from '../../../src/kafka/takeover/takingover.js';
import { settingsWithKeys } from '../../../src/plan/keys.js';
import { content, FakeClient, FakeCluster, type Fate } from './fakecluster.js';
import { choices, makeTopics, runToEnd, settingsFor, topics } from './workers.js';

export const NEW_POINTERS = 'new-pointers';
export const OLD_GROUP = { group: 'group', pointers: topics.pointers };

/** Both groups over the same topics. */
export interface Groups {
  old: FakeCluster;
  cluster: FakeCluster;
  oldSettings: WorkerSettings;
  settings: WorkerSettings;
}

export type Changes = Partial<WorkerSettings>;

export function groupsOf(oldChanges: Changes, newChanges: Changes = oldChanges, partitions = 3): Groups {
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
export function fill(
  cluster: FakeCluster,
  choose: (below: number) => number,
  { from, to, partitions = 3 }: Filling,
): void {
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

export interface Filling {
  from: number;
  to: number;
  partitions?: number;
}

export interface Told {
  warnings: string[];
  notices: string[];
}

/** Takes over. @returns what was said */
export async function take(
  { old, cluster, settings }: Groups,
  fate?: Fate,
  notices: string[] = [],
  signal?: AbortSignal,
): Promise<Told> {
  const told: Told = { warnings: [], notices };
  await takeOverWorker(
    {
      client: new FakeClient(cluster, 'new-one', fate),
      old: new FakeClient(old, settings.group, fate),
      ...{ settings, oldGroup: settings.old ?? OLD_GROUP, signal },
      onNotice: (message) => told.notices.push(message),
      onWarning: (message) => told.warnings.push(message),
    },
    await settingsWithKeys({ ...settings.detector, clock: 'manual' }),
  );
  return told;
}

/** Takes over, and emits what is left. @returns what it ended with */
export async function runNew(groups: Groups, fate?: Fate, notices?: string[]): Promise<unknown> {
  try {
    await take(groups, fate, notices);
  } catch (error) {
    return error;
  }
  const { cluster, settings } = groups;
  return runToEnd(cluster, { settings, name: 'new-one', ...(fate ? { fate } : {}) });
}

/** An old group that has emitted some records, before others came. */
export async function begun(groups: Groups, seed = 1, records = 240): Promise<void> {
  const choose = choices(seed);
  const { partitions } = groups.settings;
  fill(groups.old, choose, { from: 0, to: records, partitions });
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  fill(groups.old, choose, { from: records, to: records + records / 2, partitions });
}

export const large = { memory: '64KiB', keys: ['id'] } as const;
export const small = { memory: '4KiB', keys: ['id'] } as const;

export const exact = { detector: { algorithm: 'exact', ...large } } as const;
export const timed = { detector: { algorithm: 'exactwindow', window: '50ms', ...large } } as const;

/** Records of one partition, whose times are their numbers: each identifier comes again after five others. */
export function append(cluster: FakeCluster, from: number, to: number, idOf = (i: number) => i % 6): void {
  for (let i = from; i < to; i++) {
    cluster.append(topics.input, 0, content(`k${i}`, JSON.stringify({ id: idOf(i), user: i % 2 }), i + 1));
  }
}

/** An old group of one partition that has emitted 100 records, before 20 others came. */
export async function beganOne(changes: Changes, newChanges: Changes = changes): Promise<Groups> {
  const groups = groupsOf(changes, newChanges, 1);
  append(groups.old, 0, 100, (i) => i);
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  append(groups.old, 100, 120, (i) => i - 20);
  return groups;
}

export function givenOut({ cluster }: Groups): number[] {
  return cluster.committedFrom(topics.output, 0, 0).records.map(({ value }) => JSON.parse(String(value)).id as number);
}
