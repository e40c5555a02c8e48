import { describe, expect, it } from 'vitest';
import { recordClass, recordClasses } from '../../../src/records/classes.ts';
import { guessFormat } from '../../../src/records/formats.ts';

describe('recordClass', () => {
  it('finds each class by its code', () => {
    for (const known of Object.values(recordClasses)) expect(recordClass(known.code)).toBe(known);
  });

  it('has a class for each code', () => {
    const codes = Object.values(recordClasses).map(({ code }) => code);
    expect(codes).toEqual(codes.map((_, i) => i));
  });

  it('refuses an unknown code', () => {
    expect(() => recordClass(Object.keys(recordClasses).length)).toThrow(RangeError);
  });
});

describe('guessFormat', () => {
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
    ['access.log', 'lines'],
    ['csv', 'lines'],
    ['a.csv.bak', 'lines'],
    ['a.gz', 'lines'],
  ])('takes %s for %s', (path, format) => {
    expect(guessFormat(path)).toBe(format);
  });
});
