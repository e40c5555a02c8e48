import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FirstseenError } from '../../../../src/base/errors.js';
import { compressionOf } from '../../../../src/io/compression/compressions.js';
import { openFile, openPipe } from '../../../../src/io/file/reader.js';
import type { ByteReader } from '../../../../src/io/source.js';
import { folderError, inputError } from '../../../../src/io/system/inputerror.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { readAll } from '../support.js';

describe('the compression of an input', () => {
  test.each([
    ['gzip', '1f8b0800', 'gzip'],
    ['zstd', '28b52ffd', 'zstd'],
    ['a skippable frame of zstd', '5a2a4d18', 'zstd'],
    ['half a magic number', '28b5', 'none'],
    ['text', '61620a', 'none'],
    ['nothing', '', 'none'],
  ])('is recognized by the first bytes: %s', (_, head, expected) => {
    expect(compressionOf('in.gz', Buffer.from(head, 'hex'), false).name).toBe(expected);
  });

  test.each([
    ['a.u64', 'none'],
    ['a.u64.gz', 'gzip'],
    ['A.U64.GZ', 'gzip'],
    ['a.u64.zst', 'zstd'],
  ])('of binary numbers is recognized by the name: %s', (name, expected) => {
    expect(compressionOf(name, Buffer.from('1f8b0800', 'hex'), true).name).toBe(expected);
  });
});

function fileOf(bytes: Uint8Array): string {
  const path = join(temporaryFolder(onTestFinished), 'in');
  writeFileSync(path, bytes);
  return path;
}

describe('a file', () => {
  test('is read from an offset, decompressed if it is compressed', async () => {
    for (const bytes of [Buffer.from('a\nbc\n'), gzipSync('a\nbc\n')]) {
      const path = fileOf(bytes);
      expect(await readAll(await openFile(path, { isBinary: false, offset: 2 }))).toBe('bc\n');
    }
  });

  test('of several gzip members is read to its end', async () => {
    const path = fileOf(Buffer.concat([gzipSync('a\n'), gzipSync('b\n')]));
    expect(await readAll(await openFile(path, { isBinary: false, offset: 0 }))).toBe('a\nb\n');
  });

  test('with more data after zeros is refused', async () => {
    const path = fileOf(Buffer.concat([gzipSync('a\n'), Buffer.alloc(3), gzipSync('b\n')]));
    const reader = await openFile(path, { isBinary: false, offset: 0 });
    const endByte = gzipSync('a\n').length;
    await expect(readAll(reader)).rejects.toThrow(
      `cannot read ${path}: data follows the end of the gzip stream at byte ${endByte}; to do without it, read only what is before (head -c ${endByte})`,
    );
  });

  test('that does not exist is named in the error', async () => {
    const path = join(temporaryFolder(onTestFinished), 'none');
    const opening = openFile(path, { isBinary: false, offset: 0 });
    await expect(opening).rejects.toMatchObject({ code: 'E_INPUT', message: expect.stringContaining(path) });
  });
});

/** What a reader delivers before its error, and the error. */
async function readToError(reader: ByteReader): Promise<{ text: string; message: string }> {
  const target = new Uint8Array(1000);
  let text = '';
  try {
    for (let read = 1; read > 0; text += Buffer.from(target.subarray(0, read)).toString('latin1')) {
      read = await reader.read(target);
    }
    return { text, message: '' };
  } catch (error) {
    return { text, message: (error as Error).message };
  } finally {
    await reader.close();
  }
}

