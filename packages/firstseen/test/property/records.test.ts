// Compares the scanner with the simple reference implementation: random documents, cut at random positions, with both
// builds of the kernel.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { headerField } from '../../src/jobs/passages/recordname.ts';
import { NO_BYTE } from '../../src/kernel/abi.ts';
import { recordClass, recordClasses } from '../../src/records/classes.ts';
import { csvFields } from '../../src/records/csvfields.ts';
import type { Dialect } from '../../src/records/dialect.ts';
import { fieldTexts } from '../../src/records/fieldtexts.ts';
import { type FormatName, formatNames } from '../../src/records/formats.ts';
import { EVERY_ITEM, type KeyPath } from '../../src/records/keypath.ts';
import { ordinaryFields } from '../../src/records/ordinary.ts';
import type { ScanSettings } from '../../src/records/settings.ts';
import { framedRecords, type ReferenceRecord, referenceRecords } from '../reference/framing.ts';
import { binaryBytes } from '../reference/framing-json.ts';
import { referenceIntegers } from '../reference/integers.ts';
import { referenceRabin } from '../reference/rabin.ts';
import { referenceXxh64 } from '../reference/xxh64.ts';
import { inLongForm, isLongForm } from '../support/form.js';
import { warcDocument } from '../support/warc.ts';
import { kernelVariants, ScanHost } from '../unit/records/scan-host.ts';

const SEED = 0x1234_5678_9abc_def0n;
const INPUT_BYTES = 1 << 20;
/** The number of inputs: all of these in the long form, an eighth in the short one. */
function inputs(most: number) {
  return { seed: 2024, numRuns: inLongForm(most, Math.ceil(most / 8)) };
}

/** Documents are binary strings: one character per byte, so that any byte can occur. */
const utf8 = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

function document(pieces: string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), { maxLength: 120 }).map((chosen) => chosen.join(''));
}

const plainPieces = [
  'a',
  'b',
  'ab',
  '1',
  ' ',
  '\0',
  '\xff',
  '\xc3',
  utf8('é'),
  utf8('😀'),
  '\r',
  '\n',
  '\n',
  '\r\n',
  '\n\n',
];
const longPieces = ['0123456789abcdef', 'x'.repeat(40)];
const linesDocument = document([...plainPieces, ...longPieces]);
const tsvDocument = document([...plainPieces, ...longPieces, '\t', '\t', '\t', '"']);
const fieldsDocument = document([...plainPieces, ...longPieces, ' ', '  ', '\t', ' \t', ':', ':']);
const logfmtDocument = document([
  ...plainPieces,
  ' ',
  ' ',
  '=',
  '=',
  '"',
  '="',
  '" ',
  '\\',
  '\\"',
  '\\u0061',
  '\\x1b',
  ' a=',
  ' b="',
  utf8(' é='),
]);
const csvDocument = document([
  ...plainPieces,
  ...longPieces,
  ',',
  ',',
  ',',
  '"',
  '"',
  '""',
  ',"',
  '",',
  '"\n',
  '"\r\n',
]);

const escapedDocument = document(
  [...plainPieces, ...longPieces, ',', ',', ',', '"', '"', '""', ',"', '",', '"\n', '"\r\n'].concat([
    ...['\\', '\\', '\\\\', '\\n', '\\"', '\\,', '\\\n', '\\\r\n', '"\\', '\\",'],
  ]),
);

const dialectBytes = [';', '\t', '|', ',', "'", '"', ' ', '\\', '$'].map((text) => text.charCodeAt(0));
const dialects = fc
  .record({
    delimiter: fc.constantFrom(...dialectBytes),
    quote: fc.constantFrom(...dialectBytes, NO_BYTE),
    escape: fc.constantFrom(NO_BYTE, ...dialectBytes),
  })
  .filter((found) => {
    const isApart = found.delimiter !== found.quote && found.delimiter !== found.escape;
    return isApart && (found.quote !== found.escape || found.quote === NO_BYTE);
  });

