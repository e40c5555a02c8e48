import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutTerminator } from '../../../src/records/formats.ts';
import { strictProblem } from '../../../src/records/strict.ts';
import { inLongForm } from '../../support/form.js';

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
    expect(strictProblem(format, withoutTerminator(bytes(record)), columnCount)).toBeUndefined();
  });

  it.each([
    ['ndjson', '[1]\n', undefined, 'not a JSON object'],
    ['ndjson', 'null\n', undefined, 'not a JSON object'],
    ['ndjson', '{"a":1,}\n', undefined, 'at byte 8, a name in double quotes is expected, but there is something else'],
    [
      'ndjson',
      '{"a":"\t"}\n',
      undefined,
      'at byte 7, an escape such as \\n or \\t for a control character is expected',
    ],
    ['ndjson', '{"é":1\n', undefined, 'the line is not valid JSON: at byte 8, "," or "}" is expected, but it ends'],
    ['csv', 'a,b\n', 3, 'the row has 2 fields where 3 are expected'],
    ['csv', 'a,"b\n', 2, 'Quote'],
    ['csv', 'a,"b"c\n', 2, 'Quote'],
    ['csv', 'a,b"c\n', 2, 'Quote'],
    ['tsv', 'a\tb\n', 1, 'the row has 2 fields where 1 are expected'],
  ] as const)('finds the fault of %s %j', (format, record, columnCount, message) => {
    expect(strictProblem(format, withoutTerminator(bytes(record)), columnCount)).toContain(message);
  });

  it.each(['ndjson', 'csv', 'tsv'] as const)('finds invalid UTF-8 in %s', (format) => {
    expect(strictProblem(format, withoutTerminator(Uint8Array.of(0x7b, 0xff, 0x7d, 0x0a)))).toBe(
      'the record is not valid UTF-8',
    );
  });

  it('accepts fields of any length', () => {
    expect(
      strictProblem('csv', withoutTerminator(bytes(`a,"${'""'.repeat(inLongForm(2 ** 23, 2 ** 21))}"\n`)), 2),
    ).toBeUndefined();
  });

  it('counts the fields of any csv row like the parser', () => {
    const piece = fc.constantFrom('a', '"', ',', '\n', '\r', 'é', '\ufeff', '\0', ' ');
    const rows = fc.array(piece, { maxLength: 6 }).map((pieces) => `${pieces.join('')}\n`);
    fc.assert(
      fc.property(rows, (row) => {
        // Terminators do not count, including a carriage return before them.
        const text = row.replace(/\r?\n$/, '');
        let expected: number | undefined;
        try {
          const parsed = parse(text, { relax_column_count: true, record_delimiter: ['\r\n', '\n'] });
          if (parsed.length === 1) expected = parsed[0]?.length;
        } catch {
          // The text is not a row.
        }
        const columnCount = expected ?? 1;
        expect(strictProblem('csv', withoutTerminator(bytes(row)), columnCount) === undefined).toBe(
          expected !== undefined,
        );
        if (expected !== undefined)
          expect(strictProblem('csv', withoutTerminator(bytes(row)), columnCount + 1)).toBeDefined();
      }),
      { numRuns: inLongForm(2000, 500) },
    );
  });
});
