import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvFields } from '../../../src/records/csvfields.js';
import { ordinaryFields } from '../../../src/records/ordinary.js';

test.each([
  ['a,b', ['a', 'b']],
  ['a,', ['a', '']],
  [',', ['', '']],
  ['"a,b","c""d",""', ['a,b', 'c"d', '']],
  ['"a\r\nb"', ['a\r\nb']],
])('%j is an ordinary row', (row, fields) => {
  expect(ordinaryFields(row)).toEqual(fields);
});

test.each(['', 'a"b', '"a"b', '"a', 'a\nb', 'a\r'])('%j is left to the parser', (row) => {
  expect(ordinaryFields(row)).toBeUndefined();
});

test('the parser finds the same fields in ordinary rows', () => {
  const row = fc.string({ unit: fc.constantFrom('a', ' ', '"', ',', '\n', 'é'), minLength: 1, maxLength: 12 });
  const property = fc.property(row, (text) => {
    const fields = ordinaryFields(text);
    if (fields) expect(csvFields(text, true)).toEqual(fields);
  });
  fc.assert(property, { numRuns: 2000, seed: 1 });
});
