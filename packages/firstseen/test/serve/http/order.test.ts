// The list of the page is what a plain sort gives, however long it is.

import { beforeAll, expect, test } from 'vitest';
import { runAtOnce } from '../../../src/base/steps.js';
import { History } from '../../../src/serve/history/history.js';
import { sortings } from '../../../src/serve/http/watch/messages.js';
import { type ListQuery, shownInSteps, sortedNow } from '../../../src/serve/http/watch/order.js';
import type { ServerState } from '../../../src/serve/session.js';
import type { DetectorEntry } from '../../../src/serve/store/entry.js';
import { DetectorStore } from '../../../src/serve/store/store.js';

const DETECTORS = 2300;
const store = new DetectorStore({ memoryBytes: 2 ** 28, maxDetectors: 10_000, maxNameBytes: 100 });
const server = { store, history: new History(store) } as unknown as ServerState;
const all: ListQuery = { sorting: 'name', isDescending: false, filter: '', offset: 0, limit: 50 };

beforeAll(async () => {
  for (let i = 0; i < DETECTORS; i++) {
    // Names in another order than that in which they are made.
    await store.create(`d${(i * 7919) % DETECTORS}`, { options: { memory: 1024, algorithm: i % 3 ? 'qht' : 'exact' } });
  }
  for (const [i, { detector }] of [...store.list()].entries())
    for (let key = 0; key < i % 4; key++) detector.observe(key);
});

const plain: Readonly<Record<string, (entry: DetectorEntry) => number | string>> = {
  name: ({ name }) => name,
  algorithm: ({ detector }) => detector.settings.family.name,
  observed: ({ detector }) => detector.observed,
};

function plainNames({ sorting, isDescending, filter }: ListQuery): string[] {
  const keyOf = plain[sorting] as (entry: DetectorEntry) => number | string;
  const sign = isDescending ? -1 : 1;
  const order = (a: number | string, b: number | string) => (a === b ? 0 : a < b ? -1 : 1);
  return [...store.list()]
    .filter(({ name, detector }) => name.includes(filter) || detector.settings.family.name.includes(filter))
    .sort((a, b) => sign * order(keyOf(a), keyOf(b)) || order(a.name, b.name))
    .map(({ name }) => name);
}

test.each(Object.keys(plain) as ListQuery['sorting'][])('by %s', (sorting) => {
  for (const isDescending of [false, true]) {
    for (const filter of ['', 'exact', 'd99', 'none']) {
      const names = plainNames({ ...all, sorting, isDescending, filter });
      for (const offset of [0, 500, names.length - 10, 1e9]) {
        const query = { ...all, sorting, isDescending, filter, offset: Math.max(0, offset) };
        const { matched, offset: from, entries } = runAtOnce(shownInSteps(server, query));
        expect(matched).toBe(names.length);
        expect(from).toBe(Math.min(query.offset, Math.max(0, Math.ceil(names.length / 50) - 1) * 50));
        expect(entries.map(({ name }) => name)).toEqual(names.slice(from, from + 50));
      }
    }
  }
});

test('detectors that are shown have the order of what they are now', () => {
  const query: ListQuery = { ...all, sorting: 'observed', isDescending: true, limit: 5 };
  const { entries } = runAtOnce(shownInSteps(server, query));
  const last = entries.at(-1) as DetectorEntry;
  for (let key = 0; key < 10; key++) last.detector.observe(`more ${key}`);
  const sorted = sortedNow(entries, server, query);
  expect(sorted[0]).toBe(last);
  const counts = sorted.map(({ detector }) => detector.observed);
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
});

test('a step looks at few detectors', () => {
  for (const sorting of sortings) {
    const steps = shownInSteps(server, { ...all, sorting, offset: 1e9 });
    let count = 1;
    while (!steps.next().done) count++;
    expect(count).toBeGreaterThanOrEqual(Math.floor(DETECTORS / 500) * 2);
  }
});

test('a detector that is removed meanwhile does no harm', () => {
  const steps = shownInSteps(server, all);
  steps.next();
  const [first, last] = [plainNames(all)[0] as string, [...store.list()].at(-1)?.name as string];
  store.drop(last);
  store.drop(first);
  let step = steps.next();
  while (!step.done) step = steps.next();
  expect(step.value.matched).toBeGreaterThanOrEqual(DETECTORS - 2);
});
