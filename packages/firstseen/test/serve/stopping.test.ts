// A server that is asked to stop while it starts.

import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Claims } from '../../src/claims/claims.js';
import { LogFile } from '../../src/serve/log/logfile.js';
import type { Planning } from '../../src/serve/planning/planning.js';
import { serve } from '../../src/serve/server.js';
import { Client } from './support/client.js';
import { dataIn, killedNow, newFolder } from './support/folder.js';
import { ask } from './support/http.js';
import { testServer, withServer } from './support/server.js';

/** A signal that aborts when it is asked for the `last` time. */
function abortingAt(last: number): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let asked = 0;
  Object.assign(signal, {
    throwIfAborted() {
      if (++asked === last) controller.abort();
      if (signal.aborted) throw signal.reason;
    },
  });
  return signal;
}

/** The files of a folder that this process has open, where the system tells them. */
function openFilesIn(folder: string): string[] {
  const descriptors = '/proc/self/fd';
  if (!existsSync(descriptors)) return [];
  const paths = readdirSync(descriptors).map((descriptor) => {
    try {
      return readlinkSync(join(descriptors, descriptor));
    } catch {
      // The descriptor of the folder of descriptors is closed by now.
      return '';
    }
  });
  return paths.filter((path) => path.startsWith(`${folder}/`));
}

test('a start that is asked to stop at any of its steps leaves the folder as it was, and not locked', async () => {
  const folder = newFolder();
  await withServer(
    async (client) => {
      for (const name of ['a', 'b']) await client.send('FS.CREATE', name, 'memory', '64KiB');
      await client.send('FS.SAVE');
      for (const key of ['1', '2', '3']) await client.send('FS.OBSERVE', 'a', key);
      const killed = killedNow(folder);
      const names = readdirSync(killed).sort();
      let last = 1;
      for (; ; last++) {
        const stopping = abortingAt(last);
        const started = await serve({ ...testServer, data: dataIn(killed), stopping }).catch((error) => error);
        if (!(started instanceof Error)) {
          await started.close();
          break;
        }
        expect(started).toBe(stopping.reason);
        expect(readdirSync(killed).sort()).toEqual(names);
        expect(openFilesIn(killed)).toEqual([]);
      }
      // Before it listens, for the lock, for each detector, and for the blocks of the log.
      expect(last).toBeGreaterThan(6);
      await withServer(
        async (again) => {
          expect(await again.send('FS.OBSERVE', 'a', '1', '2', '3', '4')).toEqual([
            ...['+duplicate', '+duplicate', '+duplicate', '+distinct'],
          ]);
        },
        { data: dataIn(killed) },
      );
    },
    { data: dataIn(folder) },
  );
});

test('a server that stops answers those that wait for a claim that the key is held', async () => {
  const server = await serve({ ...testServer, httpPort: 0 });
  const [holder, waiting] = await Promise.all([Client.open(server.port), Client.open(server.port)]);
  const waits = vi.spyOn(Claims.prototype, 'whenFree');
  await holder.send('FS.CREATE', 'd', 'CLAIMS');
  await holder.send('FS.CLAIM', 'd', 'k');
  const claimed = waiting.send('FS.CLAIM', 'd', 'k', 'WAIT', '1h');
  const body = JSON.stringify({ key: 'k', wait: '1h' });
  const response = ask(server.httpPort as number, 'POST', '/detectors/d/claim', { body, type: 'application/json' });
  // Claims that other tests have left may wait too.
  const haveBothBegun = () => waits.mock.contexts.some((claims, i, all) => all.indexOf(claims) < i);
  await expect.poll(haveBothBegun).toBe(true);
  waits.mockRestore();
  await server.close();
  expect(await claimed).toEqual(['+pending', expect.any(Number)]);
  expect((await response).json).toMatchObject({ verdict: 'pending' });
  for (const client of [holder, waiting]) client.close();
});

test.each(['redis', 'http'])(
  'a server that stops answers changes that a slow disk has not synced (%s)',
  async (protocol) => {
    const server = await serve({ ...testServer, httpPort: 0, data: dataIn(newFolder(), { durability: 'always' }) });
    const client = await Client.open(server.port);
    await client.send('FS.CREATE', 'd', 'MEMORY', '64KiB');
    let finishSyncs: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finishSyncs = resolve;
    });
    const { sync } = LogFile.prototype;
    const slow = vi.spyOn(LogFile.prototype, 'sync').mockImplementation(async function (this: LogFile) {
      await finished;
      await sync.call(this);
    });
    const reply =
      protocol === 'redis'
        ? client.send('FS.OBSERVE', 'd', 'k')
        : ask(server.httpPort as number, 'POST', '/detectors/d/observe', { body: 'k\n', type: 'text/plain' }).then(
            ({ text }) => text,
          );
    await expect.poll(() => slow.mock.calls.length).toBeGreaterThan(0);
    vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout', 'clearInterval', 'clearTimeout'] });
    const closing = server.close();
    for (let seconds = 0; seconds < 5; seconds++) await vi.advanceTimersByTimeAsync(1000);
    vi.useRealTimers();
    finishSyncs();
    expect(String(await reply)).toMatch(/distinct/);
    client.close();
    await closing;
    slow.mockRestore();
  },
);

test('a start does not wait for the plan of a detector that is declared', async () => {
  const controller = new AbortController();
  const planning = {
    settingsOf() {
      controller.abort();
      return new Promise(() => undefined);
    },
  } as unknown as Planning;
  const detectors = [{ name: 'd', request: { options: {} }, origin: 'here' }];
  const start = serve({ ...testServer, planning, detectors, stopping: controller.signal });
  expect(await start.catch((error) => error)).toBe(controller.signal.reason);
});
