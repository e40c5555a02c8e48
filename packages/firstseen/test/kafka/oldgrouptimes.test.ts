// A new group whose window goes on where that of the old one was, whatever the times of the records and of the output are: both write what one
// process writes that never stops.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkerSettings } from '../../src/kafka/settings.js';
import { inLongForm } from '../support/form.js';
import { content, FakeCluster } from './support/fakecluster.js';
import { type Groups, groupsOf, NEW_POINTERS, runNew, take } from './support/groups.js';
import { choices, makeTopics, runToEnd, settingsFor, topics } from './support/workers.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 5, 1);
/** A backlog begins three days ago. */
const BACKLOG = NOW - 72 * HOUR;

let now = NOW;

beforeEach(() => {
  now = NOW;
  vi.spyOn(Date, 'now').mockImplementation(() => now);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const exactwindow = { algorithm: 'exactwindow', window: '1h', memory: '64KiB', keys: ['id'] } as const;
const pocketwindow = { algorithm: 'pocketwindow', window: '1h', memory: '64KiB', keys: ['id'] } as const;

/** A record of an identifier, and its time. */
type Sent = readonly [id: string, time: number];

/** What comes before the takeover and after it, and the clock of the machine then. */
interface Story {
  before: readonly Sent[];
  after: readonly Sent[];
  nowAfter?: number;
  detector?: WorkerSettings['detector'];
  changes?: Partial<WorkerSettings>;
}

function at(begin: number, ...records: readonly (readonly [id: string, minutes: number])[]): Sent[] {
  return records.map(([id, minutes]) => [id, begin + minutes * MINUTE]);
}

/** Appends records whose values are their numbers and identifiers, and lets what is written without a time have the present one. */
function append(cluster: FakeCluster, records: readonly Sent[]): void {
  cluster.stampIn(topics.output, (time) => (time > 0 ? time : now));
  const from = cluster.entriesOf(topics.input, 0).length;
  for (const [i, [id, time]] of records.entries()) {
    cluster.append(topics.input, 0, content(null, JSON.stringify({ id, number: from + i }), time));
  }
}

function idsIn(cluster: FakeCluster, topic: string): string[] {
  const { records } = cluster.committedFrom(topic, 0, 0);
  return records.map(({ value }) => Buffer.from(value as Uint8Array).toString());
}

/** What one group writes that reads all of a story. */
async function oneProcess({
  before,
  after,
  nowAfter = NOW,
  detector = exactwindow,
  changes,
}: Story): Promise<string[]> {
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const settings = settingsFor({ detector, partitions: 1, maxRecords: 1, ...changes });
  append(cluster, before);
  now = NOW;
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  append(cluster, after);
  now = nowAfter;
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  return idsIn(cluster, topics.output);
}

/** An old group that has read the first part of a story, before the second part came. */
async function stopped({ before, after, nowAfter = NOW, detector = exactwindow, changes }: Story): Promise<Groups> {
  const groups = groupsOf({ detector, maxRecords: 1, ...changes }, { detector, ...changes }, 1);
  append(groups.old, before);
  now = NOW;
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  append(groups.old, after);
  now = nowAfter;
  return groups;
}

/** A third group that takes over from the second one. */
function thirdOf({ old, cluster, settings }: Groups): Groups {
  old.make('third-pointers', 1);
  const of = { group: 'third', topics: { ...topics, pointers: 'third-pointers' } };
  return {
    ...{ old: cluster, cluster: new FakeCluster(old), oldSettings: settings },
    settings: { ...settings, ...of, folder: settingsFor().folder, old: { group: 'new', pointers: NEW_POINTERS } },
  };
}

async function expectSame(story: Story, name?: string): Promise<string[]> {
  const groups = await stopped(story);
  expect(await runNew(groups), name).toBe(undefined);
  const found = idsIn(groups.cluster, topics.output);
  expect(found, name).toEqual(await oneProcess(story));
  return found.map((text) => (JSON.parse(text) as { id: string }).id);
}

const stories: Record<string, Story & { given: string }> = {
  'a record without a time': {
    before: [...at(BACKLOG, ['A', 0], ['B', 10]), ['Z', 0], ...at(BACKLOG, ['C', 20])],
    after: at(BACKLOG, ['A', 30], ['D', 40], ['D', 140], ['C', 141], ['A', 300]),
    given: 'ABZCDDCA',
  },
  'a record with the time -1, after which the window reaches the present': {
    before: [...at(NOW - 40 * MINUTE, ['A', 0], ['B', 10]), ['Z', -1], ...at(NOW - 40 * MINUTE, ['C', 20], ['C', 41])],
    after: at(NOW - 40 * MINUTE, ['A', 50], ['A', 61], ['B', 69], ['B', 75], ['C', 78], ['C', 79], ['C', 81]),
    nowAfter: NOW + HOUR,
    given: 'ABZCABC',
  },
  'an early record whose time has come since': {
    before: at(NOW, ['A', -20], ['E', 50], ['B', -5], ['C', -1]),
    after: at(NOW, ['A', 39], ['B', 54], ['A', 55], ['C', 58], ['B', 60], ['E', 70], ['E', 75], ['C', 90], ['B', 115]),
    nowAfter: NOW + 3 * HOUR,
    given: 'AEBCABEC',
  },
  'an early repeat whose time has come since': {
    before: at(NOW, ['A', -20], ['A', 50], ['B', -5], ['C', -1]),
    after: at(NOW, ['A', 39], ['B', 54], ['A', 55], ['B', 60]),
    nowAfter: NOW + 3 * HOUR,
    given: 'ABCAB',
  },
  'a window that only repeats have moved': {
    before: at(BACKLOG, ['A', 0], ['B', 10], ['B', 65]),
    after: at(BACKLOG, ['A', 59]),
    given: 'ABA',
  },
  'a window that only repeats have moved, and late records after': {
    before: at(BACKLOG, ['A', 0], ['B', 10], ['B', 65]),
    after: at(BACKLOG, ['X', 20], ['C', 66], ['X', 90]),
    given: 'ABXC',
  },
  'a late record after a repeat': {
    before: at(BACKLOG, ['A', 0], ['B', 10], ['B', 65], ['X', 20], ['C', 66]),
    after: at(BACKLOG, ['X', 90], ['X', 124], ['X', 126], ['C', 127]),
    given: 'ABXCXC',
  },
  'a late record that is earlier than the window by its own time': {
    before: at(BACKLOG, ['A', 0], ['B', 10], ['B', 65], ['X', 1], ['C', 69]),
    after: at(BACKLOG, ['X', 100], ['X', 126]),
    given: 'ABXCX',
  },
  'first records that are early or have no time': {
    before: [['A', 0], ...at(NOW, ['B', 50], ['A', 51])],
    after: at(NOW, ['A', -30], ['B', -29], ['C', -28], ['B', 20], ['A', 31], ['C', 33]),
    nowAfter: NOW + 3 * HOUR,
    given: 'ABCAC',
  },
  'first records that are early or have no time, before one that has': {
    before: [['A', -1], ...at(NOW, ['B', 50], ['A', 51], ['A', -30], ['C', -29])],
    after: at(NOW, ['B', -28], ['A', 20], ['A', 31], ['B', 32], ['C', 33]),
    nowAfter: NOW + 3 * HOUR,
    given: 'ABCABC',
  },
  'a window in which nothing was emitted': {
    before: at(BACKLOG, ['A', 0], ['A', 50], ['B', 51], ['A', 59]),
    after: at(BACKLOG, ['A', 1], ['A', 61], ['B', 1], ['B', 112]),
    given: 'ABAB',
  },
};

describe.each(Object.entries(stories))('%s', (_what, { given, ...story }) => {
  it.each([
    ['exactwindow', exactwindow],
    ['exactwindow that repeats restart', { ...exactwindow, refresh: true }],
    ['pocketwindow', pocketwindow],
  ])('is as for one process, with %s', async (_name, detector) => {
    const found = await expectSame({ ...story, detector });
    if (detector === exactwindow) expect(found.join('')).toBe(given);
  });
});

/** Records in a backlog or at present: some are late, early or without a time, and some in pauses. */
function chosen(choose: (below: number) => number, begin: number, records: number): { sent: Sent[]; end: number } {
  let time = begin;
  const sent: Sent[] = [];
  for (let i = 0; i < records; i++) {
    time += choose(50) === 0 ? choose(2 * HOUR) : choose(4 * MINUTE);
    const kind = choose(12);
    const id = `k${choose(25)}`;
    if (kind === 0) sent.push([id, choose(2) - 1]);
    else if (kind === 1) sent.push([id, time - choose(3 * HOUR)]);
    else if (kind === 2) sent.push([id, NOW + choose(10 * HOUR)]);
    else sent.push([id, time]);
  }
  return { sent, end: time };
}

it.each([
  ['', 0, {}],
  ['', 24, {}],
  [' that repeats restart', 0, { refresh: true }],
  [' that repeats restart', 24, { refresh: true }],
])(
  'both groups write what one process writes, with a window%s, in a backlog that ends %i hours ago',
  async (_what, hours, more) => {
    const detector = { ...exactwindow, ...more };
    for (let seed = 1; seed <= inLongForm(60, 1); seed++) {
      const choose = choices(seed);
      const before = chosen(choose, NOW - (hours + 4) * HOUR, 60);
      const after = chosen(choose, before.end, 60);
      await expectSame({ before: before.sent, after: after.sent, nowAfter: NOW + 12 * HOUR, detector }, `seed ${seed}`);
    }
  },
);

it('goes on through a second takeover', async () => {
  for (let seed = 1; seed <= inLongForm(60, 1); seed++) {
    const choose = choices(seed);
    const before = chosen(choose, NOW - 8 * HOUR, 50);
    const between = chosen(choose, before.end, 50);
    const after = chosen(choose, between.end, 50);
    const story = { before: before.sent, after: between.sent };
    const groups = await stopped(story);
    expect(await runNew(groups), `seed ${seed}, second group`).toBe(undefined);
    append(groups.old, after.sent);
    const third = thirdOf(groups);
    expect(await runNew(third), `seed ${seed}, third group`).toBe(undefined);
    const found = idsIn(groups.cluster, topics.output);
    expect(found, `seed ${seed}`).toEqual(await oneProcess({ ...story, after: [...between.sent, ...after.sent] }));
  }
});

const inOrder: Story = {
  before: at(BACKLOG, ['A', 0], ['B', 10], ['A', 20]),
  after: at(BACKLOG, ['A', 30], ['B', 40], ['C', 50], ['A', 61]),
};

it('observes the input where the output has times of its own, and says why', async () => {
  const groups = groupsOf({ detector: exactwindow }, { detector: exactwindow }, 1);
  append(groups.old, inOrder.before);
  groups.old.stampIn(topics.output, () => now);
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  groups.old.stampIn(topics.output, (time) => time);
  const { warnings } = await take(groups);
  expect(warnings.join()).toMatch(
    /^out lacks the times of the records: its message.timestamp.type is LogAppendTime, or others have written to it; the worker observes the input/,
  );
  append(groups.old, inOrder.after);
  expect(await runToEnd(groups.cluster, { settings: groups.settings, name: 'new-one' })).toBe(undefined);
  expect(idsIn(groups.cluster, topics.output)).toEqual(await oneProcess(inOrder));
});

it('refuses an output with times of its own where the input lacks some of the window', async () => {
  const groups = groupsOf({ detector: exactwindow }, { detector: exactwindow }, 1);
  append(groups.old, inOrder.before);
  groups.old.stampIn(topics.output, () => now);
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  groups.old.removeBefore(topics.input, 0, 2);
  const refused = await runNew(groups);
  expect(refused).toMatchObject({ code: 'E_STATE_DIFFERS' });
  expect(String(refused)).toMatch(
    /partition 0 of out lacks the times of the records: .*, and of in lacks the first 1h of the window of 1h; give allowsMissing/,
  );
});

it('does not take a late record for the beginning of the window where what was before is gone', async () => {
  const groups = await stopped({ before: at(BACKLOG, ['A', 10], ['A', 65], ['X', 1]), after: [] });
  groups.old.removeBefore(topics.output, 0, 2);
  groups.old.removeBefore(topics.input, 0, 2);
  const refused = await runNew(groups);
  expect(refused).toMatchObject({ code: 'E_STATE_DIFFERS' });
  expect(String(refused)).toMatch(
    /out lacks what is in the window before the offset 2, and of in lacks what is in the window before the offset 2; give/,
  );
});

/** Removes a topic, and makes it again with the records that it had. */
function remake(cluster: FakeCluster, topic: string): void {
  const entries = cluster.entriesOf(topic, 0);
  cluster.make(topic, 1);
  cluster.entriesOf(topic, 0).push(...entries);
}

it.each([
  ['without a window', { algorithm: 'exact', memory: '64KiB', keys: ['id'] }],
  ['with a window', exactwindow],
  ['with a window of elements', { algorithm: 'pocketwindow', window: 100, memory: '64KiB', keys: ['id'] }],
] as const)('does not observe an output that was made again, %s', async (_what, detector) => {
  const groups = await stopped({ ...inOrder, detector });
  groups.old.make(topics.output, 1);
  expect(await runNew(groups)).toBe(undefined);
  const all = await oneProcess({ ...inOrder, detector });
  const before = await oneProcess({ ...inOrder, after: [], detector });
  expect(idsIn(groups.cluster, topics.output)).toEqual(all.slice(before.length));

  const others = await stopped({ ...inOrder, detector });
  remake(others.old, topics.output);
  others.old.removeBefore(topics.input, 0, 1);
  const refused = await runNew(others);
  expect(refused).toMatchObject({ code: 'E_STATE_DIFFERS' });
  expect(String(refused)).toMatch(
    /partition 0 of out lacks what was emitted: it was re-created after the group began, and of in lacks .*; give allowsMissing/,
  );
});

it('refuses an output that was re-created while the old group stood still, and was started again', async () => {
  const detector = { algorithm: 'exact', memory: '64KiB', keys: ['id'] } as const;
  const groups = await stopped({ ...inOrder, detector });
  remake(groups.old, topics.output);
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  groups.old.removeBefore(topics.input, 0, 1);
  expect(String(await runNew(groups))).toMatch(/partition 0 of out lacks what was emitted: it was re-created/);
});

it('refuses an output that is made again after the takeover, before it is observed', async () => {
  const groups = await stopped(inOrder);
  await take(groups);
  remake(groups.old, topics.output);
  const start = { settings: groups.settings, name: 'new-one' };
  expect(String(await runToEnd(groups.cluster, start))).toMatch(
    /the topic out was re-created after the group took over; give allowsMissing/,
  );
  const settings = { ...groups.settings, allowsMissing: true };
  expect(await runToEnd(groups.cluster, { ...start, settings })).toBe(undefined);
});

it('remembers what was seen when the old group has set its clock back', async () => {
  const story: Story = {
    before: at(NOW, ['A', -20], ['B', -10]),
    after: at(NOW, ['A', -4], ['B', 30], ['A', 54], ['B', 62], ['C', 63]),
    nowAfter: NOW + 2 * HOUR,
  };
  const groups = await stopped({ ...story, after: [] });
  // The clock of the machine was ahead, and is right now.
  now = NOW + 5 * HOUR;
  append(groups.old, at(NOW, ['C', 4.9 * 60]));
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  now = NOW;
  append(groups.old, at(NOW, ['D', -2]));
  const settings = { ...groups.oldSettings, clock: { isClockReset: true } };
  expect(await runToEnd(groups.old, { settings })).toBe(undefined);
  append(groups.old, story.after);
  now = NOW + 2 * HOUR;
  expect(await runNew(groups)).toBe(undefined);
  const found = idsIn(groups.cluster, topics.output).map((text) => (JSON.parse(text) as { id: string }).id);
  // At present C and D are in the window, and nothing before: it was five hours ahead.
  expect(found.join('')).toBe('ABCDABC');
});

const AHEAD = at(NOW, ['X', -30], ['A', 290], ['B', 291]);
const CORRECT = at(NOW, ['A', -20], ['C', 2]);

/** Emits two parts of a story with the old group, whose window is set back between them. */
async function setBackBetween(groups: Groups, before: readonly Sent[], between: readonly Sent[]): Promise<void> {
  append(groups.old, before);
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  now = NOW;
  append(groups.old, between);
  const settings = { ...groups.oldSettings, clock: { isClockReset: true } };
  expect(await runToEnd(groups.old, { settings })).toBe(undefined);
}

it.each([
  ['first records that were ahead', exactwindow, at(NOW, ['A', 290], ['B', 290]), at(NOW, ['A', -1], ['C', -1])],
  ['others before them', exactwindow, AHEAD, CORRECT],
  ['others before them, and repeats that restart', { ...exactwindow, refresh: true }, AHEAD, CORRECT],
  ['others before them, in pocketwindow', pocketwindow, AHEAD, CORRECT],
  ['no record after it', exactwindow, AHEAD, []],
  ['a repeat that has moved it', exactwindow, at(NOW, ['A', -2], ['B', -1], ['B', 291]), at(NOW, ['C', -1])],
  ['an early record before', exactwindow, at(NOW, ['A', 900], ['B', 290], ['A', 280]), at(NOW, ['C', -1])],
])('has seen what a group that was set back has, with %s', async (_what, detector, before, between) => {
  const after = at(NOW, ['A', -10], ['B', 1], ['C', 2], ['D', 3], ['A', 58], ['C', 59], ['A', 130], ['B', 131]);
  const emitted = async (isTakenOver: boolean) => {
    const groups = groupsOf({ detector, maxRecords: 1 }, { detector }, 1);
    // The clock of the machine is ahead, and is right after it.
    now = NOW + 5 * HOUR;
    await setBackBetween(groups, before, between);
    append(groups.old, after);
    now = NOW + 3 * HOUR;
    if (isTakenOver) expect(await runNew(groups)).toBe(undefined);
    else expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
    return idsIn(isTakenOver ? groups.cluster : groups.old, topics.output);
  };
  expect(await emitted(true)).toEqual(await emitted(false));
});

it('gives a group without a window one in time, which the present times of records without one do not move', async () => {
  const exact = { algorithm: 'exact', memory: '64KiB', keys: ['id'] } as const;
  const story = stories['a record without a time'] as Story;
  const groups = groupsOf({ detector: exact, maxRecords: 1 }, { detector: exactwindow }, 1);
  append(groups.old, story.before);
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  append(groups.old, story.after);
  expect(await runNew(groups)).toBe(undefined);
  expect(idsIn(groups.cluster, topics.output)).toEqual(await oneProcess(story));
});