describe('damaged data', () => {
  /** Text that compresses to several pieces. */
  const lines = Array.from({ length: 20_000 }, (_, i) => `${i} ${(i * 2_654_435_761) % 2 ** 32}\n`).join('');
  const gzip = gzipSync(lines);

  /** A member whose blocks are whole, but whose last block is missing. */
  const unfinished = Buffer.concat([
    gzip.subarray(0, 10),
    zlib.deflateRawSync(lines, { finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  ]);

  function changed(bytes: Uint8Array, at: number): Buffer {
    const copy = Buffer.from(bytes);
    copy[copy.length + at] = (copy[copy.length + at] as number) ^ 1;
    return copy;
  }

  const follows = `data follows the end of the gzip stream at byte ${gzip.length};`;
  const damages: [string, Buffer, string][] = [
    ['a wrong checksum', changed(gzip, -8), 'incorrect data check'],
    ['a wrong length', changed(gzip, -1), 'incorrect length check'],
    ['text after the last member', Buffer.concat([gzip, Buffer.from('text')]), follows],
    ['a second member cut short', Buffer.concat([gzip, gzip.subarray(0, 12)]), 'unexpected end of file'],
    ['a block of no known type', Buffer.concat([unfinished, Buffer.from([7])]), 'invalid block type'],
    ['data after zeros', Buffer.concat([gzip, Buffer.alloc(9), gzip]), follows],
  ];

  test.each(damages)('%s: everything before it is read from a file', async (_, bytes, problem) => {
    const { text, message } = await readToError(await openFile(fileOf(bytes), { isBinary: false, offset: 0 }));
    expect(text).toBe(lines);
    expect(message).toContain(problem);
  });

  test.each(damages)('%s: everything before it is read from a pipe', async (_, bytes, problem) => {
    const path = fileOf(bytes);
    const { text, message } = await readToError(await openPipe(path, false));
    expect(text).toBe(lines);
    expect(message).toContain(problem);
  });

  test('is reported after everything before it, from an offset', async () => {
    const path = fileOf(changed(gzip, -8));
    const { text } = await readToError(await openFile(path, { isBinary: false, offset: 100_000 }));
    expect(text).toBe(lines.slice(100_000));
  });
});

const createZstd = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync;

describe.skipIf(createZstd === undefined)('damaged zstd data', () => {
  const lines = Array.from({ length: 50_000 }, (_, i) => `${i} ${(i * 2_654_435_761) % 2 ** 32}\n`).join('');

  test('text after the last frame: everything before it is read', async () => {
    const frame = (createZstd as (bytes: Uint8Array) => Buffer)(Buffer.from(lines));
    const bytes = Buffer.concat([frame, Buffer.from('text')]);
    const { text, message } = await readToError(await openFile(fileOf(bytes), { isBinary: false, offset: 0 }));
    expect(text).toBe(lines);
    expect(message).toContain(`data follows the end of the zstd stream at byte ${frame.length};`);
  });

  test('a frame cut short: its whole blocks are read', async () => {
    const frame = (createZstd as (bytes: Uint8Array) => Buffer)(Buffer.from(lines));
    const bytes = frame.subarray(0, -10);
    const { text, message } = await readToError(await openFile(fileOf(bytes), { isBinary: false, offset: 0 }));
    // A block of zstd decompresses to at most 128 KiB.
    expect(lines.startsWith(text)).toBe(true);
    expect(text.length).toBeGreaterThanOrEqual(lines.length - 2 ** 17);
    expect(message).toContain('cut short');
  });
});

test('data without the header of gzip are named so, if only the name of the file asks for gzip', async () => {
  const path = `${fileOf(Buffer.from('text'))}.gz`;
  writeFileSync(path, 'text');
  await expect(openFile(path, { isBinary: true, offset: 0 }).then(readAll)).rejects.toThrow('it is not gzip data');
});

test('text after a gzip stream of a pipe that is too long to keep, 4 MiB, is an error', async () => {
  const member = gzipSync(Buffer.alloc(1 << 16), { level: 0 });
  const path = fileOf(Buffer.concat([...Array.from({ length: 80 }, () => member), Buffer.from('text')]));
  const { message } = await readToError(await openPipe(path, false));
  expect(message).toBe(`cannot read ${path}: data follows the end of the gzip stream`);
});

describe('the error of an input', () => {
  test('names standard input, and shows an empty name', () => {
    expect(inputError('-', new Error('broken')).message).toBe('cannot read standard input: broken');
    expect(inputError('', new Error('broken')).message).toBe('cannot read "": broken');
  });

  test('keeps an error that has a code already', () => {
    const error = new FirstseenError('E_COMPRESSION', 'compressed');
    expect(inputError('in', error)).toBe(error);
  });

  test('has a remedy for a directory, whether it is found before the read or by the read', () => {
    const cause = Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
    for (const error of [folderError('in'), inputError('in', cause)]) {
      expect(error).toMatchObject({ code: 'E_INPUT', remedy: 'name the files in it' });
      expect(error.message).toBe('cannot read in: it is a directory; name the files in it');
    }
  });
});
