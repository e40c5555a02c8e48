// A new group that takes over from an old one: each record of the input is given out by one of them.

import { expect, it } from 'vitest';
import { TransactionAborted } from '../../src/io/kafka/contract.js';
import type { WorkerSettings } from '../../src/kafka/settings.js';
import { takeOverWorker } from '../../src/kafka/takingover.js';
import { settingsWithKeys } from '../../src/plan/keys.js';
import { inLongForm } from '../support/form.js';
import { Crash, content, FakeClient, FakeCluster, Fate } from './support/fakecluster.js';
import {
  choices,
  expected,
  isDone,
  makeTopics,
  runToEnd,
  settingsFor,
  startWorker,
  topics,
  until,
  written,
} from './support/workers.js';

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
async function take({ old, cluster, settings }: Groups, fate?: Fate, notices: string[] = []): Promise<Told> {
  const told: Told = { warnings: [], notices };
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
async function runNew(groups: Groups, fate?: Fate, notices?: string[]): Promise<unknown> {
  try {
    await take(groups, fate, notices);
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
    for (let calls = 0, end: unknown = new Crash(); end !== undefined; calls += inLongForm(1, 37)) {
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
    expect(crashes).toBeGreaterThan(inLongForm(100, 3));
  },
  120_000,
);

const exact = { detector: { algorithm: 'exact', ...large } } as const;
const timed = { detector: { algorithm: 'exactwindow', window: '50ms', ...large } } as const;

/** Records of one partition, whose times are their numbers: each identifier comes again after five others. */
function append(cluster: FakeCluster, from: number, to: number, idOf = (i: number) => i % 6): void {
  for (let i = from; i < to; i++) {
    cluster.append(topics.input, 0, content(`k${i}`, JSON.stringify({ id: idOf(i), user: i % 2 }), i + 1));
  }
}

/** An old group of one partition that has given out 100 records, before 20 others came. */
async function beganOne(changes: Changes, newChanges: Changes = changes): Promise<Groups> {
  const groups = groupsOf(changes, newChanges, 1);
  append(groups.old, 0, 100, (i) => i);
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  append(groups.old, 100, 120, (i) => i - 20);
  return groups;
}

function givenOut({ cluster }: Groups): number[] {
  return cluster.committedFrom(topics.output, 0, 0).records.map(({ value }) => JSON.parse(String(value)).id as number);
}

it('observes the input where the output lacks some of what was given out', async () => {
  const groups = await beganOne(exact);
  groups.old.removeBefore(topics.output, 0, 30);
  expect(await runNew(groups)).toBe(undefined);
  const found = givenOut(groups);
  expect(found.length).toBeGreaterThan(60);
  expect(new Set(found).size).toBe(found.length);
});

it.each([
  [
    'without a window',
    exact,
    /partition 0 of out lacks the 30 offsets before 30, and of in lacks the 40 offsets before 40;/,
  ],
  [
    'with a window',
    { detector: { algorithm: 'exactwindow', window: '90s', ...large } },
    /of the window of 90s, and of in lacks the first/,
  ],
  [
    'with a window of elements',
    { detector: { algorithm: 'pocketwindow', window: 1000, memory: '64KiB', keys: ['id'] } },
    /of out lacks \d+ of the \d+ elements of the window, and of in lacks the 40 offsets/,
  ],
] as const)(
  'says what cannot be observed any more, and refuses it unless it is allowed, %s',
  async (_what, options, problem) => {
    const groups = await beganOne(exact, options);
    groups.old.removeBefore(topics.output, 0, 30);
    groups.old.removeBefore(topics.input, 0, 40);
    const before = groups.old.entriesOf(topics.pointers, 0).length;
    const error = await runNew(groups);
    expect(error).toMatchObject({ code: 'E_STATE_DIFFERS', message: expect.stringMatching(problem) });
    expect(String(error)).toMatch(/give allowsMissing to go on without it; repeats of what is missing pass/);
    expect(groups.old.entriesOf(topics.pointers, 0)).toHaveLength(before);
    const allowed = { ...groups, settings: { ...groups.settings, allowsMissing: true } };
    const { warnings } = await take(allowed);
    expect(warnings.join()).toMatch(problem);
    expect(warnings).toHaveLength(1);
    expect(await runToEnd(groups.cluster, { settings: allowed.settings, name: 'new-one' })).toBe(undefined);
  },
);

it('refuses records that the old group has not given out and that are gone, with their number', async () => {
  const groups = await beganOne(exact);
  groups.old.removeBefore(topics.input, 0, 110);
  const position = groups.old.offsets.get(0) as number;
  expect(String(await runNew(groups))).toContain(
    `partition 0 of in has lost ${110 - position} offsets that were not given out`,
  );
  const settings = { ...groups.settings, allowsMissing: true };
  expect(await runNew({ ...groups, settings })).toBe(undefined);
});

it('refuses records that are gone after it has taken over', async () => {
  const groups = await beganOne(timed);
  await take(groups);
  groups.old.removeBefore(topics.input, 0, 110);
  const ended = await runToEnd(groups.cluster, { settings: groups.settings, name: 'new-one' });
  expect(String(ended)).toMatch(
    /the group has taken over its records from 1\d\d on: \d+ offsets are gone; give allowsMissing/,
  );
});

it('observes a window of time from its beginning, and nothing before', async () => {
  const groups = await beganOne(timed);
  const { notices } = await take(groups);
  expect(notices.join()).toMatch(
    /takes over from the group group: 1 partitions, after [5-9]\d offsets of out in silence/,
  );
});

it('does not take for seen what the old group has never given out', async () => {
  const groups = groupsOf({ ...timed, from: 'latest' }, { detector: { ...timed.detector, refresh: true } }, 1);
  append(groups.old, 0, 10, (i) => i);
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  append(groups.old, 10, 20, (i) => i - 10);
  expect(await runNew(groups)).toBe(undefined);
  expect(givenOut(groups)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('goes by other keys', async () => {
  const keys = { place: 'value', format: 'ndjson', keys: ['user'], onError: 'fail' } as const;
  const groups = await beganOne(exact, { keys, detector: { algorithm: 'exact', memory: '64KiB', keys: ['user'] } });
  expect(await runNew(groups)).toBe(undefined);
  expect(givenOut(groups)).toHaveLength(100);
});

it('waits for the end of the old group, and goes on where that has got to meanwhile', async () => {
  const groups = await beganOne(exact);
  const { old, oldSettings } = groups;
  append(old, 120, 160, (i) => i % 140);
  const started = startWorker(old, { settings: oldSettings, name: 'slow' });
  await until(() => isDone(old));
  const notices: string[] = [];
  const end = runNew(groups, undefined, notices);
  await until(() => notices.length > 0);
  append(old, 160, 170, (i) => i);
  await until(() => isDone(old));
  started.stop();
  expect(await end).toBe(undefined);
  expect(written(groups.cluster, groups.settings)).toEqual(await expected(groups.cluster, groups.settings));
});

it('gives out keys that repeat all the time when their window ends', async () => {
  for (let seed = 0; seed < inLongForm(50, 5); seed++) {
    const groups = groupsOf(timed, timed, 1);
    const choose = choices(seed);
    append(groups.old, 0, 200 + 7 * seed, () => choose(5));
    expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
    append(groups.old, 200 + 7 * seed, 320 + 7 * seed, () => choose(5));
    expect(await runNew(groups)).toBe(undefined);
    expect(written(groups.cluster, groups.settings)).toEqual(await expected(groups.cluster, groups.settings));
  }
});

it('does not take over in the place of a member of the old group that comes meanwhile', async () => {
  const groups = await beganOne(exact);
  const { old } = groups;
  const commit = old.end.bind(old);
  let isJoined = false;
  // The group is divided again before the transaction ends.
  old.end = (transaction, state) => {
    if (!isJoined && state === 'committed' && transaction.id === 'new') {
      isJoined = true;
      old.replace('new');
      commit(transaction, 'aborted');
      throw new TransactionAborted('the generation is not the latest');
    }
    commit(transaction, state);
  };
  expect(await runNew(groups)).toBe(undefined);
  expect(isJoined).toBe(true);
  expect(givenOut(groups)).toHaveLength(100);
});

it('is taken over once by several workers that start at the same time', async () => {
  const groups = await beganOne(exact);
  const tolds = await Promise.all([take(groups), take(groups), take(groups)]);
  expect(tolds).toHaveLength(3);
  const notes = groups.cluster.committedFrom(NEW_POINTERS, 0, 0).records;
  expect(notes).toHaveLength(1);
});

it('goes on when it is told again from which group, also if the topics of that group are gone', async () => {
  const groups = await beganOne(exact);
  expect(await runNew(groups)).toBe(undefined);
  groups.old.topics.delete(topics.pointers);
  append(groups.old, 120, 130, (i) => i);
  expect(await runNew(groups)).toBe(undefined);
  expect(givenOut(groups)).toHaveLength(110);
});

it('begins partitions that were added at their start', async () => {
  const groups = await beganOne(exact);
  for (const topic of [topics.input, topics.output, topics.duplicates, NEW_POINTERS]) {
    const { partitions, low } = groups.old.topics.get(topic) as { partitions: unknown[]; low: number[] };
    partitions.push([]);
    low.push(0);
  }
  groups.old.append(topics.input, 1, content('a', '{"id":1}', 1));
  const settings = { ...groups.settings, partitions: 2 };
  expect(await runNew({ ...groups, settings })).toBe(undefined);
  expect(groups.cluster.committedFrom(topics.output, 1, 0).records).toHaveLength(1);
  expect(givenOut(groups)).toHaveLength(100);
});

it('can be taken over from itself, also before it has given anything out', async () => {
  for (const isRun of [true, false]) {
    const groups = await beganOne(exact);
    if (isRun) expect(await runNew(groups)).toBe(undefined);
    else await take(groups);
    const third = new FakeCluster(groups.old);
    groups.old.make('third-pointers', 1);
    const asked = { group: 'third', topics: { ...topics, pointers: 'third-pointers' } };
    const settings = { ...groups.settings, ...asked, folder: settingsFor().folder };
    await takeOverWorker(
      {
        client: new FakeClient(third, 'third-one'),
        old: new FakeClient(groups.cluster, 'third'),
        ...{ settings, oldGroup: { group: 'new', pointers: NEW_POINTERS } },
        onNotice: () => undefined,
        onWarning: () => undefined,
      },
      await settingsWithKeys({ ...settings.detector, clock: 'manual' }),
    );
    append(groups.old, 120, 130, (i) => i - 10);
    expect(await runToEnd(third, { settings, name: 'third-one' })).toBe(undefined);
    expect(givenOut(groups)).toEqual(Array.from({ length: 120 }, (_, i) => i).filter((i) => i < 100 || i >= 110));
  }
});

it.each([
  [
    'a group that has no pointers',
    { group: 'other', pointers: topics.pointers },
    /has no pointer of the group other and the topic in; correct/,
  ],
  [
    'a topic that does not exist',
    { group: 'group', pointers: 'nothing' },
    /the topic nothing with the pointers of fromGroup group does not exist/,
  ],
] as const)('refuses %s', async (_what, old, problem) => {
  const groups = await beganOne(exact);
  const { settings, cluster } = groups;
  const taking = takeOverWorker(
    {
      client: new FakeClient(cluster, 'new-one'),
      old: new FakeClient(groups.old, 'new'),
      ...{ settings: { ...settings, old }, oldGroup: old },
      onNotice: () => undefined,
      onWarning: () => undefined,
    },
    await settingsWithKeys({ ...settings.detector, clock: 'manual' }),
  );
  await expect(taking).rejects.toThrow(problem);
});

it('refuses a group that has begun before, and an old one that another group has taken', async () => {
  const groups = await beganOne(exact);
  expect(await runToEnd(groups.cluster, { settings: groups.settings, name: 'new-one' })).toBe(undefined);
  expect(String(await runNew(groups))).toMatch(
    /the group new has begun before, and cannot take over from group any more; leave/,
  );
  const others = await beganOne(exact);
  expect(await runNew(others)).toBe(undefined);
  const settings = { ...others.settings, group: 'third' };
  expect(String(await runNew({ ...others, settings }))).toMatch(
    /the group new has taken over from group; give group new/,
  );
});

it('names a new group where a detector is full', async () => {
  const groups = groupsOf({ detector: { algorithm: 'exact', ...small } }, exact, 1);
  append(groups.old, 0, 700, (i) => i);
  const ended = await runToEnd(groups.old, { settings: groups.oldSettings });
  expect(ended).toMatchObject({ code: 'E_FULL' });
  expect(String(ended)).toMatch(
    /give more memory, or an algorithm that forgets, and another group with fromGroup and the name of this one/,
  );
  expect(await runNew(groups)).toBe(undefined);
  expect(givenOut(groups)).toEqual(Array.from({ length: 700 }, (_, i) => i));
});

it('says where a window begins otherwise than in the old group', async () => {
  const groups = await beganOne({ detector: { algorithm: 'exactwindow', window: 20, ...large } });
  const { warnings } = await take(groups);
  expect(warnings.join()).toMatch(
    /observes the input of the partitions 0, .* up to a window too early or too late, once/,
  );
});
