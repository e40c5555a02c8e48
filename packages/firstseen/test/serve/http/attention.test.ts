// What the page lists for somebody who is called at night, with a clock of the test.

import { expect, test } from 'vitest';
import { runAtOnce } from '../../../src/base/steps.js';
import { History } from '../../../src/serve/history/history.js';
import { attentionInSteps } from '../../../src/serve/http/watch/attention.js';
import type { AttentionItem } from '../../../src/serve/http/watch/messages.js';
import { newCounts, type ServerState } from '../../../src/serve/session.js';
import type { DetectorEntry } from '../../../src/serve/store/entry.js';
import type { DetectorRequest } from '../../../src/serve/store/request.js';
import { DetectorStore } from '../../../src/serve/store/store.js';
import { allDistinct } from '../../support/streams.js';

interface Scene {
  server: ServerState;
  history: History;
  make(name: string, request: DetectorRequest): Promise<DetectorEntry>;
  pass(seconds: number): void;
  /** The kinds of what is listed, each with its detector and a mark if it is alarming. */
  listed(): string[];
  items(): readonly AttentionItem[];
}

function scene(changed: Partial<ServerState> = {}): Scene {
  const store = new DetectorStore({ memoryBytes: 2 ** 26, maxDetectors: 1000, maxNameBytes: 100 });
  let time = Date.now();
  const counts = newCounts();
  const history = new History(store, { now: () => time, counts });
  const server = { store, history, counts, data: undefined, ...changed } as unknown as ServerState;
  const items = () => runAtOnce(attentionInSteps(server)).items;
  return {
    ...{ server, history, items },
    make: async (name, request) => {
      await store.create(name, request);
      return store.find(name) as DetectorEntry;
    },
    pass: (seconds) => {
      for (let i = 0; i < seconds; i++) {
        time += 1000;
        runAtOnce(history.lookInSteps());
      }
    },
    listed: () =>
      items().map((item) => {
        const { detector = 'server' } = item as { detector?: string };
        return `${detector}: ${item.kind}${'isAlarming' in item && item.isAlarming ? '!' : ''}`;
      }),
  };
}

function fill({ detector }: DetectorEntry, share: number): void {
  detector.observeBatch(allDistinct(Math.floor(share * Number(detector.settings.parameters.values.n))));
}

test('nothing is listed where nothing is wrong', async () => {
  const { make, pass, listed } = scene();
  fill(await make('exact', { options: { algorithm: 'exact', memory: 8192 } }), 0.4);
  fill(await make('bloom', { options: { algorithm: 'bloom', memory: 8192 } }), 0.4);
  (await make('qht', { options: { algorithm: 'qht', memory: 8192 } })).detector.observeBatch(allDistinct(20_000));
  pass(3);
  expect(listed()).toEqual([]);
});

test('what is nearly full, and what is, the full ones first', async () => {
  const { make, pass, listed } = scene();
  fill(await make('nearly', { options: { algorithm: 'exact', memory: 8192 } }), 0.93);
  fill(await make('full', { options: { algorithm: 'exact', memory: 8192 } }), 1);
  const errorRate = 0.01;
  const filter = await make('filter', {
    options: { algorithm: 'bloom', memory: 1024 },
    filter: { capacity: 100, errorRate, isNonScaling: false },
  });
  filter.detector.observeBatch(allDistinct(150));
  pass(1);
  expect(listed()).toEqual(['full: full!', 'filter: full!', 'nearly: full']);
});

test('a table that will be full within a day is listed with the time, and one that fills slowly is not', async () => {
  const { make, pass, items, listed } = scene();
  const soon = await make('soon', { options: { algorithm: 'exact', memory: 2 ** 20 } });
  const late = await make('late', { options: { algorithm: 'exact', memory: 2 ** 24 } });
  fill(soon, 0.6);
  fill(late, 0.6);
  for (let i = 0; i < 10; i++) {
    for (const { detector } of [soon, late]) detector.observeBatch(allDistinct(1, 2 ** 30 + i));
    pass(1);
  }
  expect(listed()).toEqual(['soon: full']);
  const [item] = items();
  const left = 0.4 * Number(soon.detector.settings.parameters.values.n);
  const seconds = ((item as { fullAt: number }).fullAt - Date.now()) / 1000;
  // One element a second.
  expect(Math.abs(seconds / left - 1)).toBeLessThan(0.2);
});

test('a table that forgets is listed only if it was planned to keep more', async () => {
  const { make, pass, items, listed } = scene();
  const planned = await make('planned', { options: { algorithm: 'qht', memory: 8192, distinctElements: 1_000_000 } });
  const unplanned = await make('unplanned', { options: { algorithm: 'qht', memory: 8192 } });
  for (const { detector } of [planned, unplanned]) detector.observeBatch(allDistinct(160_000));
  pass(1);
  expect(listed()).toEqual(['planned: forgets']);
  expect((items()[0] as { planned: number }).planned).toBeCloseTo(0.16, 2);
});

test('rates that are certainly worse than planned, or than is usual', async () => {
  const { make, pass, listed } = scene();
  const witness = { memory: 65_536 };
  const small = await make('forgets', { options: { algorithm: 'qht', memory: 1024, witness } });
  for (let i = 0; i < 3; i++) small.detector.observeBatch(allDistinct(5000));
  const filter = await make('errs', {
    options: { algorithm: 'bloom', memory: 1024, witness },
    filter: { capacity: 100, errorRate: 0.01, isNonScaling: false },
  });
  filter.detector.observeBatch(allDistinct(5000));
  const good = await make('good', { options: { algorithm: 'exact', memory: 65_536, witness } });
  for (let i = 0; i < 2; i++) good.detector.observeBatch(allDistinct(1000));
  pass(1);
  expect(listed()).toEqual(['forgets: falseNegatives!', 'errs: full!', 'errs: falsePositives!']);
});

