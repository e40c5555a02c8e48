import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { isSinkPosition, openSink, positionToResume, sinkKinds } from '../../../../src/run/output/registry.js';
import { startPosition } from '../../../../src/run/output/sink.js';
import { temporaryFolder } from '../../../cli/support/command.js';

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
  const known = { fileBytes: 2, pending: '' };
  expect(await positionToResume(note, known, false)).toBe(known);
  const sink = await openSink(note, known);
  await sink.write(Buffer.from('X'));
  await sink.close(true);
  expect(readFileSync(path, 'utf8')).toBe('abX');
});

test('a file that is too short is an error in an unfinished run, and starts again after a finished run', async () => {
  writeFileSync(path, 'a');
  const note = { path, isCompressed: false };
  const known = { fileBytes: 2, pending: '' };
  expect(await positionToResume(note, known, true)).toBeUndefined();
  await expect(positionToResume(note, known, false)).rejects.toMatchObject({
    code: 'E_OUTPUT',
    message: `${path} has 1 byte, but the run to continue had written 2; restore the file, or use isNewRun to keep only the detector`,
  });
});

test('standard output always starts at its current end', async () => {
  expect(await positionToResume(standard, { fileBytes: 9, pending: '' }, false)).toEqual(startPosition);
});

test('a position that no output can have is recognized as invalid', () => {
  const note = { path, isCompressed: false };
  expect(isSinkPosition(note, { fileBytes: 3, pending: '' })).toBe(true);
  expect(isSinkPosition(note, { fileBytes: 3, pending: 'YQ==' })).toBe(false);
  expect(isSinkPosition({ path: 'a.gz', isCompressed: false }, { fileBytes: 3, pending: 'YQ==' })).toBe(true);
});
