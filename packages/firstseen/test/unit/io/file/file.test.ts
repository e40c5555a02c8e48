import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { InputReplaced } from '../../../../src/io/source.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { look, markAfter, readAll } from '../support.js';

const text = 'first\nsecond\nthird\n';
let path = '';

beforeEach(() => {
  path = join(temporaryFolder(), 'in.txt');
});

describe('a file', () => {
  test.each<[string, () => void]>([
    [
      'removed and created again',
      () => {
        rmSync(path);
        writeFileSync(path, `${text}more\n`.toUpperCase());
      },
    ],
    ['copied, emptied and written to again', () => writeFileSync(path, text.toUpperCase().repeat(2))],
    ['emptied', () => writeFileSync(path, '')],
  ])('that is %s after the first look is not read from the old position', async (_, rotate) => {
    writeFileSync(path, text);
    const source = await look(path);
    rotate();
    await expect(source.open({ offset: 6 })).rejects.toMatchObject({
      code: 'E_INPUT',
      message: expect.stringContaining('run the same command again'),
    });
  });

  test.each([['a file that begins like it'], ['no file']])(
    'that is renamed, so that %s has its name, is read',
    async (now) => {
      writeFileSync(path, text);
      const source = await look(path);
      renameSync(path, `${path}.1`);
      if (now !== 'no file') writeFileSync(path, `${text}other\n`);
      appendFileSync(`${path}.1`, 'more\n');
      const reader = await source.open({ offset: text.length });
      const target = new Uint8Array(9);
      expect(new TextDecoder().decode(target.subarray(0, await reader.read(target)))).toBe('more\n');
      await reader.close();
      expect((await reader.markAt(text.length)).input.digest).toBe(source.note.digest);
    },
  );

  test('that is compressed and damaged is read to the damage, even if another file has its name by then', async () => {
    const damaged = gzipSync(text);
    damaged.writeUInt8((damaged.at(-8) as number) ^ 1, damaged.length - 8);
    writeFileSync(path, damaged);
    const reader = await (await look(path)).open();
    renameSync(path, `${path}.1`);
    writeFileSync(path, gzipSync('other\nlines\n'));
    const target = Buffer.alloc(text.length);
    for (let filled = 0; filled < target.length; ) filled += await reader.read(target.subarray(filled));
    expect(target.toString()).toBe(text);
    await expect(reader.read(target)).rejects.toThrow('incorrect data check');
    await reader.close();
  });

  test('that grows after the first look is read', async () => {
    writeFileSync(path, text);
    const source = await look(path);
    appendFileSync(path, 'more\n');
    const reader = await source.open({ offset: text.length });
    const target = new Uint8Array(9);
    expect(new TextDecoder().decode(target.subarray(0, await reader.read(target)))).toBe('more\n');
    await reader.close();
  });

  test('is compared as the same file, a grown file or another file', async () => {
    writeFileSync(path, text);
    const { input: known } = await markAfter(await look(path), 6);
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

  test('is compared by its content also after log rotation has renamed it', async () => {
    writeFileSync(path, text);
    const source = await look(path);
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'another\n');
    expect(await source.compare(source.note)).toBe('same');
    rmSync(`${path}.1`);
    await expect(source.compare(source.note)).rejects.toThrow(InputReplaced);
  });

  test('that log rotation has made of another one, and that is gone when it is looked at, is to be looked for again', async () => {
    writeFileSync(path, text);
    writeFileSync(`${path}.1`, text);
    const [rotated] = (await (await look(path)).rotated?.()) ?? [];
    rmSync(`${path}.1`);
    await expect(rotated?.look()).rejects.toThrow(InputReplaced);
  });

  test('that is new and has the inode of a rotated file, which is gone, is not taken for that', async () => {
    writeFileSync(path, text);
    writeFileSync(`${path}.1`, text);
    const [rotated] = (await (await look(path)).rotated?.()) ?? [];
    renameSync(`${path}.1`, path);
    await expect(rotated?.look()).rejects.toThrow(InputReplaced);
    writeFileSync(path, 'new\n');
    renameSync(path, `${path}.2`);
    await expect(rotated?.look()).rejects.toThrow(InputReplaced);
  });

  test.each([
    ['before its first byte is read', 0],
    ['while its first bytes are read', 4],
    ['while it is read', 10_000],
  ])('that was emptied %s gives none of its new content', async (_, before) => {
    const content = text.repeat(1000);
    writeFileSync(path, content);
    const reader = await (await look(path)).open();
    const target = new Uint8Array(20_000);
    let bytes = 0;
    while (bytes < before) bytes += await reader.read(target.subarray(bytes, before));
    writeFileSync(path, 'something longer than before\n'.repeat(1000));
    for (let read = 1; read > 0; bytes += read) read = await reader.read(target.subarray(bytes));
    expect(Buffer.from(target.subarray(0, bytes)).toString()).toBe(content.slice(0, bytes));
    await reader.close();
  });

  test('that was removed has a digest that no file can have', async () => {
    writeFileSync(path, text);
    const source = await look(path);
    rmSync(path);
    expect((await source.markAtStart()).input.digest).toBe('');
  });

  test('that was emptied and written to after it was read has the digest of what was read', async () => {
    writeFileSync(path, 'first\nsecond\n');
    const source = await look(path);
    const reader = await source.open();
    await readAll(reader);
    writeFileSync(path, 'third\nfourth\nfifth\n');
    expect((await reader.markAt(13)).input.digest).toBe(source.note.digest);
  });

  test('is refused if it does not exist or is a directory', async () => {
    await expect(look(path)).rejects.toMatchObject({ code: 'E_INPUT' });
    await expect(look(join(path, '..'))).rejects.toThrow('it is a directory');
  });
});