/** A document for the dialect of RFC 4180 with a backslash as the escape, with the bytes of another one. */
function writtenIn(dialect: Dialect, text: string): string {
  const bytes: Record<string, number> = { ',': dialect.delimiter, '"': dialect.quote, '\\': dialect.escape };
  return text.replace(/[,"\\]/g, (byte) => {
    const own = bytes[byte] as number;
    return own === NO_BYTE ? byte : String.fromCharCode(own);
  });
}

const bracesDocument = document([
  '{',
  '{',
  '}',
  '}',
  '}{',
  '} {',
  '\u001e{',
  '}\u001e',
  '"',
  '\\',
  '[',
  ']',
  'a',
  ' ',
  '\t',
  '\r',
  '\n',
  '{}',
  'x'.repeat(20),
]);

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

function scanned(host: ScanHost, input: Uint8Array, settings: ScanSettings, fractions: number[]) {
  const positions = fractions
    .map((fraction) => Math.floor(fraction * input.length))
    .sort((left, right) => left - right);
  return host.scan(input, settings, positions);
}

function expectedFingerprint(record: ReferenceRecord, settings: ScanSettings): bigint | undefined {
  if (record.key === undefined || record.class !== 0) return undefined;
  if (settings.format === 'u64') {
    const integer = new DataView(record.key.slice().buffer).getBigUint64(0, true);
    if (settings.fingerprint === 'rabin') return referenceIntegers.rabin(integer);
    return settings.fingerprint === 'xxh64' ? referenceIntegers.xxh64(integer, SEED) : integer;
  }
  return settings.fingerprint === 'rabin' ? referenceRabin(record.key) : referenceXxh64(record.key, SEED);
}

function check(host: ScanHost, input: Uint8Array, settings: ScanSettings, fractions: number[]): void {
  const actual = scanned(host, input, settings, fractions).map((record) => ({
    ...record,
    fingerprint: record.class === 0 ? record.fingerprint : undefined,
  }));
  const expected = framedRecords(input, settings).map((record) => ({
    start: record.start,
    end: record.end,
    class: record.class,
    fingerprint: expectedFingerprint(record, settings),
  }));
  // Vitest compares thousands of lists much more slowly, but shows how they differ.
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

const columns = fc.uniqueArray(fc.nat({ max: 3 }), { maxLength: 3 });
const maxRecordBytes = fc.constantFrom(1, 7, 20, 1 << 16);
const fingerprint = fc.constantFrom('xxh64', 'rabin');
/** What comments begin with: in most inputs nothing. */
const comments = fc.constantFrom(undefined, undefined, undefined, 'a', 'ab', '1ab');

const keyRules = fc.record({ findsEmptyKeys: fc.boolean(), nulls: fc.constantFrom('empty', 'missing', 'value') });

// Valid JSON with everything that is difficult about it.
const blanks = fc.constantFrom('', '', '', '', ' ', '\t ', '\r', '          ');
const content = fc
  .array(
    fc.constantFrom(
      'a',
      'é',
      '😀',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0123456789abcdef',
      '\\"',
      '\\\\',
      '\\/',
      '\\n',
      '\\u0061',
      '\\u00e9',
      '\\uD83D\\uDE00',
      '\\ud83d',
      '\\udc00',
      '\\u0000',
      '\\b\\f\\r\\t',
    ),
    { maxLength: 6 },
  )
  .chain((pieces) => fc.constantFrom('', '', '\xff').map((broken) => `"${utf8(pieces.join(''))}${broken}"`));
const names = fc.constantFrom(
  '"a"',
  '"b"',
  '"\\u0061"',
  '"\\u0062"',
  '"id"',
  '""',
  utf8('"é"'),
  '"\\u00e9"',
  '"x\\"y"',
  '"a name of more than sixteen bytes"',
);
const scalars = fc.oneof(
  content,
  fc.constantFrom('0', '-1.5e+10', '12345678901234567890', 'true', 'false', 'null', '1', '"1"'),
);

function joined(open: string, parts: string[], close: string, blank: string): string {
  return `${open}${blank}${parts.join(`${blank},${blank}`)}${blank}${close}`;
}

const { object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', maxDepth: 4 }, scalars, tie('object'), tie('array')),
  object: fc
    .tuple(fc.array(fc.tuple(names, blanks, blanks, tie('value')), { maxLength: 5 }), blanks)
    .map(([members, blank]) =>
      joined(
        '{',
        members.map(([name, before, after, inner]) => `${name}${before}:${after}${inner}`),
        '}',
        blank,
      ),
    ),
  array: fc
    .tuple(fc.array(tie('value'), { maxLength: 4 }), blanks)
    .map(([items, blank]) => joined('[', items, ']', blank)),
}));

