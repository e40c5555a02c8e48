import { describe, expect, it } from 'vitest';
import { resolveColumn } from '../../../src/records/columns.ts';

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

  it('counts from 1 without a header', () => {
    expect(resolveColumn('1', undefined)).toBe(0);
    expect(resolveColumn('300', undefined)).toBe(299);
  });

  it.each([
    ['absent', names, '1 "id", 2 "name"'],
    ['6', names, 'keys "6" is not a column; the header has'],
    ['0', names, 'keys "0" is not a column; the header has'],
    ['twice', names, 'such as 4'],
    ['id', undefined, 'is not a column number, and there is no header'],
    ['0', undefined, 'and there is no header'],
  ])('refuses %s', (key, known, message) => {
    expect(() => resolveColumn(key, known)).toThrow(
      expect.objectContaining({ code: 'E_USAGE', message: expect.stringContaining(message) }),
    );
  });
});
