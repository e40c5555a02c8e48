import { describe, expect, it } from 'vitest';
import { headerNames, resolveColumn, withoutTerminator } from '../../../src/records/header.ts';

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
    expect(headerNames(format, bytes(record))).toEqual(names);
  });

  it('splits a header of very many columns', () => {
    const names = Array.from({ length: 50_000 }, (_, i) => `column ${i}`);
    expect(headerNames('csv', bytes(names.join(',')))).toEqual(names);
  });
});

describe('resolveColumn', () => {
  const names = ['id', 'name', '1', 'twice', 'twice'];

  it.each([
    ['id', 0],
    ['name', 1],
    ['1', 2],
    ['2', 1],
    ['5', 4],
  ])('finds %s at %i', (key, column) => {
    expect(resolveColumn(key, names)).toBe(column);
  });

  it('counts from one without a header', () => {
    expect(resolveColumn('1', undefined)).toBe(0);
    expect(resolveColumn('300', undefined)).toBe(299);
  });

  it.each([
    ['absent', names, '1 "id", 2 "name"'],
    ['6', names, 'there is no column "6"'],
    ['0', names, 'there is no column "0"'],
    ['twice', names, 'such as 4'],
    ['id', undefined, 'without a header'],
    ['0', undefined, 'without a header'],
  ])('refuses %s', (key, known, message) => {
    expect(() => resolveColumn(key, known)).toThrow(
      expect.objectContaining({ code: 'E_USAGE', message: expect.stringContaining(message) }),
    );
  });
});
