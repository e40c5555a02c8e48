import { describe, expect, it } from 'vitest';
import { EVERY_ITEM } from '../../../src/records/keypath.ts';
import {
  configureScan,
  encodeScanSettings,
  type ScanSettings,
  scratchBytesFor,
} from '../../../src/records/settings.ts';
import { createKernel } from './scan-host.ts';

const common = { fingerprint: 'xxh64', maxRecordBytes: 100 } as const;
const scratch = { offset: 0x90000, bytes: 300 };

function words(settings: ScanSettings): number[] {
  const encoded = encodeScanSettings(settings, scratch);
  return [...new Uint32Array(encoded.slice().buffer)];
}

describe('encodeScanSettings', () => {
  it('writes a header', () => {
    expect(words({ format: 'u64', fingerprint: 'rabin', maxRecordBytes: 8 })).toEqual([
      ...[1, 1, 0, 8, 0x90000, 300, 0, 0, 0, 0, 0x2c, 0x22, 0x10000, 0, 0, 104, 0, 104, 0, 0, 0, 0, 0, 0, 104, 0],
    ]);
  });

  it('writes the rules for keys without content', () => {
    const rules = { findsEmptyKeys: true, nulls: 'missing' } as const;
    expect(words({ ...common, format: 'ndjson', ...rules }).slice(7, 10)).toEqual([1, 2, 0]);
  });

  it('writes the dialect of csv', () => {
    const dialect = { delimiter: 0x3b, quote: 0x27, escape: 0x5c };
    expect(words({ ...common, format: 'csv', dialect }).slice(10, 14)).toEqual([0x3b, 0x27, 0x5c, 0]);
  });

  it('writes the salt of fingerprints', () => {
    const encoded = words({ ...common, format: 'ndjson', salt: 2n ** 63n + 5n });
    expect(encoded.slice(18, 20)).toEqual([5, 2 ** 31]);
  });

  it('writes what comments begin with, padded to words, and its offset', () => {
    expect(words({ ...common, format: 'lines', comment: '# é' }).slice(23)).toEqual([4, 104, 0, 0xa9c32023]);
  });

  it('writes the rules of equal keys', () => {
    const equality = { ignoresCase: true, normalize: 'nfkc', ignoresOrder: true } as const;
    expect(words({ ...common, format: 'ndjson', paths: [['a']], equality })[13]).toBe(1 + 8 + 32);
  });

  it('writes columns in ascending order, each with its index', () => {
    expect(words({ ...common, format: 'csv', columns: [7, 2] }).slice(26)).toEqual([2, 1, 7, 0]);
  });

  it('writes the time as one more key', () => {
    expect(words({ ...common, format: 'csv', columns: [7, 2], times: [4] }).slice(6)).toEqual([
      ...[1, 0, 0, 0, 0x2c, 0x22, 0x10000, 0, 0, 4 * 32, 0, 4 * 32, 0, 0, 0, 0, 0, 0, 4 * 32, 1],
      ...[2, 1, 4, 2, 7, 0],
    ]);
    const encoded = words({ ...common, format: 'ndjson', paths: [['k']], times: [['at']] }).slice(6);
    expect(encoded).toEqual([
      ...[1, 0, 0, 0, 0x2c, 0x22, 0x10000, 0, 0, 4 * 34, 0, 4 * 34, 0, 0, 0, 0, 0, 0, 4 * 34, 1],
      ...[1, 0, 1, 0x6b, 1, 0, 2, 0x7461],
    ]);
  });

  it('writes the parts of a time as more keys, with their number', () => {
    const columns = words({ ...common, format: 'csv', columns: [3], times: [4, 1] });
    expect(columns.slice(25)).toEqual([2, 1, 2, 3, 0, 4, 1]);
    const paths = words({ ...common, format: 'ndjson', times: [['d'], ['t']] });
    expect(paths.slice(25)).toEqual([2, 1, 0, 1, 0x64, 1, 0, 1, 0x74]);
  });

  it('writes the program for times after the keys, and its offset', () => {
    const settings = {
      ...common,
      format: 'csv',
      columns: [7],
      times: [4],
      timeProgram: Uint32Array.of(1, 1000, 0),
    } as const;
    expect(words(settings).slice(6)).toEqual([
      ...[1, 0, 0, 4 * 30, 0x2c, 0x22, 0x10000, 0, 0, 4 * 30, 0, 4 * 30, 0, 0, 0, 0, 0, 0, 4 * 30, 1],
      ...[4, 1, 7, 0, 1, 1000, 0],
    ]);
  });

  it('writes paths as segments, with their bytes padded to words', () => {
    const encoded = words({ ...common, format: 'ndjson', paths: [['abcde', 3]] }).slice(22);
    expect(encoded).toEqual([0, 0, 4 * 33, 0, 2, 0, 5, 0x64636261, 0x65, 1, 3]);
    const last = words({ ...common, format: 'ndjson', paths: [['a', 4_294_967_294]] });
    expect(last.at(-1)).toBe(4_294_967_294);
  });

  it('writes the texts that become one, and a path to all items of an array', () => {
    const paths = [['a', EVERY_ITEM], ['b']];
    const encoded = words({ ...common, format: 'ndjson', paths, texts: { count: 2, areStrings: true } });
    expect(encoded.slice(20)).toEqual([2, 1, 1, 0, 4 * 36, 0, 2, 0, 1, 0x61, 2, 0, 1, 0, 1, 0x62]);
  });

  it('writes the fields that records are without after the keys, with their number and offset', () => {
    const columns = words({ ...common, format: 'csv', times: [4], except: [7, 2] });
    expect(columns.slice(14)).toEqual([2, 4 * 28, 0, 4 * 30, 0, 0, 0, 0, 0, 0, 4 * 30, 1, 4, 0, 2, 7]);
    const paths = words({ ...common, format: 'ndjson', except: [['k'], ['at']] });
    expect(paths.slice(14)).toEqual([
      2,
      4 * 26,
      0,
      4 * 34,
      0,
      0,
      0,
      0,
      0,
      0,
      4 * 34,
      0,
      1,
      0,
      1,
      0x6b,
      1,
      0,
      2,
      0x7461,
    ]);
  });

  it('writes the types of warc in small letters, with their number and offset', () => {
    const encoded = words({ ...common, format: 'warc', paths: [[1]], types: ['aBcde', 'f'] }).slice(16);
    expect(encoded).toEqual([2, 4 * 29, 0, 0, 0, 0, 0, 0, 4 * 34, 0, 1, 1, 1, 5, 0x64636261, 0x65, 1, 0x66]);
  });

  it.each<[string, ScanSettings, string, string]>([
    ['columns of lines', { ...common, format: 'lines', columns: [0] }, 'E_USAGE', 'has no key columns'],
    ['paths of u64', { ...common, format: 'u64', paths: [['a']] }, 'E_USAGE', 'has no key paths'],
    ['u64 cut short', { ...common, format: 'u64', maxRecordBytes: 7 }, 'E_USAGE', 'must be at least 8 for format u64'],
    ['paths of csv', { ...common, format: 'csv', paths: [['a']] }, 'E_USAGE', 'has no key paths'],
    ['columns of ndjson', { ...common, format: 'ndjson', columns: [0] }, 'E_USAGE', 'has no key columns'],
    [
      '17 columns',
      { ...common, format: 'tsv', columns: Array.from({ length: 17 }, (_, i) => i) },
      'E_USAGE',
      '17 keys',
    ],
    ['a column twice', { ...common, format: 'tsv', columns: [1, 1] }, 'E_USAGE', 'column 2 is a key twice'],
    ['a column below 0', { ...common, format: 'tsv', columns: [-1] }, 'E_USAGE', 'column -1'],
    ['a time of lines', { ...common, format: 'lines', times: [0] }, 'E_USAGE', 'have no time'],
    ['a time by column in ndjson', { ...common, format: 'ndjson', times: [0] }, 'E_USAGE', 'have no time'],
    ['a time of no path', { ...common, format: 'ndjson', times: [[]] }, 'E_USAGE', 'a key path is empty'],
    ['five times', { ...common, format: 'csv', times: [0, 1, 2, 3, 4] }, 'E_USAGE', 'timeKey was given 5 times'],
    ['a time below 0', { ...common, format: 'csv', times: [-1] }, 'E_USAGE', 'column -1'],
    ['an empty path', { ...common, format: 'ndjson', paths: [[]] }, 'E_USAGE', 'a key path is empty'],
    ['a path twice', { ...common, format: 'ndjson', paths: [['a'], ['a']] }, 'E_USAGE', 'a and a overlap'],
    ['a path in another', { ...common, format: 'ndjson', paths: [['a', 0, 'b'], ['a']] }, 'E_USAGE', 'overlap'],
    [
      'an index past the last one',
      { ...common, format: 'ndjson', paths: [['a', 4_294_967_295]] },
      'E_USAGE',
      'give a whole number from 0 to 4294967294',
    ],
    ['a broken index', { ...common, format: 'ndjson', paths: [['a', 0.5]] }, 'E_USAGE', 'array index 0.5'],
    [
      'identity of two keys',
      { format: 'csv', fingerprint: 'identity', maxRecordBytes: 9, columns: [0, 1] },
      'E_USAGE',
      'identity requires a single key',
    ],
    ['records of no bytes', { ...common, format: 'lines', maxRecordBytes: 0 }, 'E_PARAMETER', 'from 1 to 2147483647'],
    [
      'records of 2 GiB',
      { ...common, format: 'lines', maxRecordBytes: 2 ** 31 },
      'E_PARAMETER',
      'must be less than 2GiB',
    ],
  ])('refuses %s', (_name, settings, code, message) => {
    expect(() => encodeScanSettings(settings, scratch)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});

describe('scratchBytesFor', () => {
  it('needs nothing for whole records, one record for one key, and a second copy with lengths for several keys', () => {
    expect(scratchBytesFor({ ...common, format: 'csv' })).toBe(0);
    expect(scratchBytesFor({ ...common, format: 'csv', columns: [4] })).toBe(100);
    expect(scratchBytesFor({ ...common, format: 'csv', columns: [4, 5] })).toBe(216);
  });

  it('needs two records for what they are without some fields', () => {
    expect(scratchBytesFor({ ...common, format: 'ndjson', except: [['t']] })).toBe(200);
  });

  it('needs one record for the names on the path to a time, even without a key', () => {
    expect(scratchBytesFor({ ...common, format: 'ndjson', times: [['t']] })).toBe(100);
  });
});

describe('configureScan', () => {
  it('refuses paths that do not fit the kernel', async () => {
    const kernel = await createKernel('release', 64);
    const paths = [['x'.repeat(70_000)]];
    expect(() => configureScan(kernel, { ...common, format: 'ndjson', paths }, scratch)).toThrow(
      expect.objectContaining({ code: 'E_USAGE', message: expect.stringContaining('give fewer or shorter keys') }),
    );
  });
});
