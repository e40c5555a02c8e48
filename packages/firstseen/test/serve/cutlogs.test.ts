// A log with a block that is not whole, and whole blocks after it: what is cut off is told, and a copy is kept.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Block, BlockReader, encodeBlock } from '../../src/serve/log/blocks.js';
import { cutMessage } from '../../src/serve/log/cutoff.js';
import { LOG_HEAD_BYTES } from '../../src/serve/log/logfile.js';
import { serve } from '../../src/serve/server.js';
import { checksum, type Data, dataIn, elementsAfterStart, killedNow, newFolder } from './support/folder.js';
import { testServer, withServer } from './support/server.js';

const nameOf = (sequence: number) => `log-00000000000${sequence}`;

/** The blocks of a log. */
async function blocksIn(path: string): Promise<Block[]> {
  const reader = await BlockReader.open(path, await checksum);
  const blocks: Block[] = [];
  for await (const block of reader.search(LOG_HEAD_BYTES)) blocks.push(block);
  await reader.close();
  return blocks;
}

/** Writes the logs of a folder again, as if no sync had ended meanwhile. */
async function withoutSyncs(folder: string, sequences: readonly number[]): Promise<void> {
  for (const sequence of sequences) {
    const path = join(folder, nameOf(sequence));
    const blocks = await blocksIn(path);
    const parts = blocks.map(({ number, records }) => encodeBlock({ number, synced: 0 }, records, testChecksum));
    writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, LOG_HEAD_BYTES), ...parts]));
  }
}

const testChecksum = await checksum;

/** A folder after a kill: the blocks create `d`, a, b and c, create `e`, 20 elements of `e`. */
async function killedFolder(): Promise<string> {
  let folder = '';
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '1KiB');
      await client.send('FS.OBSERVE', 'd', 'a');
      await client.send('FS.OBSERVE', 'd', 'b', 'c');
      await client.send('FS.CREATE', 'e', 'algorithm', 'exact', 'memory', '1KiB');
      await client.send('FS.OBSERVE', 'e', ...Array.from({ length: 20 }, (_, i) => `${i}`));
      folder = killedNow(data.folder);
    },
    { data },
  );
  return folder;
}

let data: Data;

async function newData(): Promise<void> {
  data = dataIn(newFolder(), { durability: 'always' });
}

/** Flips a bit in a block. @returns the offset at which the block begins, and the log as it is then */
async function damage(path: string, block: number): Promise<{ position: number; bytes: Buffer }> {
  const blocks = await blocksIn(path);
  const position = blocks[block - 2]?.next ?? LOG_HEAD_BYTES;
  const bytes = readFileSync(path);
  bytes[position + 30] = (bytes[position + 30] as number) ^ 1;
  writeFileSync(path, bytes);
  return { position, bytes };
}

/** The warning of a start about the part that it cut off. */
async function messageOfStart(folder: string, onDamage: Data['onDamage']): Promise<string | undefined> {
  const server = await serve({ ...testServer, data: dataIn(folder, { onDamage }) });
  await server.close();
  const cut = server.recovered?.cut;
  return cut && cutMessage(cut, '--on-damage cut').replaceAll(folder, 'F');
}

const copiesIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('.damaged'));

test('blocks that follow one that is not whole are counted, and a copy is kept', async () => {
  await newData();
  const folder = await killedFolder();
  await withoutSyncs(folder, [1]);
  const path = join(folder, nameOf(1));
  const { position, bytes } = await damage(path, 2);
  expect(await messageOfStart(folder, 'fail')).toBe(
    `the log F/${nameOf(1)} was cut off at byte ${position}: the block there was being written when the server or the machine stopped, or was damaged since. It was followed by 3 whole blocks with 23 changes, which were cut off too. These detectors are gone: "e". The log as it was is now F/${nameOf(1)}.damaged`,
  );
  expect(readFileSync(`${path}.damaged`)).toEqual(bytes);
  expect(readFileSync(path).length).toBe(position);
  expect(await messageOfStart(folder, 'fail')).toBe(undefined);
  expect(copiesIn(folder)).toEqual([`${nameOf(1)}.damaged`]);
  // A copy that is there is not replaced.
  writeFileSync(path, bytes);
  expect(await messageOfStart(folder, 'cut')).toMatch(/\.damaged-2/);
  expect(readFileSync(`${path}.damaged`)).toEqual(bytes);
});