test('refused keys and late claims are listed for five minutes', async () => {
  const { make, pass, items, listed } = scene();
  const entry = await make('d', { options: { algorithm: 'exact', memory: 65_536 }, claims: {} });
  pass(2);
  entry.refused.add(new Error('the filter is full'));
  const { claims } = entry;
  if (claims === undefined) throw new Error('the detector has no claims');
  claims.stats = () => ({ ...claims.toJSON(), late: 1 });
  pass(1);
  expect(listed()).toEqual(['d: refused!', 'd: late']);
  expect(items()[0]).toMatchObject({ keys: 1, reasons: ['full'] });
  pass(299);
  expect(listed()).toEqual(['d: refused!', 'd: late']);
  pass(2);
  expect(listed()).toEqual([]);
});

test('a window in time that loses its oldest keys says so, and not that it may come', async () => {
  const { make, pass, items, listed } = scene();
  const entry = await make('pw', { options: { algorithm: 'pocketwindow', window: '1h', memory: '4KiB' } });
  const slices = await make('slices', { options: { algorithm: 'apbf', window: '1h', memory: '4KiB' } });
  for (const { detector } of [entry, slices]) detector.advance(1e12);
  pass(1);
  entry.detector.observeBatch(allDistinct(2000));
  slices.detector.observeBatch(allDistinct(20_000));
  pass(1);
  expect(listed()).toEqual(['pw: shortened!', 'slices: shortened!']);
  expect(items()[0]).toMatchObject({ parts: entry.detector.counts.shortened });
  pass(299);
  expect(listed()).toContain('pw: shortened!');
  pass(1);
  expect(listed()).not.toContain('pw: shortened!');
});

test('a detector that lost keys in its first second is listed, and one that lost them elsewhere or before is not', async () => {
  const { make, pass, listed } = scene();
  const options = { algorithm: 'pocketwindow', window: '1h', memory: '4KiB' } as const;
  const entry = await make('new', { options });
  entry.detector.advance(1e12);
  entry.detector.observeBatch(allDistinct(2000));
  const moved = await make('moved', { options });
  moved.detector.advance(1e12);
  moved.detector.observeBatch(allDistinct(2000));
  Object.assign(moved, { countsBefore: moved.detector.counts });
  pass(1);
  expect(listed().filter((line) => line.includes('shortened'))).toEqual(['new: shortened!']);
  entry.clear();
  pass(1);
  expect(listed()).not.toContain('new: shortened!');
});

test('keys that have no room in a window of elements are alarming if they are many', async () => {
  const { make, pass, listed } = scene();
  const entry = await make('d', { options: { algorithm: 'pocketwindow', window: 100, memory: '4KiB' } });
  entry.detector.observeBatch(allDistinct(1000));
  pass(1);
  let [observed, unstored] = [1000, 0];
  Object.defineProperty(entry.detector, 'counts', {
    get: () => ({ observed, duplicates: 0, shortened: undefined, unstored }),
  });
  [observed, unstored] = [101_000, 10];
  pass(1);
  expect(listed()).toEqual([]);
  [observed, unstored] = [102_000, 1010];
  pass(1);
  expect(listed()).toEqual(['d: unstored!']);
});

test('what was filled at once, and is not filling, has no time at which it is full', async () => {
  const { make, pass, items } = scene();
  const entry = await make('d', { options: { algorithm: 'exact', memory: 8192 } });
  pass(1);
  fill(entry, 0.95);
  pass(12);
  expect(items()).toMatchObject([{ kind: 'full', fullAt: null }]);
});

test('the server: a log that cannot be written, errors, and memory', async () => {
  const problem = new Error('ENOSPC: no space left on device');
  const { make, pass, items, listed, server } = scene({ data: { problem } as ServerState['data'] });
  await make('large', { options: { algorithm: 'bloom', memory: 62 * 2 ** 20 } });
  Object.assign(server.counts, { commands: 100, errors: 50 });
  pass(1);
  expect(listed()).toEqual(['server: log!', 'server: errors', 'server: memory']);
  expect(items().slice(0, 2)).toEqual([
    { kind: 'log', problem: problem.message, isAlarming: true },
    { kind: 'errors', errors: 50, commands: 100, isAlarming: false },
  ]);
  Object.assign(server.counts, { commands: 10_000, errors: 60 });
  pass(1);
  expect(listed()).toEqual(['server: log!', 'server: memory']);
});

test('changes that wait for new snapshots are listed while they are not refused', () => {
  let problem: Error | undefined;
  const data = {
    waits: { longSeconds: 7.5 },
    get problem() {
      return problem;
    },
  };
  const { items, listed } = scene({ data: data as unknown as ServerState['data'] });
  expect(items()).toEqual([{ kind: 'waiting', seconds: 7.5, isAlarming: true }]);
  problem = new Error('it is full');
  expect(listed()).toEqual(['server: log!']);
});

test('of many, the first are listed and the rest are counted, and a look does not take the histories of others', async () => {
  const { make, pass, server, history } = scene();
  for (let i = 0; i < 150; i++) fill(await make(`d${i}`, { options: { algorithm: 'exact', memory: 1024 } }), 1);
  pass(1);
  const bytes = history.bytes;
  const { items, more } = runAtOnce(attentionInSteps(server));
  expect([items.length, more]).toEqual([20, 130]);
  expect(history.heldSeriesOf(server.store.find('d149') as DetectorEntry)).toBeUndefined();
  expect(history.bytes).toBe(bytes);
});
