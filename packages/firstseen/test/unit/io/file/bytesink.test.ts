// The kinds of output follow their contract.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { MEMBER_BYTES } from '../../../../src/io/file/bytesink.js';
import { isSinkPosition, openSink, positionToResume } from '../../../../src/io/sinks.js';
import { temporaryFolder } from '../../../cli/support/command.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
let path = '';

beforeEach(() => {
  path = join(temporaryFolder(), 'out');
});

describe.each([false, true])('a file, compressed: %s', (isCompressed) => {
  const note = () => ({ path, isCompressed });
  const text = () => (isCompressed ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString();

  test('is truncated to its position and continues there', async () => {
    const first = await openSink(note());
    await first.write(bytesOf('kept '));
    await first.commit();
    const position = JSON.parse(JSON.stringify(first.position()));
    expect(isSinkPosition(note(), position)).toBe(true);
    await first.write(bytesOf('written after the checkpoint'));
    await first.close(false);

    const resumed = await positionToResume(note(), position, { isFinished: false, isBegun: false });
    const second = await openSink(note(), { position: resumed });
    await second.write(bytesOf('and more'));
    await second.close(true);
    expect(text()).toBe('kept and more');
  });

  test('is truncated by a run without output only if the run is complete', async () => {
    writeFileSync(path, 'before');
    await (await openSink(note())).close(false);
    expect(readFileSync(path, 'utf8')).toBe('before');
    await (await openSink(note())).close(true);
    expect(text()).toBe('');
  });
});

test('a compressed file has the same bytes with and without an interruption', async () => {
  const note = { path: `${path}.gz`, isCompressed: false };
  const all = Buffer.alloc(2.5 * MEMBER_BYTES, 'some text ');
  const whole = await openSink(note);
  await whole.write(all);
  await whole.close(true);
  const expected = readFileSync(note.path);
  const first = await openSink(note);
  await first.write(all.subarray(0, 1.2 * MEMBER_BYTES));
  await first.commit();
  const position = first.position();
  await first.close(false);
  const second = await openSink(note, { position });
  await second.write(all.subarray(1.2 * MEMBER_BYTES));
  await second.close(true);
  expect(readFileSync(note.path).equals(expected)).toBe(true);
});

test('the output must not be missing', async () => {
  const note = { path, isCompressed: false };
  const position = { fileBytes: 4, pending: '' };
  await expect(positionToResume(note, position, { isFinished: true, isBegun: false })).rejects.toThrow('is missing');
  await expect(positionToResume(note, position, { isFinished: false, isBegun: false })).rejects.toMatchObject({
    code: 'E_OUTPUT',
  });
  writeFileSync(path, 'four');
  expect(await positionToResume(note, position, { isFinished: false, isBegun: false })).toEqual(position);
});

test('standard output continues at its current end', async () => {
  const note = { path: null, isCompressed: false };
  expect(await positionToResume(note, { fileBytes: 100, pending: '' }, { isFinished: false, isBegun: false })).toEqual({
    fileBytes: 0,
    pending: '',
  });
});

test('a file that cannot be opened is an error, and nothing is created', async () => {
  const nowhere = join(path, 'out');
  await expect(openSink({ path: nowhere, isCompressed: false })).rejects.toMatchObject({ code: 'E_OUTPUT' });
  expect(existsSync(path)).toBe(false);
});
