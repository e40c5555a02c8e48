import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFault } from '../../../src/records/jsonfault.js';
import { inLongForm } from '../../support/form.js';

test.each([
  ['', 0, 'a value'],
  ['{', 1, 'a name in double quotes or "}"'],
  ['{"a"', 4, '":"'],
  ['{"a":', 5, 'a value'],
  ['{"a":1', 6, '"," or "}"'],
  ['{"a":1,}', 7, 'a name in double quotes'],
  ["{'a':1}", 1, 'a name in double quotes or "}"'],
  ['{"a":[1,]}', 8, 'a value'],
  ['{"a":[1 2]}', 8, '"," or "]"'],
  ['{"a":01}', 6, '"," or "}"'],
  ['{"a":NaN}', 5, 'a value'],
  ['{"a":"b', 7, 'a closing quote'],
  ['{"a":"\\x"}', 6, 'a valid escape'],
  ['{"a":"\n"}', 6, 'an escape such as \\n or \\t for a control character'],
  ['{} {}', 3, 'the end of the record'],
])('%j has its first fault at %i', (text, offset, expected) => {
  expect(jsonFault(text)).toEqual({ offset, expected });
});

test('finds a fault exactly where the parser refuses a text', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '1',
    '-',
    '.5',
    'e1',
    'true',
    'null',
    ' ',
    '\\',
    '\n',
    'u00e9',
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const value = fc.json();
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        value,
        fc.tuple(value, text).map(([a, b]) => a + b),
      ),
      (given) => {
        let isJson = true;
        try {
          JSON.parse(given);
        } catch {
          isJson = false;
        }
        expect(jsonFault(given) === undefined).toBe(isJson);
      },
    ),
    { seed: 5, numRuns: inLongForm(20_000, 4000) },
  );
});

test('takes nesting of any depth', () => {
  expect(jsonFault('['.repeat(1e6))).toEqual({ offset: 1e6, expected: 'a value' });
  expect(jsonFault('['.repeat(1e5) + ']'.repeat(1e5))).toBeUndefined();
});
