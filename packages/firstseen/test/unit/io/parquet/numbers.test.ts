// Numbers of Parquet as text, beside those of JavaScript.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Source } from '../../../../src/io/source.js';
import { lookAtInput, requestOf } from '../../../../src/io/sources.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'firstseen-parquet-numbers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(columnData: ColumnSource[]): Promise<Source> {
  const path = join(folder, 'numbers.parquet');
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData })));
  return lookAtInput(requestOf(path), 'ndjson');
}

function withColumns(source: Source, names: readonly string[]): Source {
  const some = source.withColumns?.(names);
  if (!some) throw new Error('the columns of the source cannot be chosen');
  return some;
}

async function linesOf(source: Source): Promise<string[]> {
  const reader = await source.open();
  const parts: Buffer[] = [];
  for (;;) {
    const target = new Uint8Array(2 ** 16);
    const read = await reader.read(target);
    if (read === 0) break;
    parts.push(Buffer.from(target.subarray(0, read)));
  }
  await reader.close();
  return Buffer.concat(parts).toString().trimEnd().split('\n');
}

/** Numbers of 64 bits by a generator of fixed seed (xorshift64). */
function bitPatterns(count: number): BigUint64Array {
  let state = 88_172_645_463_325_252n;
  return BigUint64Array.from({ length: count }, () => {
    state ^= BigInt.asUintN(64, state << 13n);
    state ^= state >> 7n;
    state ^= BigInt.asUintN(64, state << 17n);
    return state;
  });
}

function textOf(number: number): string {
  if (!Number.isFinite(number)) return `"${number}"`;
  const text = String(number === 0 ? 0 : number);
  return /[.e]/.test(text) || Math.abs(number) <= 2 ** 53 ? text : `${text}.0`;
}

test('doubles have the digits that JavaScript writes', async () => {
  const random = [...new Float64Array(bitPatterns(6000).buffer)];
  const short = Array.from({ length: 2000 }, (_, i) => (i * 7919) / 100 - 3000);
  const edges = [
    0,
    -0,
    5e-324,
    2 ** 53,
    2 ** 53 + 2,
    1e21,
    1e22,
    1e-6,
    1e-7,
    1.7976931348623157e308,
    2 ** -1022,
    123e18,
  ];
  const powers = Array.from({ length: 2098 }, (_, i) => 2 ** (i - 1074));
  const values = [...random, ...short, ...edges, ...powers];
  const source = await write([{ name: 'a', data: values, type: 'DOUBLE' }]);
  expect(await linesOf(source)).toEqual(values.map((number) => `{"a":${textOf(number)}}`));
});

test('integers have all their digits', async () => {
  const values = [...new BigInt64Array(bitPatterns(500).buffer), 0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 10n ** 18n];
  const source = await write([{ name: 'a', data: values, type: 'INT64' }]);
  expect(await linesOf(source)).toEqual(values.map((number) => `{"a":${number}}`));
});

test('a source with some of its columns has lines of these', async () => {
  const source = await write([
    { name: 'a', data: [1, 2, 3], type: 'INT32' },
    { name: 'b', data: ['x', null, 'z'], type: 'STRING' },
    { name: 'c', data: [true, false, true], type: 'BOOLEAN' },
  ]);
  expect(await linesOf(withColumns(source, ['c', 'a', 'c']))).toEqual([
    '{"a":1,"c":true}',
    '{"a":2,"c":false}',
    '{"a":3,"c":true}',
  ]);
});

test('a run that goes on after the end of some columns reads nothing of the others', async () => {
  const source = await write([
    { name: 'a', data: [1, 2, 3], type: 'INT32' },
    { name: 'b', data: ['x', 'y', 'z'], type: 'STRING' },
  ]);
  const reader = await withColumns(source, ['a']).open();
  const target = new Uint8Array(100);
  const bytes = await reader.read(target);
  expect(await reader.read(target)).toBe(0);
  const { position } = await reader.markAt(bytes);
  await reader.close();
  const later = await source.open(position);
  expect(await later.read(target)).toBe(0);
  await later.close();
});
