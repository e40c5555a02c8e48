import { describe, expect, it } from 'vitest';
import { recordClass, recordClasses } from '../../../src/records/classes.ts';

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
