import { describe, expect, it } from 'vitest';
import { decisions, recordClass, recordClasses } from '../../../src/records/classes.ts';
import { guessFormat, recordFormats } from '../../../src/records/formats.ts';
import { maximumKeys } from '../../../src/records/settings.ts';
import { createKernel, kernelVariants } from './scan-host.ts';

describe.each(kernelVariants)('the catalogues and the %s kernel', (variant) => {
  it('agree on the numbers of classes, decisions and formats', async () => {
    const kernel = await createKernel(variant, 64);
    for (const [name, { code }] of Object.entries(recordClasses)) expect(kernel.constant(name), name).toBe(code);
    for (const [name, code] of Object.entries(decisions)) expect(kernel.constant(name), name).toBe(code);
    for (const [name, { id }] of Object.entries(recordFormats)) {
      expect(kernel.constant(`FORMAT_${name.toUpperCase()}`), name).toBe(id);
    }
    expect(kernel.constant('SCAN_KEYS_MAXIMUM')).toBe(maximumKeys);
  });
});

describe('recordClass', () => {
  it('finds each class by its code', () => {
    for (const known of Object.values(recordClasses)) expect(recordClass(known.code)).toBe(known);
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
