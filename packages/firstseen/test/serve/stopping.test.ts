// A server that is asked to stop while it starts.

import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Planning } from '../../src/serve/planning/planning.js';
import { serve } from '../../src/serve/server.js';
import { dataIn, killedNow, newFolder } from './support/folder.js';
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
