import { appendFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InputReader, Source } from '../../../src/io/source.js';
import { lookAtInput, requestOf } from '../../../src/io/sources.js';
import { RereadSource } from '../../../src/run/reread.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { readerOf } from './support.js';

const TEXT = 'one\ntwo\nthree\n';

async function textOf(reader: InputReader): Promise<string> {
  const target = new Uint8Array(5);
  let text = '';
  for (let bytes = await reader.read(target); bytes > 0; bytes = await reader.read(target)) {
    text += Buffer.from(target.subarray(0, bytes)).toString();
  }
  await reader.close();
  return text;
}

async function reread(path: string, change: (path: string) => void): Promise<string> {
  const source = new RereadSource(await lookAtInput(requestOf(path), 'lines'), temporaryFolder());
  expect(await textOf(await source.first.open())).toBe(TEXT);
  change(path);
  return textOf(await source.second.open());
}

function file(): string {
  const path = join(temporaryFolder(), 'in.txt');
  writeFileSync(path, TEXT);
  return path;
}

test('a file is read again up to where it ended', async () => {
  expect(await reread(file(), () => undefined)).toBe(TEXT);
  expect(await reread(file(), (path) => appendFileSync(path, 'four\n'))).toBe(TEXT);
});

test('a file that has lost bytes, or has others, is refused', async () => {
  const error = { code: 'E_INPUT', message: expect.stringContaining('changed between') };
  await expect(reread(file(), (path) => truncateSync(path, 4))).rejects.toMatchObject(error);
  await expect(reread(file(), (path) => writeFileSync(path, TEXT.toUpperCase()))).rejects.toMatchObject(error);
});

/** A source that cannot be read again, and may fail at its end. */
function streamOf(pieces: readonly string[], failure?: Error): Source {
  const reader = readerOf(pieces.map((piece) => new TextEncoder().encode(piece)));
  return {
    name: 'stream',
    note: { path: 'stream', isFile: false, isCompressed: false, storedBytes: 0, digest: '' },
    mayGrow: false,
    open: async () => ({
      ...reader,
      read: async (target) => {
        const bytes = await reader.read(target);
        if (bytes === 0 && failure) throw failure;
        return bytes;
      },
    }),
    markAtStart: () => Promise.reject(new Error('not asked for')),
    compare: async () => 'other',
    bytesAround: async () => new Uint8Array(0),
  };
}

test('an input that cannot be read again is copied to a file without a name', async () => {
  const folder = temporaryFolder();
  const source = new RereadSource(streamOf(['one\n', 'two\n']), folder);
  await textOf(await source.first.open());
  expect(source.spooledBytes).toBe(8);
  expect(await textOf(await source.second.open())).toBe('one\ntwo\n');
  source.close();
  expect(readdirSync(folder)).toEqual([]);
});

test('a failure of the first reading is that of the second, after the same bytes', async () => {
  const failure = new Error('torn');
  const source = new RereadSource(streamOf(['one\n', 'tw'], failure), temporaryFolder());
  await expect(textOf(await source.first.open())).rejects.toBe(failure);
  const target = new Uint8Array(100);
  const reader = await source.second.open();
  expect(await reader.read(target)).toBe(6);
  await expect(reader.read(target)).rejects.toBe(failure);
  source.close();
});