const jsonLine = fc
  .tuple(blanks, object, blanks, fc.constantFrom('\n', '\n', '\r\n', '\n\n'))
  .map((parts) => parts.join(''));
/** Ends of objects: of their lines, or nothing but blanks, so that another object follows on the line. */
const jsonJoined = fc
  .tuple(object, fc.constantFrom('', ' ', '\t ', '\r', '\n', ' \n', '\n \t\n'))
  .map((parts) => parts.join(''));
/** A line in a sequence of JSON texts. */
function afterSeparator(line: string): string {
  return `\u001e${line}`;
}

const jsonDocument = fc
  .tuple(
    fc.array(fc.oneof(jsonLine, jsonJoined, jsonLine.map(afterSeparator)), { maxLength: 6 }),
    fc.oneof(object, fc.constant('')),
  )
  .map(([lines, last]) => lines.join('') + last);

const pathSets: KeyPath[][] = [
  [['a']],
  [['b']],
  [['']],
  [['é']],
  [['x"y']],
  [['a name of more than sixteen bytes']],
  [['a', 'b']],
  [['a', 0]],
  [['b', 1, 'a']],
  [['a'], ['b']],
  [['b'], ['a', 'id'], ['é']],
  [['a', EVERY_ITEM]],
  [['b', EVERY_ITEM, 'a'], ['a']],
  [['a', EVERY_ITEM, EVERY_ITEM]],
];

/** Paths of texts and what follows them, with the number of texts. */
const textSets: { paths: KeyPath[]; count: number }[] = [
  { paths: [['a', EVERY_ITEM]], count: 1 },
  { paths: [['a', EVERY_ITEM], ['b']], count: 1 },
  { paths: [['a'], ['b']], count: 2 },
  { paths: [['b', EVERY_ITEM, 'a'], ['a', EVERY_ITEM], ['']], count: 2 },
  { paths: [['b', EVERY_ITEM, 'a'], ['a', EVERY_ITEM], ['']], count: 3 },
];

const isName = (segment: string | number) => typeof segment === 'string';

