// Files of a data folder that were removed are missed.

import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FolderMarker } from '../../src/serve/log/marker.js';
import { serve } from '../../src/serve/server.js';
import { compactor, type Data, dataIn, elementsAfterStart, killedNow, newFolder } from './support/folder.js';
import { testServer, withServer } from './support/server.js';

/** Starts a server on a folder, has it observe keys, and stops it. */
function observeIn(folder: string, keys: readonly string[], data: Partial<Data> = {}): Promise<void> {
  return withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
      if (keys.length > 0) await client.send('FS.OBSERVE', 'd', ...keys);
    },
    { data: dataIn(folder, data) },
  );
}

const files = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^(log|snapshot)-/.test(name))
    .sort();

function without(folder: string, name: string): string {
  const copy = killedNow(folder);
  rmSync(join(copy, name));
  return copy;
}

/** A start refuses the folder, and goes on if it is told to: then further starts have nothing to refuse. */
async function expectMissed(folder: string, elements: number): Promise<void> {
  expect(await elementsAfterStart(folder)).toBe('E_STATE_FILE');
  const cut = dataIn(folder, { onDamage: 'cut' });
  await withServer(async () => undefined, { data: cut });
  expect(await elementsAfterStart(folder)).toBe(elements);
  await observeIn(folder, ['new']);
  expect(await elementsAfterStart(folder)).toBe(elements + 1);
}

describe('of four logs, without snapshots', () => {
  const make = async () => {
    const folder = newFolder();
    for (const keys of [['a'], ['b', 'c'], ['d']]) await observeIn(folder, keys);
    let killed = '';
    await withServer(
      async () => {
        killed = killedNow(folder);
      },
      { data: dataIn(folder) },
    );
    expect(files(killed)).toEqual([1, 2, 3, 4].map((sequence) => `log-00000000000${sequence}`));
    expect(await elementsAfterStart(killed)).toBe(4);
    return killed;
  };

  test.each([
    [1, 0],
    [2, 1],
    // The log after it has no blocks, and says only where it begins.
    [3, 3],
    [4, 4],
  ])('the log %i is missed', async (sequence, elements) => {
    await expectMissed(without(await make(), `log-00000000000${sequence}`), elements);
  });

  test('the error names the file and says what to do', async () => {
    const folder = without(await make(), 'log-000000000004');
    await expect(serve({ ...testServer, data: dataIn(folder) })).rejects.toThrow(
      /log-000000000004 is missing; restore the data folder from a copy, or give .* cut to go on without it/,
    );
  });
});

test.each(['interval', 'snapshot'] as const)('with the durability %s, snapshots are missed', async (durability) => {
  const folder = newFolder();
  await observeIn(folder, ['a', 'b']);
  await withServer(
    async (client) => {
      await client.send('FS.SAVE');
    },
    { data: dataIn(folder, { durability }) },
  );
  const [snapshot] = files(folder).filter((name) => name.startsWith('snapshot')) as [string];
  expect(await elementsAfterStart(folder)).toBe(2);
  await expectMissed(without(folder, snapshot), 0);
});

test('a log that is missing after the snapshots is missed', async () => {
  const folder = newFolder();
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
      await client.send('FS.OBSERVE', 'd', 'a');
      await client.send('FS.SAVE');
      await client.send('FS.OBSERVE', 'd', 'b');
    },
    { data: dataIn(folder) },
  );
  const [log] = files(folder) as [string];
  await expectMissed(without(folder, log), 1);
});

test('at each moment of a compaction, a kill leaves a folder that misses nothing', async () => {
  const folder = newFolder();
  const killed: string[] = [];
  const noted = FolderMarker.prototype.note;
  const data = dataIn(folder, {
    async compactor(task) {
      killed.push(killedNow(folder));
      await compactor(task);
      killed.push(killedNow(folder));
    },
  });
  FolderMarker.prototype.note = async function note(marked) {
    killed.push(killedNow(folder));
    await noted.call(this, marked);
    killed.push(killedNow(folder));
  };
  try {
    await withServer(
      async (client) => {
        await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
        await client.send('FS.OBSERVE', 'd', 'a', 'b');
        killed.length = 0;
        await client.send('FS.SAVE');
        killed.push(killedNow(folder));
      },
      { data },
    );
  } finally {
    FolderMarker.prototype.note = noted;
  }
  // The last two are of the stop.
  expect(killed.length).toBe(9);
  for (const copy of killed) expect(await elementsAfterStart(copy)).toBe(2);
});

test('a log whose beginning was cut off at a start is not missed, also if the next one was not begun', async () => {
  const folder = newFolder();
  await observeIn(folder, ['a']);
  let killed = '';
  await withServer(
    async (client) => {
      await client.send('FS.OBSERVE', 'd', 'b');
      killed = killedNow(folder);
    },
    { data: dataIn(folder) },
  );
  truncateSync(join(killed, 'log-000000000002'), 5);
  // The end of a start that was killed after the log was cut.
  expect(await elementsAfterStart(killed)).toBe(1);
  expect(files(killed)).toEqual(['log-000000000001']);
  expect(await elementsAfterStart(killed)).toBe(1);
});

test.each([
  ['emptied', (path: string) => truncateSync(path)],
  ['filled with zeros', (path: string) => writeFileSync(path, Buffer.alloc(readFileSync(path).length))],
  ['cut off in the middle', (path: string) => truncateSync(path, readFileSync(path).length / 2)],
])('a log that is %s after a stop is missed, and not taken for one that was being written', async (_what, damage) => {
  const folder = newFolder();
  await observeIn(folder, ['a', 'b']);
  damage(join(folder, 'log-000000000001'));
  await expectMissed(folder, 0);
});

test('a start on a folder whose firstseen.json was removed tells its new id, and one that has too little memory for its detectors tells that', async () => {
  const folder = newFolder();
  await observeIn(folder, ['a']);
  const warnings: string[] = [];
  const start = async (memoryBytes: number) => {
    warnings.length = 0;
    const onWarning = (message: string) => warnings.push(message);
    const server = await serve({ ...testServer, memoryBytes, data: dataIn(folder), onWarning });
    await server.close();
    return server;
  };
  await start(2 ** 20);
  expect(warnings).toEqual([]);
  const path = join(folder, 'firstseen.json');
  rmSync(path);
  const { newFolderId } = await start(2 ** 15);
  expect(newFolderId).toBe(undefined);
  const { id } = JSON.parse(readFileSync(path, 'utf8'));
  expect(warnings).toEqual([
    `the data folder ${folder} had data, but no firstseen.json: the file was re-created with the new id ${id}, and the data was read`,
    expect.stringMatching(
      /^the detectors take 14\dKiB, but the limit for them is 32KiB; give the server more memory, or drop a detector: until then, no detector can be created$/,
    ),
  ]);
});
