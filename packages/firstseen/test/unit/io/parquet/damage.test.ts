// Parquet files with changed bytes: reading ends, with lines or with an error that names the file.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Zstd } from '@hpcc-js/wasm-zstd';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FirstseenError } from '../../../../src/base/errors.js';
import { lookAtInput, requestOf } from '../../../../src/io/sources.js';
import { parquetPath } from '../../../parquet/support.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'firstseen-parquet-damage-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function linesOf(path: string): Promise<string> {
  const reader = await (await lookAtInput(requestOf(path), 'ndjson')).open();
  try {
    const parts: Buffer[] = [];
    for (;;) {
      const target = new Uint8Array(2 ** 16);
      const read = await reader.read(target);
      if (read === 0) return Buffer.concat(parts).toString();
      parts.push(Buffer.from(target.subarray(0, read)));
    }
  } finally {
    await reader.close();
  }
}

/** Numbers below `most`, by a generator of fixed seed. */
function numbers(): (most: number) => number {
  let state = 12_345;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

test.each(['codec-zstd', 'pages', 'nested', 'types'])('%s with changed bytes is read, or refused', async (name) => {
  const good = readFileSync(parquetPath(name));
  const below = numbers();
  const path = join(folder, 'bad.parquet');
  let refused = 0;
  for (let i = 0; i < 60; i++) {
    const bad = Buffer.from(good);
    // Of the pages: the index has a reader of its own.
    for (let change = 0; change < 3; change++) bad[4 + below(good.length / 3)] = below(256);
    writeFileSync(path, bad);
    const error = await linesOf(path).then(
      () => undefined,
      (cause) => cause,
    );
    if (error === undefined) continue;
    expect(error).toBeInstanceOf(FirstseenError);
    expect(error).toMatchObject({ code: 'E_INPUT', message: expect.stringContaining('cannot read ') });
    refused++;
  }
  expect(refused).toBeGreaterThan(5);
});

test.each([1, 9, 19])('zstd of level %i is decompressed', async (level) => {
  const zstd = await Zstd.load();
  const below = numbers();
  const texts = [
    ...Array.from({ length: 3000 }, (_, i) => `user ${below(500)} of the list ${i % 7}`),
    ...Array.from({ length: 300 }, () => 'a'.repeat(below(900))),
    ...Array.from({ length: 3000 }, () => String.fromCharCode(32 + below(90)).repeat(1 + below(3))),
  ];
  const codes = Uint8Array.from({ length: texts.length }, () => below(256));
  const columnData: ColumnSource[] = [
    { name: 'text', data: texts, type: 'STRING', encoding: 'PLAIN', nullable: false },
    { name: 'code', data: Int32Array.from(codes), type: 'INT32', encoding: 'PLAIN', nullable: false },
  ];
  const compressors = { ZSTD: (bytes: Uint8Array) => zstd.compress(bytes, level) };
  const path = join(folder, 'level.parquet');
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, codec: 'ZSTD', compressors })));
  const lines = texts.map((text, i) => `${JSON.stringify({ text, code: codes[i] })}\n`);
  expect(await linesOf(path)).toBe(lines.join(''));
});
