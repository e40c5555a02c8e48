// A new group that takes over from an old one: each record of the input is emitted by one of them.

import { expect, it, onTestFinished, vi } from 'vitest';
import { TransactionAborted } from '../../src/io/kafka/contract.js';
import { preparePointers } from '../../src/kafka/partition/opening.js';
import { takeOverWorker } from '../../src/kafka/takeover/takingover.js';
import { settingsWithKeys } from '../../src/plan/keys.js';
import { inLongForm } from '../support/form.js';
import { Crash, content, FakeClient, FakeCluster, Fate } from './support/fakecluster.js';
import {
  append,
  beganOne,
  begun,
  exact,
  fill,
  givenOut,
  groupsOf,
  large,
  NEW_POINTERS,
  runNew,
  small,
  take,
} from './support/groups.js';
import {
  choices,
  expected,
  isDone,
  runToEnd,
  settingsFor,
  startWorker,
  topics,
  until,
  written,
} from './support/workers.js';

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

it.each(changes)('emits each record once, and forgets nothing, with %s', async (_what, before, after) => {
  for (let seed = 1; seed <= inLongForm(10, 2); seed++) {
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
    for (let calls = 0, end: unknown = new Crash(); end !== undefined; calls += inLongForm(1, 61)) {
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
      if (again === undefined && end === undefined) throw new Error('both groups emit records');
      fill(groups.old, choices(8), { from: 200, to: 220, partitions });
      expect(await runNew(groups)).toBe(undefined);
      expect(written(groups.cluster, groups.settings)).toEqual(await expected(groups.cluster, groups.settings));
    }
    expect(crashes).toBeGreaterThan(inLongForm(100, 2));
  },
  120_000,
);

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

it('is as it was when the new one is asked to stop meanwhile', async () => {
  const groups = await beganOne(exact);
  const stopped = take(groups, undefined, [], AbortSignal.abort());
  await expect(stopped).rejects.toMatchObject({ name: 'Stopped' });
  expect(groups.old.memberNames).toEqual([]);
  expect(groups.cluster.committedFrom(NEW_POINTERS, 0, 0).records).toEqual([]);
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
});

it('is taken over once by several workers that start at the same time', async () => {
  const groups = await beganOne(exact);
  const tolds = await Promise.all([take(groups), take(groups), take(groups)]);
  expect(tolds).toHaveLength(3);
  const notes = groups.cluster.committedFrom(NEW_POINTERS, 0, 0).records;
  expect(notes).toHaveLength(1);
});

it.each([1, 2, 3, 4])(
  'is taken over by another worker of the new group before call %i for the id of a topic',
  async (call) => {
    const groups = await beganOne(exact);
    const { topicId } = FakeClient.prototype;
    let calls = 0;
    const spy = vi.spyOn(FakeClient.prototype, 'topicId').mockImplementation(async function (this: FakeClient, topic) {
      if (++calls === call) await take(groups);
      return topicId.call(this, topic);
    });
    onTestFinished(() => spy.mockRestore());
    await take(groups);
    expect(calls).toBeGreaterThan(call);
    expect(groups.cluster.committedFrom(NEW_POINTERS, 0, 0).records).toHaveLength(1);
  },
);

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
  for (const topic of [topics.input, topics.output, topics.duplicatesTo, NEW_POINTERS]) {
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
    /the group new has already begun, and can no longer take over from group; leave/,
  );
  const others = await beganOne(exact);
  expect(await runNew(others)).toBe(undefined);
  const settings = { ...others.settings, group: 'third' };
  expect(String(await runNew({ ...others, settings }))).toMatch(
    /the group new has taken over from group; give group new/,
  );
});

it('names the group that has taken over also where the input was given partitions', async () => {
  const groups = await beganOne(exact);
  const start = () =>
    preparePointers(new FakeClient(groups.old, 'one'), { ...groups.oldSettings, partitions: 2 }, () => undefined);
  groups.old.resize(topics.input, 2);
  await expect(start()).rejects.toThrow(/has 1 partition, but in has 2.*and the name of this one/);
  groups.old.resize(topics.input, 1);
  await take(groups);
  groups.old.resize(topics.input, 2);
  await expect(start()).rejects.toThrow(/the group new has taken over the partition 0 of in .*give group new/);
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

it('says whether it waits for workers of the old group, or for one of its own that has begun to take over', async () => {
  const groups = await beganOne(exact);
  const { old, settings } = groups;
  for (const name of ['one', settings.group]) old.join(name, topics.input);
  const told: string[] = [];
  const notices = Object.assign([] as string[], {
    push: (message: string) => {
      for (const name of old.memberNames) old.expire(name);
      return told.push(message);
    },
  });
  await take(groups, undefined, notices);
  expect(told[0]).toBe(
    'the worker waits until the group group has no members: one, new (a worker of this group that takes over, or did until it was killed)',
  );
});
