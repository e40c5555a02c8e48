// A start whose newest snapshots are damaged, where damage may be cut off: it goes on from what is before them.

import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serve } from '../../src/serve/server.js';
import { compactor, dataIn, elementsAfterStart, killedNow, newFolder } from './support/folder.js';
import { testServer, withServer } from './support/server.js';

const pathOf = (folder: string, kind: string, sequence: number) => join(folder, `${kind}-00000000000${sequence}`);

/** A folder of a server that is killed when the snapshots of a compaction have their name, and what was before them is not removed. */
async function killedInCompaction(compactions: number): Promise<string> {
  const folder = newFolder();
  let killed = '';
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'other', 'algorithm', 'bloom', 'memory', '64KiB');
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '64KiB');
      for (let i = 0; i < compactions; i++) {
        await client.send('FS.OBSERVE', 'd', `a${i}`, `b${i}`);
        await client.send('FS.SAVE');
      }
    },
    {
      data: dataIn(folder, {
        async compactor(task) {
          await compactor(task);
          killed = killedNow(folder);
        },
      }),
    },
  );
  return killed;
}

function flipByte(path: string, position: number): void {
  const bytes = readFileSync(path);
  bytes[position] = (bytes[position] as number) ^ 1;
  writeFileSync(path, bytes);
}

/** The start of a server that cuts off damage. @returns its warnings, and what it says of what was cut off */
async function startedWithCut(folder: string) {
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const server = await serve({ ...testServer, data: dataIn(folder, { onDamage: 'cut' }), onWarning });
  await server.close();
  return { warnings, cut: server.recovered?.cut?.kind };
}

const damages: [string, (path: string) => void][] = [
  ['emptied', (path) => truncateSync(path)],
  ['cut off', (path) => truncateSync(path, readFileSync(path).length / 2)],
  // The detector `other` is intact and restored before it.
  ['changed in the last detector', (path) => flipByte(path, readFileSync(path).length - 2000)],
];

describe.each(damages)('of snapshots that are %s', (_what, damage) => {
  test('the snapshots before them and the log have everything', async () => {
    const folder = await killedInCompaction(2);
    damage(pathOf(folder, 'snapshot', 3));
    expect(await elementsAfterStart(folder)).toBe('E_SNAPSHOT');
    const { warnings, cut } = await startedWithCut(folder);
    expect(cut).toBe(undefined);
    expect(warnings).toEqual([
      expect.stringMatching(
        /snapshot-000000000003.*its file is now .*snapshot-000000000003\.damaged\. The detectors were read from .*snapshot-000000000002 and the log, and nothing that was acknowledged is lost$/,
      ),
    ]);
    expect(existsSync(`${pathOf(folder, 'snapshot', 3)}.damaged`)).toBe(true);
    expect(await elementsAfterStart(folder)).toBe(4);
  });

  test('the log alone has everything if it begins with the first block', async () => {
    const folder = await killedInCompaction(1);
    damage(pathOf(folder, 'snapshot', 2));
    const { warnings, cut } = await startedWithCut(folder);
    expect(cut).toBe(undefined);
    expect(warnings).toEqual([
      expect.stringMatching(/were read from the log alone, and nothing that was acknowledged is lost$/),
    ]);
    expect(await elementsAfterStart(folder)).toBe(2);
  });
});

test('the start tells what is lost if the log does not reach to the earlier snapshots', async () => {
  const folder = await killedInCompaction(2);
  truncateSync(pathOf(folder, 'snapshot', 3), 100);
  rmSync(pathOf(folder, 'log', 2));
  const { warnings, cut } = await startedWithCut(folder);
  expect(cut).toBe('acknowledged');
  expect(warnings).toEqual([
    expect.stringMatching(
      /snapshot-000000000002 and the log, up to block 3 of the log: what was acknowledged after that is lost, and its keys are distinct again$/,
    ),
  ]);
  expect(await elementsAfterStart(folder)).toBe(2);
});

test('without anything before them, the start fails also if damage is cut off', async () => {
  const folder = await killedInCompaction(2);
  truncateSync(pathOf(folder, 'snapshot', 3), 100);
  rmSync(pathOf(folder, 'snapshot', 2));
  rmSync(pathOf(folder, 'log', 2));
  expect(await elementsAfterStart(folder, 'cut')).toBe('E_SNAPSHOT');
  expect(existsSync(pathOf(folder, 'snapshot', 3))).toBe(true);
});

test('the error tells that something can take their place, and what', async () => {
  const folder = await killedInCompaction(2);
  truncateSync(pathOf(folder, 'snapshot', 3), 100);
  await expect(serve({ ...testServer, data: dataIn(folder) })).rejects.toThrow(
    /snapshot-000000000003 is not .*; restore the data folder from a copy, or give onDamage cut to go on from .*snapshot-000000000002 and the log: what they lack/,
  );
});
