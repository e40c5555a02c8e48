// What the server keeps of the past: rates, means and how many histories, with a clock of the test.

import { expect, test } from 'vitest';
import { runAtOnce } from '../../src/base/steps.js';
import { History, MAX_HISTORIES } from '../../src/serve/history/history.js';
import { measures, spans } from '../../src/serve/history/points.js';
import { newCounts } from '../../src/serve/session.js';
import { DetectorStore } from '../../src/serve/store/store.js';

const filter = { options: { algorithm: 'bloom', memory: 1024 } } as const;

interface Scene {
  store: DetectorStore;
  history: History;
  /** Lets seconds pass, with a look at the end of each. */
  pass(seconds: number): void;
  observe(name: string, keys: readonly string[]): void;
}

async function scene(count: number): Promise<Scene> {
  const store = new DetectorStore({ memoryBytes: 2 ** 30, maxDetectors: 1000, maxNameBytes: 100 });
  for (let i = 0; i < count; i++) await store.create(`d${i}`, filter);
  let time = 1_000_000;
  const history = new History(store, { now: () => time });
  return {
    store,
    history,
    pass: (seconds) => {
      for (let i = 0; i < seconds; i++) {
        time += 1000;
        runAtOnce(history.lookInSteps());
      }
    },
    observe: (name, keys) => {
      for (const key of keys) store.find(name)?.detector.observe(key);
    },
  };
}

test('rates are of the last second, by the time that has passed, and the totals are their sum', async () => {
  const { history, store, pass, observe } = await scene(2);
  pass(1);
  observe('d0', ['a', 'b', 'a']);
  observe('d1', ['c']);
  pass(1);
  const [one, other] = [...store.list()];
  expect(one && history.ratesOf(one)).toMatchObject({ records: 3, duplicates: 1 });
  expect(other && history.ratesOf(other)).toMatchObject({ records: 1, duplicates: 0 });
  expect(history.totals.latest).toMatchObject({ records: 4, duplicates: 1 });
  pass(1);
  expect(history.totals.latest).toMatchObject({ records: 0, duplicates: 0 });
  store.close();
});

test('what a detector did before the first look, and one that is cleared or removed, is in no rate', async () => {
  const { history, store, pass, observe } = await scene(2);
  observe('d0', ['a', 'b']);
  pass(1);
  expect(history.totals.latest.records).toBe(0);
  store.find('d0')?.clear();
  pass(1);
  expect(history.totals.latest.records).toBe(0);
  observe('d1', ['a']);
  store.drop('d1');
  pass(1);
  expect(history.totals.latest.records).toBe(0);
  store.close();
});

test('the last minutes are kept by the second, and the last day in means of five minutes', async () => {
  const { history, store, pass, observe } = await scene(1);
  const { points: most } = spans.recent;
  for (let i = 0; i < 600; i++) {
    observe('d0', i < 300 ? [`a${i}`, `b${i}`] : [`c${i}`]);
    pass(1);
  }
  const { times, points } = history.pointsOf(history.totals);
  expect(times.recent).toHaveLength(most);
  expect(points.recent.records).toEqual(Array(most).fill(1));
  expect(times.recent.at(-1)).toBe(1_000_000 + 600_000);
  expect(times.day).toEqual([1_300_000, 1_600_000]);
  // The first second has no rate.
  expect(points.day.records[0]).toBeCloseTo((2 * 299) / 300, 5);
  expect(points.day.records[1]).toBe(1);
  expect(points.day.falsePositives).toEqual([Number.NaN, Number.NaN]);
  store.close();
});

test('a page that knows a part gets the rest only', async () => {
  const { history, store, pass } = await scene(1);
  pass(299);
  const known = history.second;
  expect(history.pointsOf(history.totals, known).times).toEqual({ recent: [], day: [] });
  pass(2);
  const { times, points } = history.pointsOf(history.totals, known);
  expect([times.recent.length, times.day.length]).toEqual([2, 1]);
  expect(points.recent.records).toEqual([0, 0]);
  pass(1000);
  expect(history.pointsOf(history.totals, known).times.recent).toHaveLength(spans.recent.points);
  store.close();
});

