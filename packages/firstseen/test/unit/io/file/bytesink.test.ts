// The kinds of output follow their contract.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { MEMBER_BYTES } from '../../../../src/io/file/members.js';
import { isSinkPosition, positionToResume } from '../../../../src/io/sinks.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { open } from '../sinksupport.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
let path = '';

beforeEach(() => {
  path = join(temporaryFolder(), 'out');
});

describe.each([false, true])('a file, compressed: %s', (isCompressed) => {
  const note = () => ({ path, isCompressed });
  const text = () => (isCompressed ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString();

  test('is truncated to its position and continues there', async () => {
    const first = await open(note());
    await first.appendBytes(bytesOf('kept '));
    const position = JSON.parse(JSON.stringify(await first.commit()));
    expect(isSinkPosition(note(), position)).toBe(true);
    await first.appendBytes(bytesOf('written after the checkpoint'));
    await first.close(false);

    const resumed = await positionToResume(note(), position, { isBegun: false });
    const second = await open(note(), { position: resumed });
    await second.appendBytes(bytesOf('and more'));
    await second.close(true);
    expect(text()).toBe('kept and more');
  });

  test('is truncated by a run without output only if the run is complete', async () => {
    writeFileSync(path, 'before');
    await (await open(note())).close(false);
    expect(readFileSync(path, 'utf8')).toBe('before');
    await (await open(note())).close(true);
    expect(text()).toBe('');
  });
});

test('a compressed file has the same bytes with and without an interruption', async () => {
  const note = { path: `${path}.gz`, isCompressed: false };
  const all = Buffer.alloc(2.5 * MEMBER_BYTES, 'some text ');
  const whole = await open(note);
  await whole.appendBytes(all);
  await whole.close(true);
  const expected = readFileSync(note.path);
  const first = await open(note);
  await first.appendBytes(all.subarray(0, 1.2 * MEMBER_BYTES));
  const position = await first.commit();
  await first.close(false);
  const second = await open(note, { position });
  await second.appendBytes(all.subarray(1.2 * MEMBER_BYTES));
  await second.close(true);
  expect(readFileSync(note.path).equals(expected)).toBe(true);
});

test('the output must not be missing', async () => {
  const note = { path, isCompressed: false };
  const position = { fileBytes: 4, pending: '', owesNewline: false };
  await expect(positionToResume(note, position, { isBegun: false })).rejects.toThrow('is missing');
  await expect(positionToResume(note, position, { isBegun: false })).rejects.toMatchObject({
    code: 'E_OUTPUT',
  });
  writeFileSync(path, 'four');
  expect(await positionToResume(note, position, { isBegun: false })).toEqual(position);
});

test('standard output continues at its current end', async () => {
  const note = { path: null, isCompressed: false };
  expect(await positionToResume(note, { fileBytes: 100, pending: '', owesNewline: false }, { isBegun: false })).toEqual(
    {
      fileBytes: 0,
      pending: '',
      owesNewline: false,
    },
  );
});

test('a file that cannot be opened is an error, and nothing is created', async () => {
  const nowhere = join(path, 'out');
  await expect(open({ path: nowhere, isCompressed: false })).rejects.toMatchObject({ code: 'E_OUTPUT' });
  expect(existsSync(path)).toBe(false);
});
