// Folders for states and partitions.

import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../../../src/io/system/makefolder.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'firstseen-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a folder is made with those above it, also if it exists', async () => {
  const path = join(folder, 'a/b/c');
  await makeFolder(path);
  await makeFolder(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

test('several may make a folder at the same time', async () => {
  for (let i = 0; i < 50; i++) {
    const path = join(folder, `${i}/b/c`);
    await Promise.all(Array.from({ length: 4 }, () => makeFolder(path)));
    expect(statSync(path).isDirectory()).toBe(true);
  }
});

test('a relative folder is made in the working folder', async () => {
  const name = 'build/folder-of-a-test';
  await makeFolder(name);
  expect(existsSync(name)).toBe(true);
  rmSync(name, { recursive: true });
});

test('a file in the place of a folder is an error', async () => {
  writeFileSync(join(folder, 'file'), '');
  await expect(makeFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  await expect(makeFolder(join(folder, 'file/below'))).rejects.toMatchObject({ code: 'E_STATE_FILE' });
});

test.skipIf(!existsSync('/proc/self'))(
  'a folder that the system does not make is an error, and not waited for',
  async () => {
    await expect(makeFolder('/proc/states/of/a/job')).rejects.toMatchObject({
      code: 'E_STATE_FILE',
      message: expect.stringContaining('cannot create folder /proc/states/of/a/job'),
    });
  },
);
