// A start makes no detector that the log drops later: they may be thousands, and the end state has none of them.

import { expect, onTestFinished, test, vi } from 'vitest';
import { FolderMarker } from '../../src/serve/log/marker.js';
import { recover } from '../../src/serve/log/recover.js';
import { DetectorStore } from '../../src/serve/store/store.js';
import type { Client } from './support/client.js';
import { checksum, dataIn, killedNow, newFolder } from './support/folder.js';
import { withServer } from './support/server.js';

const limits = { memoryBytes: 2 ** 30, maxDetectors: 10, maxNameBytes: 100 };

/** A folder after a kill, whose log has what clients send. */
async function killedAfter(send: (client: Client) => Promise<void>): Promise<string> {
  const folder = newFolder();
  let killed = '';
  await withServer(
    async (client) => {
      await send(client);
      killed = killedNow(folder);
    },
    { data: dataIn(folder) },
  );
  return killed;
}

test('a start makes only the detectors that are there at the end of the log', async () => {
  const folder = await killedAfter(async (client) => {
    const create = (name: string) => client.send('FS.CREATE', name, 'algorithm', 'exact', 'memory', '64KiB');
    await create('d');
    await create('saved');
    await client.send('FS.SAVE');
    await client.send('FS.OBSERVE', 'saved', 'a');
    await client.send('FS.DROP', 'saved');
    for (let i = 0; i < 5; i++) {
      await create('gone');
      await client.send('FS.OBSERVE', 'gone', 'a', 'b');
      await client.send('FS.DROP', 'gone');
    }
    await create('saved');
    await client.send('FS.OBSERVE', 'saved', 'a', 'b', 'c');
    await client.send('FS.OBSERVE', 'd', 'a', 'b');
    await create('gone');
    await client.send('FS.DROP', 'gone');
  });
  const restore = vi.spyOn(DetectorStore.prototype, 'restore');
  const store = new DetectorStore(limits);
  onTestFinished(() => {
    restore.mockRestore();
    store.close();
  });
  const marker = await FolderMarker.open(folder);
  const { replayed } = await recover({ folder, marker, store, checksum: await checksum, onDamage: 'fail' });
  expect(restore.mock.calls.map(([{ name, number }]) => [name, number])).toEqual([
    ['d', 1],
    ['saved', 2],
    ['saved', 8],
  ]);
  const observed = [...store.list()].map(({ name, detector }) => [name, detector.observed]);
  expect(observed).toEqual([
    ['d', 2],
    ['saved', 3],
  ]);
  expect(replayed).toBe(5);
  // The number of a detector that was dropped is never that of another one.
  expect(store.nextNumber).toBe(10);
});
