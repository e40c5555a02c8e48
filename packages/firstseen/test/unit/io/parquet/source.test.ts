// Parquet as an input: its lines, and how reading continues from every position.

import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parquetSourceKind } from '../../../../src/io/parquet/source.js';
import type { InputReader, Source } from '../../../../src/io/source.js';
import { isPositionOf, lookAtInput, requestOf } from '../../../../src/io/sources.js';
import { linesOf, parquetPath, writeEvents } from '../../../parquet/support.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'firstseen-parquet-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function look(path: string): Promise<Source> {
  return lookAtInput(requestOf(path), 'ndjson');
}

/** Reads up to `most` bytes in pieces of odd lengths, and closes the reader. */
async function readUpTo(reader: InputReader, most = Number.POSITIVE_INFINITY): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    while (bytes < most) {
      const target = new Uint8Array(Math.min(777, most - bytes));
      const read = await reader.read(target);
      if (read === 0) break;
      bytes += read;
      parts.push(Buffer.from(target.subarray(0, read)));
    }
    return Buffer.concat(parts).toString();
  } finally {
    await reader.close();
  }
}

const names = ['types', 'nested', 'groups', 'pages', 'empty', 'int96', 'bytes-as-text', 'names-apart'];
const codecs = ['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4'];

test.each([...names, ...codecs.map((codec) => `codec-${codec}`)])(
  '%s has the lines that pyarrow reads',
  async (name) => {
    const source = await look(parquetPath(name));
    expect(await readUpTo(await source.open())).toBe(linesOf(name));
  },
);

test('a file without row groups has no lines', async () => {
  const path = join(folder, 'none.parquet');
  writeEvents(path, { rows: 0, groupRows: 10 });
  expect(await readUpTo(await (await look(path)).open())).toBe('');
});

describe('reading continues', () => {
  test.each(['groups', 'pages'])('from any position of %s, also in another process', async (name) => {
    const whole = linesOf(name);
    const bytes = Buffer.byteLength(whole);
    for (const offset of [0, 1, 63, 64, 2899, 2900, 9001, 20_000, bytes - 1, bytes]) {
      const source = await look(parquetPath(name));
      const reader = await source.open();
      expect(await readUpTo(reader, offset)).toBe(whole.slice(0, offset));
      const { position } = JSON.parse(JSON.stringify(await reader.markAt(offset)));
      expect(isPositionOf(source.note, position)).toBe(true);
      const later = await look(parquetPath(name));
      expect(await later.compare(source.note)).toBe('same');
      expect(await readUpTo(await later.open(position))).toBe(whole.slice(offset));
    }
  });

  test('without decoding the row groups before the position', async () => {
    const path = join(folder, 'groups.parquet');
    copyFileSync(parquetPath('groups'), path);
    const source = await look(path);
    const whole = linesOf('groups');
    const reader = await source.open();
    await readUpTo(reader, 20_000);
    const { position } = await reader.markAt(20_000);
    const damaged = readFileSync(path);
    damaged.fill(0xff, 10, 200);
    writeFileSync(path, damaged);
    const later = await look(path);
    expect(await readUpTo(await later.open(position))).toBe(whole.slice(20_000));
    await expect(readUpTo(await later.open())).rejects.toMatchObject({
      code: 'E_INPUT',
      message: expect.stringMatching(/groups\.parquet: row group 1, column "id" is damaged/),
    });
  });
});

test.each([
  [{ offset: 5, row: 1, rowOffset: 5 }, true],
  [{ offset: 5 }, true],
  [{ offset: 5, row: 1, rowOffset: 6 }, false],
  [{ offset: 5, row: -1, rowOffset: 5 }, false],
  [{ offset: 5, row: 1 }, false],
  [{ row: 1, rowOffset: 0 }, false],
])('whether %j is a position in Parquet: %s', (position, expected) => {
  expect(parquetSourceKind.isPosition(position)).toBe(expected);
});

describe('a file that is not Parquet', () => {
  const good = () => readFileSync(parquetPath('groups'));
  const damaged = (from: number, to: number) => {
    const bytes = good();
    return bytes.fill(0xff, bytes.length - from, bytes.length - to);
  };
  test.each<[string, () => Uint8Array, RegExp]>([
    ['empty', () => new Uint8Array(0), /is not a Parquet file/],
    ['text', () => Buffer.from('{"id":1}\n'.repeat(9)), /is not a Parquet file/],
    ['without its end', () => good().subarray(0, 9000), /its end is missing/],
    ['with a wrong length of its footer', () => damaged(8, 4), /its index is damaged: parquet metadata length/],
    ['with a damaged footer', () => damaged(500, 300), /its index is damaged/],
  ])('%s', async (_, bytes, message) => {
    const path = join(folder, 'bad.parquet');
    writeFileSync(path, bytes());
    await expect(look(path)).rejects.toMatchObject({ code: 'E_INPUT', message: expect.stringMatching(message) });
  });
});

test('a file whose index gives a column a type that its values do not have is refused', async () => {
  const writer = new ByteWriter();
  const column = { name: 'id', type: 'INT32', repetition_type: 'REQUIRED' } as const;
  const root = { name: 'root', num_children: 1 };
  const parquet = new ParquetWriter({ writer, schema: [root, column], statistics: false });
  void parquet.write({ columnData: [{ name: 'id', data: Int32Array.of(1, 2) }] });
  parquet.schema = [root, { ...column, converted_type: 'TIMESTAMP_MILLIS' }];
  void parquet.finish();
  const path = join(folder, 'other.parquet');
  writeFileSync(path, writer.getBytes());
  await expect(readUpTo(await (await look(path)).open())).rejects.toMatchObject({
    code: 'E_INPUT',
    message: expect.stringMatching(/other\.parquet: row group 1 has a value that is not of its column's type/),
  });
});

test('a file that was cut after the first look is refused', async () => {
  const path = join(folder, 'cut.parquet');
  copyFileSync(parquetPath('groups'), path);
  const source = await look(path);
  truncateSync(path, 9000);
  await expect(source.open()).rejects.toMatchObject({ code: 'E_INPUT' });
});
