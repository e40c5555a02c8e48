import { expect, test } from 'vitest';
import { inputName, outputPath, pathOfBytes, systemPath } from '../../../../src/io/system/paths.js';

test.each([
  ['ff', '\udcff'],
  ['61ff2f62', 'a\udcff/b'],
  ['c3a9', 'é'],
  // The beginning of a character, and then another one.
  ['c3c3a9', '\udcc3é'],
  ['f09f98802e67', '😀.g'],
  ['eda080', '\udced\udca0\udc80'],
  ['efbbbf61', '\ufeffa'],
])('the bytes %s are a string and become the same bytes', (hex, path) => {
  const bytes = Buffer.from(hex, 'hex');
  expect(pathOfBytes(bytes)).toBe(path);
  expect(Buffer.from(systemPath(path))).toEqual(bytes);
});

test('a name without such bytes stays a string', () => expect(systemPath('a/é😀')).toBe('a/é😀'));

test('the name of standard input and output is a dash', () => {
  expect(['-', 'a.log'].map(inputName)).toEqual(['standard input', 'a.log']);
  expect(['-', 'a.log', undefined].map(outputPath)).toEqual([undefined, 'a.log', undefined]);
});
