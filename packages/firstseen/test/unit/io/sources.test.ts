import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isPositionOf, lookAtInput, sourceKinds } from '../../../src/io/sources.js';
import { temporaryFolder } from '../../cli/support/command.js';

const options = { isBinary: false };

test('the names of the kinds of input are distinct', () => {
  const names = sourceKinds.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('exactly one kind of input accepts each request', async () => {
  const path = join(temporaryFolder(onTestFinished), 'in.txt');
  writeFileSync(path, 'a\n');
  const requests = { file: path, folder: { name: 'docs', paths: ['docs/a'] } };
  for (const [expected, request] of Object.entries(requests)) {
    const looked = await Promise.all(sourceKinds.map(async (kind) => (await kind.look(request, options)) && kind.name));
    expect(looked.filter((name) => name !== undefined)).toEqual([expected]);
  }
  expect((await lookAtInput('-', options)).note.isFile).toBe(false);
});

test('an input that does not exist is refused', async () => {
  const path = join(temporaryFolder(onTestFinished), 'none');
  await expect(lookAtInput(path, options)).rejects.toMatchObject({ code: 'E_INPUT' });
});

test('only an input that can be read again has positions', () => {
  const note = { path: 'in', isFile: true, isCompressed: false, storedBytes: 4, digest: '' };
  expect(isPositionOf(note, { offset: 2 })).toBe(true);
  expect(isPositionOf(note, { offset: -2 })).toBe(false);
  expect(isPositionOf({ ...note, isFile: false }, { offset: 2 })).toBe(false);
  expect(isPositionOf({ ...note, isFile: false }, undefined)).toBe(true);
});
