import { describe, expect, it } from 'vitest';
import { plainDialect, seemingDelimiter } from '../../../src/records/dialect.ts';
import { withoutTerminator } from '../../../src/records/formats.ts';
import { headerNames } from '../../../src/records/header.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('withoutTerminator', () => {
  it.each([
    ['a\n', 'a'],
    ['a\r\n', 'a'],
    ['a\r', 'a\r'],
    ['a', 'a'],
    ['\n', ''],
    ['\r\n', ''],
    ['', ''],
  ])('leaves of %j %j', (record, content) => {
    expect(new TextDecoder().decode(withoutTerminator(bytes(record)))).toBe(content);
  });
});

describe('headerNames', () => {
  it.each([
    ['csv', 'id,name\n', ['id', 'name']],
    ['csv', 'id,name\r\n', ['id', 'name']],
    ['csv', 'id', ['id']],
    ['csv', ',a,', ['', 'a', '']],
    ['csv', '"a,b","say ""x""","two\nlines"\n', ['a,b', 'say "x"', 'two\nlines']],
    ['csv', 'a"b,c\n', ['a"b', 'c']],
    ['csv', '\ufeff"id",größe\n', ['id', 'größe']],
    ['tsv', 'id\t"q"\ta,b\r\n', ['id', '"q"', 'a,b']],
  ] as const)('splits %s %j', (format, record, names) => {
    expect(headerNames(format, withoutTerminator(bytes(record)))).toEqual(names);
  });

  it('splits a header of very many columns', () => {
    const names = Array.from({ length: 50_000 }, (_, i) => `column ${i}`);
    expect(headerNames('csv', bytes(names.join(',')))).toEqual(names);
  });
});

describe('seemingDelimiter', () => {
  it.each([
    ['one column', ['id'], undefined],
    ['a semicolon', ['id;name;at'], ';'],
    ['the most frequent of several', ['a;b|c|d'], '|'],
    ['two columns', ['id;x', 'name'], undefined],
  ])('finds in a header of %s %j: %j', (_, names, delimiter) => {
    expect(seemingDelimiter(names)).toBe(delimiter);
  });

  it('finds none beside the one that was asked for', () => {
    const semicolon = { ...plainDialect, delimiter: 0x3b };
    expect(seemingDelimiter(['id;name;at'], semicolon)).toBeUndefined();
    expect(seemingDelimiter(['id|name'], semicolon)).toBe('|');
  });
});
