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
