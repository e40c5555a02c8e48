import { describe, expect, it } from 'vitest';
import { strictProblem } from '../../../src/records/strict.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('strictProblem', () => {
  it.each([
    ['lines', '\0 anything "', undefined],
    ['u64', '12345678', undefined],
    ['ndjson', '{"a":[1,{"b":null}]}\r\n', undefined],
    ['ndjson', ' {} \n', undefined],
    ['csv', 'a,"b ""c""",\n', 3],
    ['csv', '"two\nlines",b\r\n', 2],
    ['csv', 'a,b', undefined],
    ['tsv', 'a\t"b\n', 2],
  ] as const)('finds nothing wrong with %s %j', (format, record, columnCount) => {
    expect(strictProblem(format, bytes(record), columnCount)).toBeUndefined();
  });

  it.each([
    ['ndjson', '[1]\n', undefined, 'not a JSON object'],
    ['ndjson', 'null\n', undefined, 'not a JSON object'],
    ['ndjson', '{"a":1,}\n', undefined, 'JSON'],
    ['ndjson', '{"a":"\t"}\n', undefined, 'JSON'],
    ['csv', 'a,b\n', 3, 'the row has 2 fields where 3 are expected'],
    ['csv', 'a,"b\n', 2, 'Quote'],
    ['csv', 'a,"b"c\n', 2, 'Quote'],
    ['csv', 'a,b"c\n', 2, 'Quote'],
    ['tsv', 'a\tb\n', 1, 'the row has 2 fields where 1 are expected'],
  ] as const)('finds the fault of %s %j', (format, record, columnCount, message) => {
    expect(strictProblem(format, bytes(record), columnCount)).toContain(message);
  });

  it.each(['ndjson', 'csv', 'tsv'] as const)('finds invalid UTF-8 in %s', (format) => {
    expect(strictProblem(format, Uint8Array.of(0x7b, 0xff, 0x7d, 0x0a))).toBe('the record is not valid UTF-8');
  });
});
