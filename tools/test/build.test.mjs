// A build makes the parts that are out of date, and only those.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeParts } from '../build/parts.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'firstseen-parts-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const file = (name) => join(root, name);
const read = (name) => readFileSync(file(name), 'utf8');

/** Two parts: `upper` is made from the file `text`, and `twice` from what `upper` writes. */
function parts() {
  return {
    upper: {
      inputs: ['text'],
      outputs: ['upper'],
      make: () => writeFileSync(file('upper'), read('text').toUpperCase()),
    },
    twice: {
      needs: ['upper'],
      inputs: ['upper'],
      outputs: ['twice'],
      make: async () => writeFileSync(file('twice'), read('upper').repeat(2)),
    },
  };
}

const make = (names, made = parts()) => makeParts(made, names, { root, folder: join(root, 'parts') });

test('parts are made after those that they need, once', async () => {
  writeFileSync(file('text'), 'a');
  expect(await make(['twice', 'upper'])).toEqual(['upper', 'twice']);
  expect(read('twice')).toBe('AA');
  expect(await make(['twice'])).toEqual([]);
});

test('a changed input makes its parts again, and a missing output its part alone', async () => {
  writeFileSync(file('text'), 'a');
  await make(['twice']);
  writeFileSync(file('text'), 'b');
  expect(await make(['twice'])).toEqual(['upper', 'twice']);
  expect(read('twice')).toBe('BB');
  rmSync(file('twice'));
  expect(await make(['twice'])).toEqual(['twice']);
  // What a part needs is the same as before.
  writeFileSync(file('text'), 'B');
  expect(await make(['twice'])).toEqual(['upper']);
});

test('a part that fails is made again, and those that need it are not made', async () => {
  writeFileSync(file('text'), 'a');
  const failing = parts();
  failing.upper.make = () => {
    throw new Error('no');
  };
  await expect(make(['twice'], failing)).rejects.toThrow('no');
  expect(existsSync(file('twice'))).toBe(false);
  expect(await make(['twice'])).toEqual(['upper', 'twice']);
});

test('two builds at the same time make each part once', async () => {
  writeFileSync(file('text'), 'a');
  const made = await Promise.all([make(['twice']), make(['twice'])]);
  expect(made.flat()).toEqual(['upper', 'twice']);
});

test('a build goes on after one that was killed', async () => {
  writeFileSync(file('text'), 'a');
  await make(['upper']);
  // No process has this number.
  writeFileSync(join(root, 'parts/lock'), '4194305');
  writeFileSync(file('text'), 'b');
  expect(await make(['upper'])).toEqual(['upper']);
});
