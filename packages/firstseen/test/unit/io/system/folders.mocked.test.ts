import { renameSync, utimesSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Folders } from '../../../../src/io/system/folders.js';
import { temporaryFolder } from '../../../cli/support/command.js';

vi.mock('node:fs/promises', { spy: true });

let folder = '';

/** Moves the time at which the folder was last modified to the past, so that a listing of it can be kept. */
function settle(): void {
  utimesSync(folder, 1, 1);
}

beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ['app.log', 'app.log.1', 'apq', 'ap', 'other.log']) writeFileSync(join(folder, name), '');
  vi.clearAllMocks();
});

describe('the names in a folder', () => {
  test('are those that begin with a prefix', async () => {
    const folders = new Folders();
    expect(await folders.namesIn(folder)).toEqual(['ap', 'app.log', 'app.log.1', 'apq', 'other.log']);
    expect(await folders.namesIn(folder, 'app')).toEqual(['app.log', 'app.log.1']);
    expect(await folders.namesIn(folder, 'other.log')).toEqual(['other.log']);
    expect(await folders.namesIn(folder, 'z')).toEqual([]);
  });

  test('are listed once while the folder does not change', async () => {
    settle();
    const folders = new Folders();
    for (let looks = 0; looks < 5; looks++) await folders.namesIn(folder, 'app');
    expect(fs.readdir).toHaveBeenCalledTimes(1);
  });

  test('are listed again after a change', async () => {
    settle();
    const folders = new Folders();
    await folders.namesIn(folder);
    renameSync(join(folder, 'app.log.1'), join(folder, 'app.log.2'));
    expect(await folders.namesIn(folder, 'app')).toEqual(['app.log', 'app.log.2']);
  });

  test('are listed each time while the folder is so young that a change may not show in its time', async () => {
    const folders = new Folders();
    for (let looks = 0; looks < 3; looks++) await folders.namesIn(folder);
    expect(fs.readdir).toHaveBeenCalledTimes(3);
  });

  test('are none in a folder that cannot be listed', async () => {
    expect(await new Folders().namesIn(join(folder, 'missing'))).toEqual([]);
  });
});
