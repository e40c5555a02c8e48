import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { compactPosition, isSinkPosition, positionToResume, sinkKinds } from '../../../src/io/sinks.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { open } from './sinksupport.js';

let path = '';
const standard = { path: null, isCompressed: false };

beforeEach(() => {
  path = join(temporaryFolder(), 'out');
});

test('exactly one kind handles each output', () => {
  for (const note of [{ path, isCompressed: false }, standard]) {
    expect(sinkKinds.filter((kind) => kind.isKindOf(note))).toHaveLength(1);
  }
});

test('a file continues at its position if it is not shorter', async () => {
  writeFileSync(path, 'abc');
  const note = { path, isCompressed: false };
  const known = { fileBytes: 2, pending: '', owesNewline: false };
  expect(await positionToResume(note, known, { isBegun: false })).toBe(known);
  const sink = await open(note, { position: known });
  await sink.appendBytes(Buffer.from('X'));
  await sink.close(true);
  expect(readFileSync(path, 'utf8')).toBe('abX');
});

test('an output that was removed or cut is an error', async () => {
  const note = { path, isCompressed: false };
  const known = { fileBytes: 2, pending: '', owesNewline: false };
  await expect(positionToResume(note, known, { isBegun: false })).rejects.toThrow('is missing');
  writeFileSync(path, 'a');
  await expect(positionToResume(note, known, { isBegun: false })).rejects.toThrow('has 1 byte');
  await expect(positionToResume(note, known, { isBegun: false })).rejects.toMatchObject({
    code: 'E_OUTPUT',
    message: `${path} has 1 byte, but an earlier run had written 2 bytes to it; restore the file, or use isNewRun to write only records that are new`,
  });
});

test('what an earlier process wrote is written again only if it is the same', async () => {
  const note = { path, isCompressed: false };
  const options = { position: { fileBytes: 2, pending: '', owesNewline: false }, isRepeated: true };
  writeFileSync(path, 'abcd');
  const sink = await open(note, options);
  await sink.appendBytes(Buffer.from('c'));
  await sink.commit();
  expect(readFileSync(path, 'utf8')).toBe('abcd');
  await sink.appendBytes(Buffer.from('def'));
  expect(await sink.close(true)).toMatchObject({ fileBytes: 6, written: { bytes: 6, isClosed: true } });
  expect(readFileSync(path, 'utf8')).toBe('abcdef');

  const behind = await open(note, options);
  await behind.appendBytes(Buffer.from('cd'));
  expect(await behind.close(false)).toMatchObject({ fileBytes: 4, written: { bytes: 4, isClosed: false } });

  const foreign = await open(note, options);
  await foreign.appendBytes(Buffer.from('cd'));
  await foreign.flush();
  await foreign.appendBytes(Buffer.from('xf'));
  await expect(foreign.flush()).rejects.toThrow(
    `${path} has bytes that this run did not write after its first 4 bytes; remove these bytes with "truncate -s 4 ${path}", or use isNewRun`,
  );
  await foreign.abort();
  const short = await open(note, options);
  await expect(short.close(true)).rejects.toMatchObject({ code: 'E_OUTPUT' });
  expect(readFileSync(path, 'utf8')).toBe('abcdef');
});

test('standard output always starts at its current end', async () => {
  expect(
    await positionToResume(standard, { fileBytes: 9, pending: '', owesNewline: false }, { isBegun: false }),
  ).toEqual({ fileBytes: 0, pending: '', owesNewline: false });
});

test('a position that no output can have is recognized as invalid', () => {
  const note = { path, isCompressed: false };
  expect(isSinkPosition(note, { fileBytes: 3, pending: '', owesNewline: false })).toBe(true);
  expect(isSinkPosition(note, { fileBytes: 3, pending: 'YQ==', owesNewline: false })).toBe(false);
  expect(
    isSinkPosition({ path: 'a.gz', isCompressed: false }, { fileBytes: 3, pending: 'YQ==', owesNewline: false }),
  ).toBe(true);
});

describe('a file to which something else has written', () => {
  const note = () => ({ path, isCompressed: false });

  /** Writes three bytes, and returns the position after a checkpoint and that after the end. */
  async function written() {
    const sink = await open(note());
    await sink.appendBytes(Buffer.from('abc'));
    return { committed: await sink.commit(), closed: await sink.close(true) };
  }

  test.each([
    ['longer', 'abcd', 'has 4 bytes, but an earlier run had written 3 bytes to it'],
    ['shorter', 'ab', 'has 2 bytes, but an earlier run had written 3 bytes to it'],
    ['changed', 'abX', 'was changed after an earlier run had written it'],
  ])('is refused: %s', async (_, content, message) => {
    const { closed } = await written();
    writeFileSync(path, content);
    await expect(positionToResume(note(), closed, { isBegun: false })).rejects.toThrow(message);
  });

  test('may be longer after a checkpoint, which the run itself may have written, or after a run that has begun', async () => {
    const { committed, closed } = await written();
    writeFileSync(path, 'abcd');
    expect(await positionToResume(note(), committed, { isBegun: false })).toBe(committed);
    expect(await positionToResume(note(), closed, { isBegun: true })).toBe(closed);
  });

  test.each([
    ['longer', 'abcother', 'has 8 bytes, but this run has written 3'],
    ['shorter', 'a', 'has 1 byte, but this run has written 3'],
  ])('is noticed at the next checkpoint, and when it is closed: %s', async (_, content, problem) => {
    const refused = {
      code: 'E_OUTPUT',
      message: `${path} ${problem}: something else writes to it; give every run an output of its own`,
    };
    for (const take of ['commit', 'close'] as const) {
      rmSync(path, { force: true });
      const sink = await open(note());
      await sink.appendBytes(Buffer.from('abc'));
      await sink.commit();
      writeFileSync(path, content);
      await expect(sink[take](true)).rejects.toMatchObject(refused);
      await sink.abort();
      expect(readFileSync(path, 'utf8')).toBe(content);
    }
  });
});

describe('a compressed file of which only the final bytes are left', () => {
  test('is written again by a run that had begun, and refused otherwise', async () => {
    const note = { path: `${path}.gz`, isCompressed: false };
    const first = await open(note);
    await first.appendBytes(Buffer.from('abc'));
    const closed = await first.close(true);
    writeFileSync(note.path, '');
    const former = { isBegun: true };
    expect(await positionToResume(note, closed, former)).toBe(closed);
    for (const refused of [
      { ...former, isBegun: false },
      { ...former, isDone: true },
    ]) {
      await expect(positionToResume(note, closed, refused)).rejects.toThrow(
        'has 0 bytes, but an earlier run had written',
      );
    }
    const again = await open(note, { position: closed, isRepeated: true });
    await again.appendBytes(Buffer.from('def'));
    await again.close(true);
    expect(gunzipSync(readFileSync(note.path)).toString()).toBe('abcdef');
  });
});

test('a position in little space continues after the last member of a compressed file', async () => {
  const note = { path: `${path}.gz`, isCompressed: false };
  const first = await open(note);
  await first.appendBytes(Buffer.from('abc'));
  const closed = await first.close(true);
  const compact = compactPosition(note, closed);
  expect(compact).toMatchObject({ pending: '' });
  expect(isSinkPosition(note, compact)).toBe(true);
  expect(await positionToResume(note, compact, { isBegun: false })).toBe(compact);
  const second = await open(note, { position: compact });
  await second.appendBytes(Buffer.from('def'));
  await second.close(true);
  expect(gunzipSync(readFileSync(note.path)).toString()).toBe('abcdef');
});