test('damage that is cut off is counted, and a copy is kept', async () => {
  await newData();
  const folder = await killedFolder();
  const path = join(folder, nameOf(1));
  const { bytes } = await damage(path, 1);
  await expect(messageOfStart(folder, 'fail')).rejects.toThrow(
    /log-000000000001 is damaged at byte 32, before 4 whole blocks with 24 changes; restore .*give onDamage cut to go on without what follows: a copy of the log is kept/,
  );
  expect(copiesIn(folder)).toEqual([]);
  expect(await messageOfStart(folder, 'cut')).toBe(
    `the log F/${nameOf(1)} was cut off at byte 32: it is damaged there (--on-damage cut). What was acknowledged after that is lost: its keys are distinct again, and detectors that were created in it are gone. It was followed by 4 whole blocks with 24 changes, which were cut off too. These detectors are gone: number 1, "e". The log as it was is now F/${nameOf(1)}.damaged`,
  );
  expect(readFileSync(`${path}.damaged`)).toEqual(bytes);
});

test('a log after the one that is cut off is set aside', async () => {
  await newData();
  await withServer(
    async (client) => {
      await client.send('FS.CREATE', 'd', 'algorithm', 'exact', 'memory', '1KiB');
      await client.send('FS.OBSERVE', 'd', 'a');
    },
    { data },
  );
  let folder = '';
  await withServer(
    async (client) => {
      await client.send('FS.OBSERVE', 'd', 'b');
      folder = killedNow(data.folder);
    },
    { data },
  );
  await damage(join(folder, nameOf(1)), 2);
  const second = readFileSync(join(folder, nameOf(2)));
  expect(await elementsAfterStart(folder)).toBe('E_STATE_FILE');
  expect(await messageOfStart(folder, 'cut')).toMatch(
    /followed by 2 whole blocks with 1 change, which .*now F\/log-000000000001\.damaged, F\/log-000000000002\.damaged$/,
  );
  expect(readFileSync(join(folder, `${nameOf(2)}.damaged`))).toEqual(second);
  expect(await elementsAfterStart(folder)).toBe(0);
});

test('of a block that was being written, no copy is kept', async () => {
  await newData();
  const folder = await killedFolder();
  const path = join(folder, nameOf(1));
  await damage(path, 5);
  expect(await messageOfStart(folder, 'fail')).toBe(
    'the log ended with an incomplete block, which was cut off: the server stopped while it wrote the block',
  );
  expect(copiesIn(folder)).toEqual([]);
});

test.each(['truncated', 'zeroed'])('of a log that was %s, a start says how many blocks are missing', async (form) => {
  await newData();
  // The server has stopped.
  await killedFolder();
  const { folder } = data;
  const path = join(folder, nameOf(1));
  const blocks = await blocksIn(path);
  const position = blocks[1]?.next as number;
  const bytes = readFileSync(path);
  writeFileSync(path, form === 'zeroed' ? bytes.fill(0, position) : bytes.subarray(0, position));
  expect(await messageOfStart(folder, 'cut')).toBe(
    `at least ${blocks.length - 2} blocks at the end of the log, which were on the disk before, are missing (--on-damage cut): what was acknowledged in them is lost, its keys are distinct again, detectors that were created in it are gone, and detectors that were dropped in it are back. No whole block of them is left, so their detectors are unknown, and no copy is kept`,
  );
  expect(copiesIn(folder)).toEqual([]);
});