test('the memory is fixed: detectors that nobody looks at lose their history to those that are looked at', async () => {
  const { history, store, pass, observe } = await scene(MAX_HISTORIES + 20);
  pass(3);
  const bytesOfOne = 4 * measures.length * (spans.recent.points + spans.day.points);
  expect(history.bytes).toBe((1 + MAX_HISTORIES) * bytesOfOne);
  const last = store.find(`d${MAX_HISTORIES + 19}`);
  if (last === undefined) throw new Error('the detector is missing');
  history.seriesOf(last);
  observe(last.name, ['a']);
  pass(1);
  expect(history.bytes).toBe((1 + MAX_HISTORIES) * bytesOfOne);
  expect(history.seriesOf(last).latest.records).toBe(1);
  // It is not forgotten while others are looked at.
  for (let i = 0; i < 10; i++) {
    const entry = store.find(`d${i}`);
    if (entry) history.seriesOf(entry);
  }
  expect(history.seriesOf(last).latest.records).toBe(1);
  for (const { name } of [...store.list()]) store.drop(name);
  pass(1);
  expect(history.bytes).toBe(bytesOfOne);
});

test('commands are counted by the second, and their times are those of the last minute', async () => {
  const { store } = await scene(1);
  const counts = newCounts();
  let time = 0;
  const history = new History(store, { now: () => time, counts });
  const pass = () => {
    time += 1000;
    runAtOnce(history.lookInSteps());
  };
  pass();
  expect(history.commands.times).toBeUndefined();
  Object.assign(counts, { commands: 100, errors: 3 });
  counts.commandSeconds.add(0.00002, 98);
  counts.commandSeconds.add(0.3, 2);
  store.find('d0')?.refused.add(new Error('the filter is full'));
  pass();
  expect(history.commands.rates).toEqual({ commands: 100, errors: 3, refusals: 1 });
  expect(history.commands.times).toEqual({ half: 1e-4, most: 0.5 });
  for (let i = 0; i < 59; i++) pass();
  expect(history.commands.rates).toEqual({ commands: 0, errors: 0, refusals: 0 });
  expect(history.commands.times).toEqual({ half: 1e-4, most: 0.5 });
  pass();
  expect(history.commands.times).toBeUndefined();
  counts.commandSeconds.add(100);
  pass();
  expect(history.commands.times).toEqual({ half: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY });
  store.close();
});

test('the witnesses are read in turns, and what they measured is kept between', async () => {
  const { history, store, pass } = await scene(0);
  await store.create('w', { options: { algorithm: 'exact', memory: 65536, witness: { memory: 32768 } } });
  const entry = store.find('w');
  if (entry === undefined) throw new Error('the detector is missing');
  for (const key of ['a', 'b', 'a']) entry.detector.observe(key);
  pass(11);
  expect(history.seriesOf(entry).latest).toMatchObject({ falsePositives: 0, falseNegatives: 0 });
  store.close();
});

test('listeners are told of each look and of the end', async () => {
  const { history, store, pass } = await scene(1);
  let told = 0;
  const forget = history.onLook(() => told++);
  pass(2);
  forget();
  pass(1);
  expect(told).toBe(2);
  history.onLook(() => told++);
  history.stop();
  expect(told).toBe(3);
  store.close();
});

test('detectors that are removed while all are looked at are left out, and a look ends when the history does', async () => {
  const { history, store } = await scene(200);
  const removed = history.lookInSteps();
  removed.next();
  for (const name of ['d0', 'd199']) store.drop(name);
  runAtOnce(removed);
  expect(history.second).toBe(1);
  const ended = history.lookInSteps();
  ended.next();
  history.stop();
  store.close();
  runAtOnce(ended);
  expect(history.second).toBe(1);
});
