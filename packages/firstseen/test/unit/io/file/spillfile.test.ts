import { readdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SpillFile } from '../../../../src/io/file/spillfile.js';
import { temporaryFolder } from '../../../cli/support/command.js';

test('a file never has a name on Linux, so that a kill at any moment leaves nothing', async () => {
  const folder = temporaryFolder();
  const named: unknown[] = [];
  const watcher = watch(folder);
  const isSeen = new Promise<void>((resolve) => {
    watcher.on('change', (event, name) => {
      // A name came or went; `change` is a write.
      if (event === 'rename') named.push(name);
      if (name === 'after') resolve();
    });
  });
  const file = new SpillFile(folder);
  file.append(Buffer.from('entries'));
  // Changes come in their order, so those of the file would come before this one.
  writeFileSync(join(folder, 'after'), '');
  await isSeen;
  watcher.close();
  if (process.platform === 'linux') expect(new Set(named)).toEqual(new Set(['after']));
  const read = Buffer.alloc(7);
  expect([file.read(read, 0), read.toString()]).toEqual([7, 'entries']);
  file.close();
  expect(readdirSync(folder)).toEqual(['after']);
});
