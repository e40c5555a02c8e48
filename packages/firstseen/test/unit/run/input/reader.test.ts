import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FirstseenError } from '../../../../src/errors.js';
import { compressionOf, folderError, inputError, openFile } from '../../../../src/run/input/reader.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { readAll } from './support.js';

describe('the compression of an input', () => {
  test.each([
    ['gzip', '1f8b0800', 'gzip'],
    ['zstd', '28b52ffd', 'zstd'],
    ['a skippable frame of zstd', '5a2a4d18', 'zstd'],
    ['half a magic number', '28b5', 'none'],
    ['text', '61620a', 'none'],
    ['nothing', '', 'none'],
  ])('is recognized by the first bytes: %s', (_, head, expected) => {
    expect(compressionOf('in.gz', Buffer.from(head, 'hex'), false)).toBe(expected);
  });

  test.each([
    ['a.u64', 'none'],
    ['a.u64.gz', 'gzip'],
    ['A.U64.GZ', 'gzip'],
    ['a.u64.zst', 'zstd'],
  ])('of binary numbers is recognized by the name: %s', (name, expected) => {
    expect(compressionOf(name, Buffer.from('1f8b0800', 'hex'), true)).toBe(expected);
  });
});

describe('a file', () => {
  function fileOf(bytes: Uint8Array): string {
    const path = join(temporaryFolder(onTestFinished), 'in');
    writeFileSync(path, bytes);
    return path;
  }

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
    await expect(readAll(reader)).rejects.toThrow(
      `cannot read ${path}: more data follows the zeros after a gzip member`,
    );
  });

  test('that does not exist is named in the error', async () => {
    const path = join(temporaryFolder(onTestFinished), 'none');
    const opening = openFile(path, { isBinary: false, offset: 0 });
    await expect(opening).rejects.toMatchObject({ code: 'E_INPUT', message: expect.stringContaining(path) });
  });
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