describe.each(kernelVariants)('the scanner of the %s kernel finds the same records as the reference', (variant) => {
  let host: ScanHost;
  beforeAll(async () => {
    host = await ScanHost.create(variant, INPUT_BYTES, { seed: SEED });
  });

  it('in nul', () => {
    fc.assert(
      fc.property(linesDocument, fingerprint, maxRecordBytes, cuts, (text, print, most, fractions) => {
        check(host, binaryBytes(text), { format: 'nul', fingerprint: print, maxRecordBytes: most }, fractions);
      }),
      inputs(400),
    );
  });

  it('in lines', () => {
    fc.assert(
      fc.property(
        linesDocument,
        fingerprint,
        maxRecordBytes,
        cuts,
        comments,
        (text, print, most, fractions, comment) => {
          const settings = { format: 'lines', fingerprint: print, maxRecordBytes: most, comment } as const;
          check(host, binaryBytes(text), settings, fractions);
        },
      ),
      inputs(400),
    );
  });

  it('in u64', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 100 }),
        fc.constantFrom('xxh64', 'rabin', 'identity'),
        cuts,
        (input, print, fractions) => {
          check(host, input, { format: 'u64', fingerprint: print, maxRecordBytes: 8 }, fractions);
        },
      ),
      inputs(400),
    );
  });

  it.each([
    ['csv', csvDocument],
    ['tsv', tsvDocument],
  ] as const)('in %s', (format, documents) => {
    fc.assert(
      fc.property(
        fc.tuple(documents, fingerprint, maxRecordBytes, columns, cuts, keyRules, comments),
        ([text, print, most, chosen, fractions, rules, comment]) => {
          const settings = { format, fingerprint: print, maxRecordBytes: most, columns: chosen, comment } as const;
          check(host, binaryBytes(text), { ...settings, ...rules }, fractions);
        },
      ),
      inputs(1000),
    );
  });

  it('in fields with every byte between them', () => {
    fc.assert(
      fc.property(
        fc.tuple(fieldsDocument, delimiters, maxRecordBytes, columns, cuts, keyRules, comments),
        ([text, delimiter, most, chosen, fractions, rules, comment]) => {
          const dialect = { delimiter, quote: NO_BYTE, escape: NO_BYTE };
          const settings = { format: 'fields', fingerprint: 'xxh64', maxRecordBytes: most, columns: chosen } as const;
          check(host, binaryBytes(text), { ...settings, dialect, comment, ...rules }, fractions);
        },
      ),
      inputs(2000),
    );
  });

  it('in logfmt', () => {
    const paths = fc.constantFrom<KeyPath[]>([], [['a']], [['b'], ['a']], [['é']], [['ab'], ['']]);
    fc.assert(
      fc.property(
        fc.tuple(logfmtDocument, fingerprint, maxRecordBytes, paths, cuts, keyRules),
        ([text, print, most, chosen, fractions, rules]) => {
          const settings = { format: 'logfmt', fingerprint: print, maxRecordBytes: most, paths: chosen } as const;
          check(host, binaryBytes(text), { ...settings, ...rules }, fractions);
        },
      ),
      inputs(4000),
    );
  });

  it('in warc', () => {
    const paths = fc.constantFrom<KeyPath[]>(
      ...[
        [],
        [[0]],
        [[1]],
        [['x']],
        [['warc-target-uri']],
        [[1], ['warc-type']],
        [['x'], [0], ['warc-target-uri'], [1]],
      ],
    );
    const types = fc.constantFrom(undefined, [], ['response'], ['Conversion', 'response']);
    fc.assert(
      fc.property(
        fc.tuple(warcDocument, fingerprint, fc.constantFrom(20, 60, 100, 150, 1 << 16), paths, types, cuts, keyRules),
        ([text, print, most, chosen, asked, fractions, rules]) => {
          const settings = {
            format: 'warc',
            fingerprint: print,
            maxRecordBytes: most,
            paths: chosen,
            types: asked,
          } as const;
          check(host, binaryBytes(text), { ...settings, ...rules }, fractions);
        },
      ),
      inputs(6000),
    );
  });

  it('in warc that is cut at every byte', () => {
    const block = 'a\r\n\r\nWARC/1.0\r\n';
    const one = (length: number, end: string) => `WARC/1.0\nX: 1\n 2\nContent-Length: ${length}\r\n\n${block}${end}`;
    const text = `${one(17, '\n\r\n')}\r\n${one(18, '\r\n\r\n')}junk${one(17, '\n\n')}${one(90, '\r\n\r\n')}`;
    for (let cut = 0; cut <= text.length; cut++) {
      for (const maxRecordBytes of [50, 64, 100, 400]) {
        const settings = { format: 'warc', fingerprint: 'xxh64', maxRecordBytes, paths: [['x']] } as const;
        check(host, binaryBytes(text), settings, [cut / text.length]);
      }
    }
  });

  const someColumns = fc.uniqueArray(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 });
  const delimiters = fc.constantFrom(NO_BYTE, ...[' ', '\t', ':', '='].map((text) => text.charCodeAt(0)));
  const exceptions: [string, fc.Arbitrary<[string, Partial<ScanSettings>]>][] = [
    [
      'csv of every dialect',
      fc
        .tuple(dialects, escapedDocument, someColumns)
        .map(([dialect, text, except]) => [writtenIn(dialect, text), { format: 'csv', dialect, except }]),
    ],
    ['tsv', fc.tuple(tsvDocument, someColumns).map(([text, except]) => [text, { format: 'tsv', except }])],
    [
      'fields',
      fc.tuple(fieldsDocument, delimiters, someColumns).map(([text, delimiter, except]) => {
        const dialect = { delimiter, quote: NO_BYTE, escape: NO_BYTE };
        return [text, { format: 'fields', dialect, except }];
      }),
    ],
    [
      'logfmt',
      fc
        .tuple(logfmtDocument, fc.constantFrom<KeyPath[]>([['a']], [['b'], ['a']], [['é'], ['']]))
        .map(([text, except]) => [text, { format: 'logfmt', except }]),
    ],
    [
      'ndjson',
      fc
        .tuple(jsonDocument, fc.constantFrom(...pathSets.filter((paths) => paths.flat().every(isName))))
        .map(([text, except]) => [text, { format: 'ndjson', except }]),
    ],
  ];

  it.each(exceptions)('without some fields in %s', (_, documents) => {
    fc.assert(
      fc.property(documents, maxRecordBytes, cuts, ([text, settings], most, fractions) => {
        const whole = { format: 'lines', fingerprint: 'xxh64', maxRecordBytes: most, ...settings } as const;
        check(host, binaryBytes(text), whole, fractions);
      }),
      inputs(3000),
    );
  });

  it('in csv of every dialect', () => {
    fc.assert(
      fc.property(
        dialects,
        escapedDocument,
        maxRecordBytes,
        columns,
        cuts,
        (dialect, text, most, chosen, fractions) => {
          const written = writtenIn(dialect, text);
          const settings = {
            format: 'csv',
            fingerprint: 'xxh64',
            maxRecordBytes: most,
            columns: chosen,
            dialect,
          } as const;
          check(host, binaryBytes(written), settings, fractions);
        },
      ),
      inputs(4000),
    );
  });

  it('in csv with escapes that is cut at every byte', () => {
    const dialect = { delimiter: 0x3b, quote: 0x22, escape: 0x5c };
    const text = 'a\\;b;"c\\";d""\\\\";\\N\n"x\ny\\\n";\\\n\\n;\\\\;"\\\r\n"\r\nlast\\\r\n;\\\r;z\\';
    for (let cut = 0; cut <= text.length; cut++) {
      const settings = { format: 'csv', fingerprint: 'xxh64', maxRecordBytes: 100, columns: [1, 0], dialect } as const;
      check(host, binaryBytes(text), settings, [cut / text.length]);
    }
  });

  it('in ndjson whose objects are longer than the kernel takes at a time, valid or not', () => {
    const piece = fc.oneof(
      fc.constantFrom('"', '"', '\\', '\\\\', '\\"', '{', '}', '[', ']', '{"a":', '_', '|', '~', ',', '\u001e'),
      fc.nat({ max: 70 }).map((length) => 'x'.repeat(length)),
    );
    const content = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    const broken = fc
      .array(
        content.map((text) => `{"a":${text}}`),
        { minLength: 1, maxLength: 3 },
      )
      .map((objects) => `${objects.join('')}\n`);
    const string = fc.array(piece, { maxLength: 40 }).map((pieces) => JSON.stringify(pieces.join('')));
    const valid = fc.array(string, { maxLength: 4 }).map((strings) => `{"a":[${strings.join(',')}]}`);
    fc.assert(
      fc.property(fc.oneof(broken, valid), cuts, (text, fractions) => {
        const settings = { format: 'ndjson', fingerprint: 'xxh64', maxRecordBytes: 1 << 16 } as const;
        check(host, binaryBytes(text), settings, fractions);
      }),
      inputs(4000),
    );
  });

  it('in ndjson by whole line, valid or not', () => {
    fc.assert(
      fc.property(
        fc.oneof(linesDocument, jsonDocument, bracesDocument),
        maxRecordBytes,
        cuts,
        (text, most, fractions) => {
          check(host, binaryBytes(text), { format: 'ndjson', fingerprint: 'xxh64', maxRecordBytes: most }, fractions);
        },
      ),
      inputs(400),
    );
  });

  it.each(pathSets.map((paths) => ({ name: JSON.stringify(paths), paths })))(
    'in valid ndjson by $name',
    ({ paths }) => {
      fc.assert(
        fc.property(jsonDocument, cuts, fc.constantFrom(20, 1 << 16), keyRules, (text, fractions, most, rules) => {
          check(
            host,
            binaryBytes(text),
            { format: 'ndjson', fingerprint: 'xxh64', maxRecordBytes: most, paths, ...rules },
            fractions,
          );
        }),
        inputs(400),
      );
    },
  );

  it.each(textSets.map((set) => ({ name: JSON.stringify(set.paths), ...set })))(
    'in valid ndjson by the first $count texts at $name',
    ({ paths, count }) => {
      // Most values of documents are no texts.
      const named = fc.constantFrom(
        '"a":[{"a":"x"},{"b":"y"}]',
        '"a":"x y"',
        '"b":[{"a":"1"},{}]',
        '"b":null',
        '"":""',
      );
      const texts = fc.uniqueArray(named, { maxLength: 4 }).map((members) => `{${members.join(',')}}`);
      const lists = fc
        .array(fc.constantFrom('"x"', '"\\u0061\\""', 'null', '1', '["y"]', '{"a":"z"}', '[]'), { maxLength: 4 })
        .map((values) => `{"a":[${values.join(', ')}],"b" : [ {"a":${values[0] ?? '2'}} ],"":"i"}`);
      const lines = fc.array(fc.oneof(texts, lists, object), { maxLength: 6 }).map((all) => all.join('\n'));
      fc.assert(
        fc.property(lines, cuts, fc.boolean(), (text, fractions, areStrings) => {
          const joined = { texts: { count, areStrings }, maxRecordBytes: 1 << 16, paths };
          check(host, binaryBytes(text), { format: 'ndjson', fingerprint: 'xxh64', ...joined }, fractions);
        }),
        inputs(2000),
      );
    },
  );

  it('in broken ndjson the same lines, and reports none invalid that JSON.parse accepts', () => {
    const edit = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat({ max: 2 }),
      fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', 'x', '\\u12', '\0'),
    );
    fc.assert(
      fc.property(
        object,
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...pathSets),
        (text, edits, paths) => {
          let broken = text;
          for (const [position, removed, inserted] of edits) {
            const at = Math.floor(position * broken.length);
            broken = broken.slice(0, at) + inserted + broken.slice(at + removed);
          }
          const [record] = host.scan(binaryBytes(broken), {
            format: 'ndjson',
            fingerprint: 'xxh64',
            maxRecordBytes: 1 << 16,
            paths,
          });
          if (record === undefined || !recordClass(record.class).isInvalid) return;
          expect(isJsonObject(broken), broken).toBe(false);
        },
      ),
      inputs(2000),
    );
  });

  it('in more records than fit in a batch, in each format', () => {
    const rows = Array.from({ length: inLongForm(40_000, 18_000) }, (_, i) => i);
    const documents: Readonly<Record<FormatName, readonly string[]>> = {
      lines: rows.map((i) => `${i}\n`),
      nul: rows.map((i) => `${i}\0`),
      csv: rows.map((i) => `x,"${i}"\n`),
      tsv: rows.map((i) => `x\t${i}\n`),
      fields: rows.map((i) => `x ${i}\n`),
      logfmt: rows.map((i) => `x a=${i}\n`),
      warc: rows.map((i) => `WARC/1.0\r\nContent-Length: 2\r\nA: ${i}\r\n\r\n\r\n\r\n\r\n`),
      ndjson: rows.map((i) => `{"a":${i}}${i % 3 === 0 ? '\n' : ''}`),
      u64: rows.map((i) => String.fromCharCode(...new Uint8Array(BigUint64Array.of(BigInt(i)).buffer))),
    };
    expect(Object.keys(documents).sort(), 'each format has documents').toEqual([...formatNames].sort());
    const paths = [['a']];
    const integers = { fingerprint: 'identity', maxRecordBytes: 8 } as const;
    const withoutColumns = { lines: {}, nul: {}, ndjson: { paths }, logfmt: { paths }, warc: { paths }, u64: integers };
    const settingsOf = (format: FormatName): ScanSettings => ({
      ...({ format, fingerprint: 'rabin', maxRecordBytes: 100 } as const),
      ...(format in withoutColumns ? withoutColumns[format as keyof typeof withoutColumns] : { columns: [1] }),
    });
    // In the short form, each kernel takes every other format.
    const isTaken = (_: unknown, i: number) => isLongForm || i % 2 === kernelVariants.indexOf(variant);
    for (const format of formatNames.filter(isTaken)) {
      check(host, binaryBytes(documents[format].join('')), settingsOf(format), [0.05]);
    }
  });

  it('in a csv row that is skipped in pieces', () => {
    fc.assert(
      fc.property(dialects, escapedDocument, cuts, (dialect, text, fractions) => {
        // More follows, so that a newline at the end of the row is not content.
        const input = binaryBytes(`${writtenIn(dialect, text)}\n|\n|`);
        const settings = { format: 'csv', fingerprint: 'xxh64', maxRecordBytes: 1 << 16, dialect } as const;
        const [row] = referenceRecords(input, settings);
        host.scan(new Uint8Array(0), settings, []);
        fc.pre(row !== undefined && row.end < input.length && row.class !== recordClasses.UNTERMINATED_QUOTE.code);
        expect(skippedTo(host, input, fractions, 'Csv')).toBe(row?.end);
      }),
      inputs(400),
    );
  });

  it('in objects of ndjson that are skipped in pieces', () => {
    fc.assert(
      fc.property(fc.oneof(bracesDocument, jsonDocument), cuts, (text, fractions) => {
        const input = binaryBytes(`${text}\n`);
        const [first] = referenceRecords(input, { format: 'ndjson', fingerprint: 'xxh64', maxRecordBytes: 1 << 16 });
        expect(skippedTo(host, input, fractions, 'Json')).toBe(first?.end);
      }),
      inputs(400),
    );
  });
});

