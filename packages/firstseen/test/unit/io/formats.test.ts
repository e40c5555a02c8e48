import { describe, expect, it, test } from 'vitest';
import {
  fileFormats,
  formatOfInput,
  formatOfOutput,
  isAllOrNothing,
  suggestedFormat,
  temporaryPaths,
} from '../../../src/io/formats.js';
import { requestOf } from '../../../src/io/sources.js';
import { inputFormatNames, recordFormatOf } from '../../../src/records/formats.js';

test('each format that an input can have is a row with sources', () => {
  expect(fileFormats.map(({ name }) => name)).toEqual(inputFormatNames);
  for (const { name, records, sources } of fileFormats) {
    expect(records).toBe(recordFormatOf(name));
    expect(sources.length).toBeGreaterThan(0);
  }
});

test('the endings of formats are distinct', () => {
  const endings = fileFormats.flatMap((format) => format.endings);
  expect(new Set(endings).size).toBe(endings.length);
});

test('a file whose name tells a container is one if its records are those that were asked for', () => {
  expect(formatOfInput(requestOf('a.parquet'), 'ndjson').name).toBe('parquet');
  expect(formatOfInput(requestOf('a.parquet'), 'csv').name).toBe('csv');
  expect(formatOfInput(requestOf('a.ndjson'), 'parquet').name).toBe('parquet');
  expect(formatOfInput(requestOf('a.ndjson'), 'ndjson').name).toBe('ndjson');
});

test('only an output of a container, and an object, is valid only when it is complete', () => {
  const paths = ['a.csv', 'b.parquet', 'C.PARQUET', 'd.parquet.gz'];
  expect(paths.map((path) => isAllOrNothing({ path }))).toEqual([false, true, true, false]);
  expect(isAllOrNothing({ path: null })).toBe(false);
  expect(isAllOrNothing({ path: 's3://bucket/a.csv' })).toBe(true);
  const names = formatOfOutput({ path: null }).sinks.map(({ name }) => name);
  expect(names).toEqual(['object', 'folder', 'file', 'standard output']);
  expect(temporaryPaths(paths)).toEqual(['b.parquet.part', 'C.PARQUET.part']);
});

describe('suggestedFormat', () => {
  it.each([
    ['a.ndjson', 'ndjson'],
    ['a.jsonl', 'ndjson'],
    ['dir/a.json', 'ndjson'],
    ['a.csv', 'csv'],
    ['A.CSV.GZ', 'csv'],
    ['a.tsv', 'tsv'],
    ['a.tab.zst', 'tsv'],
    ['a.u64', 'u64'],
    ['a.bin.gz', 'u64'],
    ['access.log', undefined],
    ['csv', undefined],
    ['a.csv.bak', undefined],
    ['a.gz', undefined],
    ['A.Parquet', 'ndjson'],
    ['a.parquet.gz', undefined],
  ])('takes %s for %s', (path, format) => {
    expect(suggestedFormat(requestOf(path))).toBe(format);
  });
});
