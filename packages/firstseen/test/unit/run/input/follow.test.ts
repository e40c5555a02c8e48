import { appendFileSync, copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { InputReader, Source, Successor } from '../../../../src/run/input/contract.js';
import { followed } from '../../../../src/run/input/follow.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { look } from './support.js';

const text = 'first\nsecond\n';
const newText = 'another\nthird\nfourth\n';
let path = '';
let source: Source;
let reader: InputReader;

beforeEach(async () => {
  path = join(temporaryFolder(), 'app.log');
  writeFileSync(path, text);
  source = followed(await look(path), { isBinary: false });
  reader = await source.open();
  expect(await readSome(reader)).toBe(text);
});

async function readSome(from: InputReader): Promise<string> {
  const target = new Uint8Array(100);
  return Buffer.from(target.subarray(0, await from.read(target))).toString();
}

async function readSuccessor(): Promise<string> {
  const successor = source.successor?.() as Successor;
  const nextReader = await successor.source.open();
  const content = await readSome(nextReader);
  await nextReader.close();
  await reader.close();
  return content;
}

describe('a file that is followed', () => {
  test('and emptied before the next look is read from its start, even if it is longer now', async () => {
    writeFileSync(path, newText);
    expect(await readSome(reader)).toBe('');
    expect(source.successor?.()?.follows).toBe('rewritten');
    expect(await readSuccessor()).toBe(newText);
  });

  test('and copied and emptied before the next look is read on from the copy', async () => {
    appendFileSync(path, 'late\n');
    copyFileSync(path, `${path}.1`);
    writeFileSync(path, newText);
    expect(await readSome(reader)).toBe('');
    expect(source.successor?.()).toMatchObject({ source: { name: `${path}.1` }, follows: 'copy' });
    expect(reader.isContinued).toBe(true);
    expect(await readSuccessor()).toBe(`${text}late\n`);
    expect(source.successor?.()?.source.successor?.()).toMatchObject({ source: { name: path }, follows: 'next' });
  });

  test('and rotated twice before the next look has the file in between as its successor', async () => {
    renameSync(path, `${path}.2`);
    writeFileSync(`${path}.1`, 'between\n');
    writeFileSync(path, newText);
    expect(await readSome(reader)).toBe('');
    expect(source.successor?.()).toMatchObject({ source: { name: `${path}.1` }, follows: 'next' });
    expect(await readSuccessor()).toBe('between\n');
  });

  test('and emptied has a note with a digest that no file can have', async () => {
    writeFileSync(path, newText);
    expect((await source.noteAt(text.length)).digest).toBe('');
    await reader.close();
  });
});
