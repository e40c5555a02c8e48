// A build makes the parts that are out of date, and only those.

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

test('a build goes on after one that was killed before its number was in the lock', async () => {
  writeFileSync(file('text'), 'a');
  await make(['upper']);
  writeFileSync(join(root, 'parts/lock'), '');
  writeFileSync(file('text'), 'b');
  expect(await make(['upper'])).toEqual(['upper']);
});

const MANY_BUILDS = `
import { appendFileSync, closeSync, openSync, rmSync } from 'node:fs';
const { makeParts } = await import(process.argv[1]);
const [root, rounds] = [process.argv[2], Number(process.argv[3])];
const only = { inputs: [], outputs: ['never'], make() {
  closeSync(openSync(root + '/inside', 'wx'));
  appendFileSync(root + '/count', '.');
  rmSync(root + '/inside');
} };
for (let round = 0; round < rounds; round++) await makeParts({ only }, ['only'], { root, folder: root + '/parts' });
`;

test('processes that build at the same time do so one after the other, and all end', async () => {
  const module = new URL('../build/parts.mjs', import.meta.url).href;
  const args = ['--input-type=module', '--eval', MANY_BUILDS, module, root, '200'];
  const builds = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args));
  await Promise.all(builds);
  expect(read('count')).toHaveLength(4 * 200);
});
