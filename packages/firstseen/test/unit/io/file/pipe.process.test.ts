import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileNote } from '../../../../src/io/source.js';
import { isPositionOf } from '../../../../src/io/sources.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { requiresPosix } from '../../../support/platform.js';
import { look, readAll } from '../support.js';

describe('a pipe', () => {
  test('is read once, from its current position, and has no positions', async () => {
    requiresPosix('named pipes in folders');
    const path = join(temporaryFolder(), 'in.txt');
    execFileSync('mkfifo', [path]);
    const source = await look(path);
    expect(source.note).toMatchObject({ isFile: false, digest: '' });
    expect((await source.markAtStart()).position).toBeUndefined();
    expect(isPositionOf(source.note, { offset: 3 })).toBe(false);
    const feed = spawn('/bin/sh', ['-c', `printf 'a\\nb\\n' > "${path}"`]);
    expect(await readAll(await source.open())).toBe('a\nb\n');
    expect(feed.killed).toBe(false);
    expect(await source.compare({ ...source.note })).toBe('same');
    expect(await source.compare({ ...(source.note as FileNote), path: '-' })).toBe('other');
  });

  test('is the kind of standard input', async () => {
    expect((await look('-')).note).toMatchObject({ path: '-', isFile: false });
  });
});