/** The fields of the first record of an input, from the reference; undefined unless it is a valid row of the whole input. */
function referenceFields(text: string, dialect: Dialect): string[] | undefined {
  const input = binaryBytes(text);
  const fields: string[] = [];
  for (let column = 0; ; column++) {
    const settings = {
      format: 'csv',
      fingerprint: 'xxh64',
      maxRecordBytes: 1 << 16,
      columns: [column],
      dialect,
    } as const;
    const [row] = referenceRecords(input, settings);
    if (row?.end !== input.length || !(row.class === 0 || row.class === recordClasses.KEY_MISSING.code))
      return undefined;
    if (row.class !== 0) return fields;
    fields.push(String.fromCharCode(...(row.key ?? [])));
  }
}

it('the fields of a header as text are those of the reference', () => {
  const names = fc.constantFrom('x', 'warc-target-uri', 'content-type', 'warc-type', 'none');
  fc.assert(
    fc.property(warcDocument, names, (text, name) => {
      const input = binaryBytes(text);
      const settings = { format: 'warc', fingerprint: 'xxh64', maxRecordBytes: 1 << 16, paths: [[name]] } as const;
      for (const { start, end, class: found, key } of referenceRecords(input, settings)) {
        if (recordClass(found).isInvalid || found === recordClasses.BLANK.code) continue;
        const expected = key && new TextDecoder().decode(key);
        expect(headerField(input.subarray(start, end), name)).toBe(expected);
      }
    }),
    inputs(2000),
  );
});

