import { appendFileSync, copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { followed } from '../../../../src/io/file/follow.js';
import type { InputReader, Source } from '../../../../src/io/source.js';
import { Folders } from '../../../../src/io/system/folders.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { look } from '../support.js';

const text = 'first\nsecond\n';
const newText = 'another\nthird\nfourth\n';
let path = '';
let source: Source;
let reader: InputReader;

beforeEach(async () => {
  path = join(temporaryFolder(), 'app.log');
  writeFileSync(path, text);
  source = await followed(await look(path), { isBinary: false, folders: new Folders() });
  reader = await source.open();
  expect(await readSome(reader)).toBe(text);
});

async function readSome(from: InputReader): Promise<string> {
  const target = new Uint8Array(100);
  return Buffer.from(target.subarray(0, await from.read(target))).toString();
}

describe('a file that is followed', () => {
  test.each([
    ['emptied', false, () => undefined],
    ['copied and emptied', true, () => copyFileSync(path, `${path}.1`)],
  ])(
    'and %s before the next look is to be looked for again, even if it is longer now',
    async (_, isContinued, copy) => {
      appendFileSync(path, 'late\n');
      copy();
      writeFileSync(path, newText);
      expect(await readSome(reader)).toBe('');
      expect([reader.isRotated, reader.isContinued]).toEqual([true, isContinued]);
      const again = (await source.lookAgain?.()) as Source;
      const next = await again.open();
      expect([next.isRotated, await readSome(next)]).toEqual([false, newText]);
      await next.close();
      await reader.close();
    },
  );

  test('and replaced is to be looked for again when it has not grown for a while', async () => {
    renameSync(path, `${path}.1`);
    writeFileSync(path, newText);
    appendFileSync(`${path}.1`, 'late\n');
    expect([await readSome(reader), await readSome(reader)]).toEqual(['late\n', '']);
    expect([reader.isRotated, reader.isContinued]).toEqual([true, false]);
    await reader.close();
  });

  test('gives no new content if a rotated file has appeared, as when its former content begins alike', async () => {
    writeFileSync(`${path}.1`, `${text}between\n`);
    appendFileSync(path, newText);
    expect(await readSome(reader)).toBe('');
    expect([reader.isRotated, reader.isContinued]).toEqual([true, true]);
    await reader.close();
  });

  test('and renamed while it is looked around is read until its last line is complete', async () => {
    await reader.close();
    let looks = 0;
    const log = await look(path);
    const renamed = await followed(
      {
        ...log,
        async rotated() {
          looks++;
          if (looks === 2) {
            appendFileSync(path, 'unfini');
            renameSync(path, `${path}.1`);
            writeFileSync(path, newText);
          }
          return (await log.rotated?.()) ?? [];
        },
      },
      { isBinary: false, folders: new Folders() },
    );
    reader = await renamed.open();
    expect([await readSome(reader), await readSome(reader)]).toEqual([text, 'unfini']);
    appendFileSync(`${path}.1`, 'shed\n');
    expect([await readSome(reader), await readSome(reader)]).toEqual(['shed\n', '']);
    expect([reader.isRotated, reader.isContinued]).toEqual([true, false]);
    await reader.close();
  });

  test('and emptied has a note of what was read', async () => {
    writeFileSync(path, newText);
    expect((await reader.markAt(text.length)).input.digest).toBe(source.note.digest);
    await reader.close();
  });
});
