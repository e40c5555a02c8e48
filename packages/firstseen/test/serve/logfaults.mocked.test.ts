// A log whose disk fails for a while: what the system refuses once is tried again, and nothing is remembered without an answer.

import type * as Files from 'node:fs';
import { readdirSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import type * as Folders from '../../src/io/system/syncfolder.js';
import { dataIn, newFolder } from './support/folder.js';
import { withServer } from './support/server.js';

const faults = vi.hoisted(() => ({
  folderSync: undefined as string | undefined,
  read: undefined as string | undefined,
  maxReadBytes: Number.POSITIVE_INFINITY,
}));

function failWith(code: string | undefined): void {
  if (code !== undefined) throw Object.assign(new Error(`${code}: it fails`), { code });
}

vi.mock('../../src/io/system/syncfolder.js', async (original) => {
  const { syncFolder } = await original<typeof Folders>();
  return {
    async syncFolder(path: string) {
      failWith(faults.folderSync);
      await syncFolder(path);
    },
  };
});

vi.mock('node:fs', async (original) => {
  const files = await original<typeof Files>();
  const readSync = (descriptor: number, target: Uint8Array, from: number, length: number, position: number | null) => {
    failWith(faults.read);
    return files.readSync(descriptor, target, from, Math.min(length, faults.maxReadBytes), position);
  };
  return { ...files, readSync };
});

afterEach(() => {
  Object.assign(faults, { folderSync: undefined, read: undefined, maxReadBytes: Number.POSITIVE_INFINITY });
  vi.useRealTimers();
});

/** Lets the time pass after which the log is looked at again. */
function passLook(): void {
  vi.setSystemTime(Date.now() + 2000);
}

test.each(['EACCES', 'EIO', 'ENOSPC', 'EMFILE'])(
  'a log is rotated after a folder could not be synced (%s)',
  async (code) => {
    const folder = newFolder();
    await withServer(
      async (client) => {
        await client.send('FS.CREATE', 'd', 'MEMORY', '64KiB');
        faults.folderSync = code;
        for (let i = 0; i < 2; i++) expect(await client.send('FS.SAVE').catch(String)).toMatch(code);
        expect(readdirSync(folder).filter((name) => name.startsWith('log-'))).toHaveLength(1);
        faults.folderSync = undefined;
        expect(await client.send('FS.SAVE')).toBe(0);
      },
      { data: dataIn(folder) },
    );
  },
);

test('a log that is read in short pieces is not taken for another', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'MEMORY', '64KiB');
      faults.maxReadBytes = 5;
      for (const key of ['a', 'b', 'c']) {
        passLook();
        expect(await client.send('FS.OBSERVE', 'd', key)).toEqual(['+distinct']);
      }
    },
    { data: dataIn(newFolder()) },
  );
});

test('changes are refused while the log cannot be read, and made afterwards', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const warnings: string[] = [];
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'MEMORY', '64KiB');
      for (const key of ['a', 'b']) {
        passLook();
        expect(await client.send('FS.OBSERVE', 'd', key)).toEqual(['+distinct']);
      }
      faults.read = 'EIO';
      passLook();
      for (let i = 0; i < 4; i++) expect(await client.send('FS.OBSERVE', 'd', 'c')).toMatch(/MISCONF.*EIO/);
      faults.read = undefined;
      passLook();
      expect(await client.send('FS.OBSERVE', 'd', 'c')).toEqual(['+distinct']);
    },
    { data: dataIn(newFolder()), onWarning: (message) => warnings.push(message) },
  );
  expect(warnings.map((message) => /^[^(:]*/.exec(message)?.[0])).toEqual([
    'the log cannot be written ',
    'the log can be written again',
  ]);
});