it('the fields of a row as text are those of the reference in every dialect', () => {
  fc.assert(
    fc.property(dialects, escapedDocument, (dialect, text) => {
      fc.pre(dialect.escape !== NO_BYTE || dialect.quote === NO_BYTE);
      const row = writtenIn(dialect, text);
      const expected = referenceFields(row, dialect);
      fc.pre(expected !== undefined && !/[\r\n]$/.test(row));
      for (const fields of [ordinaryFields(row, dialect), fieldTexts(row, dialect)]) {
        expect(fields ?? csvFields(row, true, dialect)).toEqual(expected);
      }
    }),
    inputs(400),
  );
});

/** The end that the kernel finds for an input's first record that arrives in pieces. */
function skippedTo(host: ScanHost, input: Uint8Array, fractions: number[], format: 'Csv' | 'Json'): number {
  const { kernel } = host;
  const base = kernel.regionOffset;
  const positions = fractions
    .map((fraction) => Math.floor(fraction * input.length))
    .sort((left, right) => left - right);
  kernel.bytes.set(input, base);
  kernel.exports[`skip${format}Reset`]();
  let position = 0;
  for (const cut of [...positions, input.length]) {
    const end = kernel.exports[`skip${format}Record`](base + position, base + cut);
    if (end !== 0) return end - base;
    position = cut;
  }
  return 0;
}

function isJsonObject(text: string): boolean {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}
