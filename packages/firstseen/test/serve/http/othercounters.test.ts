// The sums of the detectors that have no series of their own: counters never fall while the server runs.

import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { detectorMetrics } from '../../../src/serve/http/detectormetrics.js';
import { clearDetector } from '../../../src/serve/operations/detector.js';
import type { DetectorEntry } from '../../../src/serve/store/entry.js';
import { DetectorStore } from '../../../src/serve/store/store.js';

/** Two hundred detectors that have series of their own, and some others that were refused keys and observed some. */
async function storeWith(others: readonly string[]): Promise<DetectorStore> {
  const store = new DetectorStore({ memoryBytes: 2 ** 26, maxDetectors: 1000, maxNameBytes: 100 });
  const names = Array.from({ length: 200 }, (_, i) => `own ${i}`);
  for (const name of [...names, ...others]) {
    await store.create(name, { options: { algorithm: 'exact', memory: 1024 }, claims: {} });
  }
  others.forEach((name, i) => {
    const entry = entryOf(store, name);
    entry.refused.add(undefined, 10 ** i);
    entry.detector.observe('a');
    entry.detector.observe('a');
    entry.claims?.claim('b');
    entry.claims?.find('b', 'no token');
  });
  return store;
}

function entryOf(store: DetectorStore, name: string): DetectorEntry {
  return store.find(name) ?? expect.fail();
}

/** The counters of a detector, by the ends of their names. */
async function countersOf(store: DetectorStore, detector: string): Promise<Record<string, number>> {
  const metrics = (await detectorMetrics(store)).filter(({ type }) => type === 'counter');
  const samples = metrics.flatMap(({ name, samples: all }) =>
    all
      .filter(([labels]) => labels.detector === detector)
      .map(([{ reason = '', outcome = '' }, value]) => [
        `${name.replace('firstseen_detector_', '')} ${reason}${outcome}`.trim(),
        value ?? 0,
      ]),
  );
  return Object.fromEntries(samples);
}

test('the sums keep what detectors have counted that are dropped, are cleared, or get series of their own', async () => {
  const store = await storeWith(['first', 'second', 'third', '_others']);
  const sums = () => countersOf(store, '_others');
  const before = await sums();
  expect(before).toMatchObject({ observed_total: 8, duplicates_total: 4, 'refused_total full': 1111 });
  store.drop('second');
  expect(await sums()).toEqual(before);
  store.drop('own 17');
  expect(await sums()).toEqual(before);
  expect(await countersOf(store, 'first')).toMatchObject({ observed_total: 2, 'refused_total full': 1 });
  clearDetector(entryOf(store, 'third'));
  expect(await sums()).toEqual(before);
  // The series of a detector that leaves `_others` start at 0, and so do those of a detector that is created again.
  clearDetector(entryOf(store, 'first'));
  expect(await sums()).toEqual(before);
  expect(await countersOf(store, 'first')).toMatchObject({ observed_total: 0, 'refused_total full': 1 });
  entryOf(store, 'third').detector.observe('c');
  entryOf(store, 'third').refused.add(undefined, 5);
  const later = { ...before, observed_total: 9, 'refused_total full': 1116 };
  expect(await sums()).toEqual(later);
  store.drop('third');
  store.drop('_others');
  expect(await sums()).toEqual(later);
  store.close();
});

test('the sums do not fall while detectors are dropped between two steps of a look at them', async () => {
  const store = await storeWith(['first', 'second', 'third']);
  const before = await countersOf(store, '_others');
  for (const name of ['third', 'own 3', 'own 199']) {
    const reading = countersOf(store, '_others');
    await turn();
    store.drop(name);
    expect(await reading).toEqual(before);
    expect(await countersOf(store, '_others')).toEqual(before);
  }
  store.close();
});
