// The text of a JSON array as lines: what JSON.parse and JSON.stringify make of it, however it is cut.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ArrayLines } from '../../../../src/io/jsonarray/text.js';

/** The lines of a text that comes in chunks of these sizes, the last of which is repeated; and the fault, if there is one. */
function linesOf(text: string | Uint8Array, sizes: readonly number[] = [1 << 20]): { lines: string; fault?: string } {
  const bytes = Buffer.from(text as string);
  const array = new ArrayLines();
  const parts: Buffer[] = [];
  const lines = () => Buffer.concat(parts).toString();
  try {
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const chunk = Buffer.from(bytes.subarray(at, at + (sizes[Math.min(i, sizes.length - 1)] as number)));
      at += chunk.length;
      parts.push(chunk.subarray(0, array.replace(chunk, chunk.length)));
    }
    array.end();
    return { lines: lines() };
  } catch (fault) {
    return { lines: lines(), fault: (fault as Error).message };
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

test('each element is a line, as JSON.stringify writes it', () => {
  const elements = fc.array(fc.jsonValue({ depthSize: 'small', maxDepth: 4 }), { maxLength: 8 });
  const indents = fc.constantFrom(undefined, 0, 1, 3, '\t', ' \r\n');
  fc.assert(
    fc.property(elements, indents, sizes, (values, indent, chunks) => {
      // Negative zero has no text of its own.
      const plain = JSON.parse(JSON.stringify(values)) as unknown[];
      const lines = plain.map((value) => `${JSON.stringify(value)}\n`).join('');
      expect(linesOf(JSON.stringify(plain, undefined, indent), chunks)).toEqual({ lines });
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('a text is an array if JSON.parse takes it, or each of its lines shows a fault', () => {
  const tokens = fc.array(fc.constantFrom('[', ']', '{', '}', ',', ':', '"a"', '"\\"', '1', 'true', ' ', '\n', '"]"'), {
    maxLength: 12,
  });
  const isJson = (text: string) => {
    try {
      return JSON.parse(text) !== undefined;
    } catch {
      return false;
    }
  };
  let taken = 0;
  fc.assert(
    fc.property(tokens, sizes, (words, chunks) => {
      const text = `[${words.join('')}]`;
      const result = linesOf(text, chunks);
      expect(linesOf(text)).toEqual(result);
      const isTaken = result.fault === undefined && result.lines.split('\n').slice(0, -1).every(isJson);
      expect(isTaken).toBe(isJson(text));
      if (isTaken) taken++;
    }),
    { seed: 2, numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(100);
});

describe('an incomplete or invalid array', () => {
  test.each([
    ['', '', 'it is empty, and no JSON array'],
    [' \n', '', 'it is empty, and no JSON array'],
    ['{"a":1}\n', '', 'it is no JSON array, which begins with ['],
    ['[1,2', '1\n2', 'it ends within the JSON array, after byte 4'],
    ['[1,\n2\n', '1\n2', 'it ends within the JSON array, after byte 6'],
    ['[{"a":"b', '{"a":"b', 'it ends within the JSON array, after byte 8'],
    ['[1,2]\n[3]', '1\n2\n', 'text follows the end of the JSON array, at byte 7'],
    ['[1,,2]', '1\n', 'an element of the JSON array is missing, at byte 4'],
    ['[1,]', '1\n', 'an element of the JSON array is missing, at byte 4'],
    ['[,1]', '', 'an element of the JSON array is missing, at byte 2'],
    ['[{} {}]', '{}', 'a comma is missing between two elements of the JSON array, at byte 5'],
    ['["a" "b"]', '"a"', 'a comma is missing between two elements of the JSON array, at byte 6'],
    ['[1 2]', '1', 'a comma is missing between two values, at byte 4'],
    ['[{"a":1 2}]', '{"a":1', 'a comma is missing between two values, at byte 9'],
    ['[1,{"a":"b\n"}]', '1\n{"a":"b', 'a string has a control character, at byte 11'],
  ])('%j gives the lines before the fault', (text, lines, fault) => {
    expect(linesOf(text)).toEqual({ lines, fault });
    expect(linesOf(text, [1])).toEqual({ lines, fault });
  });
});

test('a byte order mark before the array is left out, and nothing else', () => {
  expect(linesOf(Buffer.from('\ufeff[1]'))).toEqual({ lines: '1\n' });
  expect(linesOf(Buffer.from('\ufeff[1]'), [1])).toEqual({ lines: '1\n' });
  expect(linesOf(Buffer.from([0xbb, 0x5b, 0x31, 0x5d])).fault).toBe('it is no JSON array, which begins with [');
});
