// Every row of the compressions follows its contract.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Compression } from '../../src/io/compression/compression.js';
import {
  BEGINNING_BYTES,
  compressionByContent,
  compressionOf,
  compressions,
  mayBeCompressed,
  outputCompression,
  withoutCompression,
} from '../../src/io/compression/compressions.js';
import { createPoolDecompressor } from '../../src/io/compression/decompressor.js';
import { openFile } from '../../src/io/file/reader.js';
import { temporaryFolder } from '../cli/support/command.js';
import { readAll } from '../unit/io/support.js';

const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer };
const zstd = await Zstd.load();

interface Case {
  /** Compresses a text, as the usual program does. */
  compress: (text: Buffer) => Uint8Array;
  /** Whether this version of Node decompresses it without packages. */
  isOfNode: boolean;
  /** The first bytes of what it makes, if it always begins with the same. */
  head: string;
}

/** What each compression is compared with. A new row of the compressions needs one here. */
const cases: Record<string, Case> = {
  gzip: { compress: zlib.gzipSync, isOfNode: true, head: '1f8b' },
  zstd: { compress: (bytes) => zstd.compress(bytes), isOfNode: zstdCompressSync !== undefined, head: '28b52ffd' },
};

const rows = Object.entries(compressions).filter(([, row]) => row !== compressions.none);
const text = Buffer.from(Array.from({ length: 3000 }, (_, i) => `line ${(i * i) % 1999}\n`).join(''));

test('each compression is among the cases, by the name that its row has', () => {
  const what = 'each row of the compressions needs a case in `cases` of this test';
  expect(Object.keys(cases).sort(), what).toEqual(rows.map(([name]) => name).sort());
  for (const [name, row] of Object.entries(compressions)) expect(row.name).toBe(name);
});

async function decompressed({ decompress }: Compression, chunks: readonly Buffer[]): Promise<string> {
  async function* source() {
    yield* chunks;
  }
  const found: Buffer[] = [];
  for await (const chunk of decompress(source(), { path: 'in', create: createPoolDecompressor })) {
    found.push(Buffer.from(chunk));
  }
  return Buffer.concat(found).toString();
}

/** Pieces of several lengths. */
function piecesOf(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, length = 1; at < bytes.length; at += length, length *= 3) {
    pieces.push(bytes.subarray(at, at + length));
  }
  return pieces;
}

describe.each(rows)('%s', (name, row) => {
  const { compress, isOfNode, head } = cases[name] as Case;

  test('is recognized: by its first bytes, or by its ending if it has no certain ones', () => {
    const bytes = Buffer.from(head, 'hex');
    const path = `in.txt${row.ending}`;
    expect(row.ending).toMatch(/^\.[a-z0-9]+$/);
    expect(withoutCompression(path)).toBe('in.txt');
    expect(compressionOf(path, bytes, true)).toBe(row);
    expect(compressionOf(path, bytes, false)).toBe(row);
    expect(row.beginnings.length > 0).toBe(bytes.length > 0);
    if (bytes.length === 0) return;
    expect(compressionByContent(bytes)).toBe(row);
    expect(bytes.length).toBeLessThanOrEqual(BEGINNING_BYTES);
    for (let length = 0; length < bytes.length; length++) expect(mayBeCompressed(bytes.subarray(0, length))).toBe(true);
  });

  test('gives the text back, in pieces and from a file', async () => {
    const stored = Buffer.from(compress(text));
    expect(stored.toString('hex')).toMatch(new RegExp(`^${head}`));
    expect(await decompressed(row, piecesOf(stored))).toBe(text.toString());
    const path = join(temporaryFolder(onTestFinished), `in${row.ending}`);
    writeFileSync(path, stored);
    expect(await readAll(await openFile(path, { isBinary: false, offset: 5 }))).toBe(text.subarray(5).toString());
  });

  test('gives it back at once, or tells that Node cannot', () => {
    const stored = Buffer.from(compress(text));
    const decompress = (maxBytes: number) => row.decompressAtOnce(stored, { path: 'in', maxBytes });
    const code = isOfNode ? 'ERR_BUFFER_TOO_LARGE' : 'E_COMPRESSION';
    expect(() => decompress(text.length - 1)).toThrow(expect.objectContaining({ code }));
    if (isOfNode) expect(Buffer.from(decompress(text.length)).equals(text)).toBe(true);
  });

  test('makes pieces of outputs that can follow one another, if outputs are written in it', async () => {
    if (!row.compressor) return;
    const compressed = await row.compressor({ path: 'out' });
    expect(outputCompression({ path: `out${row.ending}`, isCompressed: false })).toBe(row);
    expect(outputCompression({ path: `OUT${row.ending?.toUpperCase()}`, isCompressed: false })).toBe(row);
    const middle = text.length / 2;
    const stored = Buffer.concat([await compressed(text.subarray(0, middle)), await compressed(text.subarray(middle))]);
    expect(await decompressed(row, piecesOf(stored))).toBe(text.toString());
    expect(await decompressed(row, [Buffer.from(await compressed(Buffer.alloc(0)))])).toBe('');
  });
});

test('a compression without certain first bytes is recognized by its ending', () => {
  const row: Compression = { ...compressions.gzip, name: 'unmarked', ending: '.xy', beginnings: [] };
  const rowsWithIt = [...Object.values(compressions), row];
  const head = Buffer.from('line');
  expect(compressionOf('IN.XY', head, false, rowsWithIt)).toBe(row);
  expect(compressionOf('in.txt', head, false, rowsWithIt)).toBe(compressions.none);
  expect(compressionOf('in.xy', Buffer.from('1f8b', 'hex'), false, rowsWithIt)).toBe(compressions.gzip);
  expect(compressionOf('in.gz', head, false, rowsWithIt)).toBe(compressions.none);
});
