// Windows whose time is ahead of the clock, because it was wrong when their keys came.

import { afterEach, expect, test, vi } from 'vitest';
import { runAtOnce } from '../../src/base/steps.js';
import { History } from '../../src/serve/history/history.js';
import { detectorMetrics } from '../../src/serve/http/detectormetrics.js';
import { attentionInSteps } from '../../src/serve/http/watch/attention.js';
import { newCounts, type ServerState } from '../../src/serve/session.js';
import { aheadWarning } from '../../src/serve/store/aheadclocks.js';
import type { DetectorEntry } from '../../src/serve/store/entry.js';
import { DetectorStore } from '../../src/serve/store/store.js';
import { dataIn, killedNow, newFolder } from './support/folder.js';
import { withServer } from './support/server.js';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 1);
/** Ten years. */
const AHEAD = 87_600 * HOUR;

afterEach(() => {
  vi.restoreAllMocks();
});

function setClock(milliseconds: number): void {
  vi.spyOn(Date, 'now').mockReturnValue(milliseconds);
}

test('the list of the page, the metrics and the warning name the windows that are ahead', async () => {
  const store = new DetectorStore({ memoryBytes: 2 ** 26, maxDetectors: 1000, maxNameBytes: 100 });
  const server = { store, history: new History(store), counts: newCounts() } as unknown as ServerState;
  const make = async (name: string, window: string | undefined) => {
    await store.create(name, { options: { algorithm: window ? 'exactwindow' : 'exact', window, memory: 8192 } });
    const entry = store.find(name) as DetectorEntry;
    entry.keepTime();
    return entry;
  };
  setClock(NOW + AHEAD);
  const stuck = await make('stuck', '1h');
  await make('timeless', undefined);
  setClock(NOW + 1000);
  await make('corrected', '1h');
  setClock(NOW);
  await make('right', '1h');
  const metric = async () => {
    const all = await detectorMetrics(server.store);
    const { samples = [] } = all.find(({ name }) => name === 'firstseen_detector_window_ahead_seconds') ?? {};
    return Object.fromEntries(Array.from(samples, ([{ detector }, seconds]) => [detector, seconds]));
  };
  expect(await metric()).toEqual({ stuck: AHEAD / 1000, corrected: 1, right: 0 });
  const item = { kind: 'ahead', detector: 'stuck', untilMilliseconds: NOW + AHEAD, isAlarming: true };
  expect(runAtOnce(attentionInSteps(server)).items).toEqual([item]);
  expect(aheadWarning(store)).toContain('"stuck" (by 3650 days, to 2035-12-30T00:00:00.000Z)');
  expect(aheadWarning(store)).not.toMatch(/right|corrected|timeless/);
  stuck.clear();
  expect(await metric()).toEqual({ stuck: 0, corrected: 1, right: 0 });
  expect(aheadWarning(store)).toBeUndefined();
  store.close();
});

test('a start warns of a window that was observed while the clock was ahead, and a clear mends it', async () => {
  const folder = newFolder();
  const real = Date.now;
  const atClock = (milliseconds: number) => vi.spyOn(Date, 'now').mockImplementation(() => real() + milliseconds);
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  atClock(AHEAD);
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'ALGORITHM', 'exactwindow', 'WINDOW', '1h', 'MEMORY', '64KiB');
      await client.send('FS.OBSERVE', 'd', 'k');
    },
    { data: dataIn(folder), onWarning },
  );
  expect(warnings).toEqual([]);
  atClock(2 * HOUR);
  await withServer(
    async (client) => {
      expect(warnings).toEqual([expect.stringMatching(/"d" \(by 36\d\d days, to 20.*FS\.CLEAR/)]);
      expect(await client.send('FS.OBSERVE', 'd', 'k')).toEqual(['+duplicate']);
      await client.send('FS.CLEAR', 'd');
      expect(await client.send('FS.OBSERVE', 'd', 'k')).toEqual(['+distinct']);
      warnings.length = 0;
      await withServer(async () => undefined, { data: dataIn(killedNow(folder)), onWarning });
      expect(warnings).toEqual([]);
    },
    { data: dataIn(folder), onWarning },
  );
});
