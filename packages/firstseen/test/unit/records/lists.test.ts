// The values of all items of an array as a key: the command, and keyOf of a program.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { keyOf } from '../../../src/index.js';
import { runFiles } from '../../../src/node.js';
import { temporaryFolder } from '../../cli/support/command.js';

let folder = '';

beforeEach(() => {
  folder = temporaryFolder();
});

const orders = [
  '{"id":1,"items":[{"sku":"a"},{"sku":"b"}]}',
  '{"id":2,"items": [ {"n":2, "sku":"a"} , {"sku":"b","sku":"c"} ] }',
  '{"id":3,"items":[{"sku":"b"},{"sku":"a"}]}',
  '{"id":4,"items":[{"sku":"a\\",\\"b"}]}',
  '{"id":5,"items":[{"sku":"a"}]}',
];

async function passed(lines: readonly string[], keys: readonly string[], own: object = {}): Promise<unknown[]> {
  const [input, output] = [join(folder, 'in.ndjson'), join(folder, 'out.ndjson')];
  writeFileSync(input, lines.map((line) => `${line}\n`).join(''));
  await runFiles({ inputs: [input], output, keys, detector: { algorithm: 'exact', memory: '1MiB' }, ...own });
  const text = readFileSync(output, 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { id: unknown }).id);
}

test('records with the same values in the same order are equal', async () => {
  expect(await passed(orders, ['items[*].sku'])).toEqual([1, 3, 4, 5]);
  expect(await passed(orders, ['id', 'items[*].sku'])).toEqual([1, 2, 3, 4, 5]);
});

test('rules of equal keys apply to the values as to an array', async () => {
  const lines = [
    '{"id":1,"items":[{"x":{"a":1,"b":2}}]}',
    '{"id":2,"items":[{"x":{"b":2,"a":1}}]}',
    '{"id":3,"items":[{"x":"t"}]}',
    '{"id":4,"items":[{"x":"T"}]}',
  ];
  expect(await passed(lines, ['items[*].x'])).toEqual([1, 2, 3, 4]);
  expect(await passed(lines, ['items[*].x'], { ignoresOrder: true, ignoresCase: true })).toEqual([1, 3, 4]);
});

test.each([
  ['no array', '{"id":1}'],
  ['another value', '{"id":1,"items":{"sku":"a"}}'],
  ['an empty array', '{"id":1,"items":[]}'],
  ['an item without the value', '{"id":1,"items":[{"sku":"a"},{"n":1}]}'],
])('a record with %s has no key', async (_, line) => {
  await expect(passed([line], ['items[*].sku'])).rejects.toThrow(expect.objectContaining({ code: 'E_KEY_MISSING' }));
  expect(() => keyOf(['items[*].sku'], line)).toThrow(expect.objectContaining({ code: 'E_KEY_MISSING' }));
  expect(() => keyOf(['items[*].sku'], JSON.parse(line) as object)).toThrow(
    expect.objectContaining({ code: 'E_KEY_MISSING' }),
  );
});

test('keyOf makes the keys of the command, of texts and of objects', () => {
  const array = (values: readonly unknown[]) => new TextEncoder().encode(JSON.stringify(values));
  const nested = '{"a":[{"b":[1,"x"]},{"b":[]},{"b":[{"c":null}]}]}';
  for (const record of [nested, JSON.parse(nested) as object]) {
    expect(keyOf(['a[*].b[*]'], record)).toEqual(array([1, 'x', { c: null }]));
    expect(keyOf(['a[0].b[*]'], record)).toEqual(array([1, 'x']));
  }
  expect(keyOf(['a[*].b'], { a: [{ b: undefined }, { b: 1 }] }, { missingKey: 'drop' })).toBeUndefined();
});

test.each([
  ['timeKey', { keys: ['id'], timeKey: 'items[*].at', detector: { window: '1h', memory: '1MiB' } }],
  ['keep', { keys: ['id'], keep: 'max:items[*].at' }],
])('%s takes no path to several values', async (option, own) => {
  await expect(passed(orders, ['id'], own)).rejects.toThrow(expect.objectContaining({ code: 'E_USAGE', option }));
});
