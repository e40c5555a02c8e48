// The kinds of input, each held against its contract.

import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import type { InputReader, InputRequest, Source } from '../../../../src/run/input/contract.js';
import { isPositionOf, lookAtInput } from '../../../../src/run/input/registry.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { requiresPosix } from '../../../support/platform.js';

const text = 'first\nsecond\nthird\n';
let path = '';

beforeEach(() => {
  path = join(temporaryFolder(), 'in.txt');
});

async function readAll(reader: InputReader): Promise<string> {
  const target = new Uint8Array(7);
  let found = '';
  for (;;) {
    const bytes = await reader.read(target);
    if (bytes === 0) break;
    found += Buffer.from(target.subarray(0, bytes)).toString();
  }
  await reader.close();
  return found;
}

const look = (request: InputRequest) => lookAtInput(request, { isBinary: false });

/** What every input that can be gone back to does. */
async function expectReadOn(source: Source, whole: string): Promise<void> {
  expect(await readAll(await source.open())).toBe(whole);
  for (const offset of [0, 1, 6, whole.length]) {
    const position = source.positionAt(offset);
    expect(JSON.parse(JSON.stringify(position))).toEqual(position);
    expect(isPositionOf(source.note, position)).toBe(true);
    expect(await readAll(await source.open(position))).toBe(whole.slice(offset));
  }
  expect(Buffer.from(await source.bytesAround(6)).toString()).toBe(whole.slice(5, 7));
  expect(Buffer.from(await source.bytesAround(whole.length)).toString()).toBe('\n');
}

describe('a file', () => {
  test('is read on from any position', async () => {
    writeFileSync(path, text);
    await expectReadOn(await look(path), text);
  });

  test('that is compressed has positions in what it holds', async () => {
    writeFileSync(path, gzipSync(text));
    const source = await look(path);
    expect(source.note.isCompressed).toBe(true);
    await expectReadOn(source, text);
  });

  test('is the same, has grown, or is another one', async () => {
    writeFileSync(path, text);
    const known = await (await look(path)).noteAt(6);
    expect(await (await look(path)).compare(known)).toBe('grown');
    writeFileSync(path, text.slice(0, 6));
    expect(await (await look(path)).compare(known)).toBe('same');
    appendFileSync(path, 'more');
    expect(await (await look(path)).compare(known)).toBe('grown');
    writeFileSync(path, 'First\nsecond\n');
    expect(await (await look(path)).compare(known)).toBe('other');
    writeFileSync(path, 'fir');
    expect(await (await look(path)).compare(known)).toBe('other');
  });

  test('that was taken away has no digest that another could have', async () => {
    writeFileSync(path, text);
    const source = await look(path);
    rmSync(path);
    expect((await source.noteAt(6)).digest).toBe('');
  });

  test('that is not there, or is a directory, is refused', async () => {
    await expect(look(path)).rejects.toMatchObject({ code: 'E_INPUT' });
    await expect(look(join(path, '..'))).rejects.toThrow('it is a directory');
  });
});

describe('a pipe', () => {
  test('is read once, from where it is, and has no position', async () => {
    requiresPosix('named pipes in folders');
    execFileSync('mkfifo', [path]);
    const source = await look(path);
    expect(source.note).toMatchObject({ isFile: false, digest: '' });
    expect(source.positionAt(3)).toBeUndefined();
    expect(isPositionOf(source.note, { offset: 3 })).toBe(false);
    const feed = spawn('/bin/sh', ['-c', `printf 'a\\nb\\n' > "${path}"`]);
    expect(await readAll(await source.open())).toBe('a\nb\n');
    expect(feed.killed).toBe(false);
    expect(await source.compare({ ...source.note })).toBe('same');
    expect(await source.compare({ ...source.note, path: '-' })).toBe('other');
  });

  test('is what standard input is taken for', async () => {
    expect((await look('-')).note).toMatchObject({ path: '-', isFile: false });
  });
});

describe('a folder', () => {
  const paths = ['docs/a', 'docs/b', 'docs/c'];
  const list = 'docs/a\ndocs/b\ndocs/c\n';

  test('is read on from any position of its list', async () => {
    const source = await look({ name: 'docs', paths });
    expect(await readAll(await source.open())).toBe(list);
    expect(await readAll(await source.open(source.positionAt(7)))).toBe(list.slice(7));
    expect(isPositionOf(source.note, source.positionAt(7))).toBe(true);
    expect(Buffer.from(await source.bytesAround(7)).toString()).toBe('\nd');
  });

  test('is another one when a document came before what was taken, and has grown when it came behind', async () => {
    const known = await (await look({ name: 'docs', paths })).noteAt(14);
    const compared = async (now: readonly string[]) => (await look({ name: 'docs', paths: now })).compare(known);
    expect(await compared(paths.slice(0, 2))).toBe('same');
    expect(await compared([...paths, 'docs/d'])).toBe('grown');
    expect(await compared(['docs/0', ...paths])).toBe('other');
    expect(await compared(paths.slice(0, 1))).toBe('other');
  });

  test('with a path that is no line is refused', async () => {
    await expect(look({ name: 'docs', paths: ['docs/a\nb'] })).rejects.toThrow('has a newline in its name');
  });
});
