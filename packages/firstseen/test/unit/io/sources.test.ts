import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listRequest } from '../../../src/io/file/folder.js';
import { isPositionOf, lookAtInput, requestOf, sourceKinds } from '../../../src/io/sources.js';
import { temporaryFolder } from '../../cli/support/command.js';

test('the names of the kinds of input are distinct', () => {
  const names = sourceKinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('a source is of the kind of its request', async () => {
  const path = join(temporaryFolder(onTestFinished), 'in.txt');
  writeFileSync(path, 'a\n');
  const file = await lookAtInput(requestOf(path), 'lines');
  expect(file.note).toMatchObject({ path, isFile: true });
  expect((await lookAtInput(listRequest({ name: 'docs', paths: ['docs/a'] }), 'lines')).note).toMatchObject({
    path: 'docs',
  });
  expect((await lookAtInput(requestOf('-'), 'lines')).note.isFile).toBe(false);
  expect(await lookAtInput(requestOf(file), 'lines')).toBe(file);
});

test('an input that does not exist is refused', async () => {
  const path = join(temporaryFolder(onTestFinished), 'none');
  await expect(lookAtInput(requestOf(path), 'lines')).rejects.toMatchObject({ code: 'E_INPUT' });
});

test('only an input that can be read again has positions', () => {
  const note = { path: 'in', isFile: true, isCompressed: false, storedBytes: 4, digest: '' };
  expect(isPositionOf(note, { offset: 2 })).toBe(true);
  expect(isPositionOf(note, { offset: -2 })).toBe(false);
  expect(isPositionOf({ ...note, isFile: false }, { offset: 2 })).toBe(false);
  expect(isPositionOf({ ...note, isFile: false }, undefined)).toBe(true);
  const topic = { name: 'topic', isFile: false as const, isRepeatable: true };
  expect(isPositionOf(topic, { 0: 5, 1: 7 })).toBe(true);
  expect(isPositionOf({ ...topic, isRepeatable: false }, { 0: 5 })).toBe(false);
});
