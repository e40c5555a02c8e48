// What a new group observes in silence before it goes on where an old one has stopped, and what it refuses because it is missing.

import { expect, it } from 'vitest';
import type { WorkerSettings } from '../../src/kafka/settings.js';
import { inLongForm } from '../support/form.js';
import { append, beganOne, exact, givenOut, groupsOf, large, runNew, take, timed } from './support/groups.js';
import { choices, expected, runToEnd, topics, written } from './support/workers.js';

it('observes the input where the output lacks some of what was emitted', async () => {
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

it('refuses records that the old group has not emitted and that are gone, with their number', async () => {
  const groups = await beganOne(exact);
  groups.old.removeBefore(topics.input, 0, 110);
  const position = groups.old.offsets.get(0) as number;
  expect(String(await runNew(groups))).toContain(
    `partition 0 of in has lost ${110 - position} offsets that were not emitted`,
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
    /the worker takes over from the group group \(1 partition\): it first observes [5-9]\d offsets of out, and emits none of them/,
  );
});

it('does not take for seen what the old group has never emitted', async () => {
  const groups = groupsOf({ ...timed, from: 'latest' }, { detector: { ...timed.detector, refresh: true } }, 1);
  append(groups.old, 0, 10, (i) => i);
  expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
  append(groups.old, 10, 20, (i) => i - 10);
  expect(await runNew(groups)).toBe(undefined);
  expect(givenOut(groups)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('emits keys that repeat all the time when their window ends', async () => {
  for (let seed = 0; seed < inLongForm(50, 2); seed++) {
    const groups = groupsOf(timed, timed, 1);
    const choose = choices(seed);
    append(groups.old, 0, 200 + 7 * seed, () => choose(5));
    expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
    append(groups.old, 200 + 7 * seed, 320 + 7 * seed, () => choose(5));
    expect(await runNew(groups)).toBe(undefined);
    expect(written(groups.cluster, groups.settings)).toEqual(await expected(groups.cluster, groups.settings));
  }
});

it('says where a window begins otherwise than in the old group', async () => {
  const groups = await beganOne({ detector: { algorithm: 'exactwindow', window: 20, ...large } });
  const { warnings } = await take(groups);
  expect(warnings.join()).toMatch(
    /observes the input of the partitions 0, .* once, up to a window too early or too late/,
  );
});

/** The window of the old group, in milliseconds. */
const OLD_WINDOW = 100;
const KEYS = 60;

/** An old window, and a new one that remembers for longer: by its slack, or because it is longer. */
const longer: readonly [what: string, detector: WorkerSettings['detector'], window: number][] = [
  ['apbf', { algorithm: 'apbf', window: '100ms', ...large }, OLD_WINDOW],
  ['pocketwindow', { algorithm: 'pocketwindow', window: '100ms', ...large }, OLD_WINDOW],
  ['a window that is three times as long', { algorithm: 'exactwindow', window: '300ms', ...large }, 3 * OLD_WINDOW],
  [
    'a window that is full',
    { algorithm: 'exactwindow', window: '300ms', memory: KEYS * 24, keys: ['id'] },
    3 * OLD_WINDOW,
  ],
];

it.each(longer)('lets no repeat pass within a window of what was emitted, with %s', async (_what, detector, window) => {
  const old = { detector: { algorithm: 'exactwindow', window: '100ms', ...large } } as const;
  for (const pause of [OLD_WINDOW + 1, OLD_WINDOW + 20, OLD_WINDOW + 60]) {
    const groups = groupsOf(old, { detector }, 1);
    // All are emitted twice: the old window has ended.
    append(groups.old, 0, KEYS, (i) => i);
    append(groups.old, pause, pause + KEYS, (i) => i - pause);
    expect(await runToEnd(groups.old, { settings: groups.oldSettings })).toBe(undefined);
    expect(givenOut(groups)).toHaveLength(2 * KEYS);
    append(groups.old, pause + window - 1, pause + window + KEYS - 1, (i) => i - pause - window + 1);
    expect(await runNew(groups)).toBe(undefined);
    expect(givenOut(groups).slice(2 * KEYS)).toEqual([]);
  }
});
