// Keys that rules make equal: the scanner in the kernel, and what it leaves to its host, against the simplest form of the rules, for
// any cut of the input into chunks.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { create, dedup, dedupBytes, type EqualityOptions, keyOf, load, save } from '../../src/index.js';
import { runFiles } from '../../src/node.js';
import type { Equality } from '../../src/records/equality.js';
import { temporaryFolder } from '../cli/support/command.js';
import { fieldKey, jsonKey } from '../reference/equality.js';
import { inLongForm, sampleNote, sampleOf } from '../support/form.js';
import { randomFrom } from '../support/random.js';

const RECORDS = inLongForm(3000, 1000);

type Random = () => number;
const below = (random: Random, most: number) => Math.floor(random() * most);
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[below(random, items.length)] as Item;

const spaces = ['', '', ' ', '  ', '\t', '\u00a0', '\u3000', '\ufeff', '\v'];
const words = [
  ...[
    'a',
    'A',
    'b',
    'key',
    'KEY',
    'Key of sixteen b',
    'KEY OF MORE THAN SIXTEEN BYTES',
    'key of more than sixteen bytes',
  ],
  ...[
    'é',
    'E\u0301',
    'e\u0301',
    'É',
    'ß',
    'SS',
    'ss',
    'ﬁ',
    'fi',
    'ΣΑΣ',
    'σας',
    'σασ',
    'İ',
    'ı',
    'I',
    'Ａ１',
    'A1',
    '\ufdfa',
    '𝒳',
    'x',
  ],
  ...['\u0390', 'ΐ', '\u1d160', '가', '\u1100\u1161', 'null', 'true'],
];
const numbers = [
  ...[
    '0',
    '-0',
    '0.0',
    '00',
    '1',
    '1.0',
    '01',
    '1e0',
    '10e-1',
    '+1',
    '.1e1',
    '1.',
    '100',
    '1e2',
    '1E+2',
    '0.5',
    '5e-1',
    '-.5',
    '-0.50',
  ],
  ...[
    '12345678901234567890123',
    '12345678901234567890124',
    '1e63',
    '1e64',
    '1e65',
    '10e64',
    '1e999999999999999',
    '1e-999999999999999',
  ],
  ...[
    `1${'0'.repeat(63)}`,
    `1${'0'.repeat(64)}`,
    `1${'0'.repeat(70)}`,
    `${'9'.repeat(70)}`,
    `0${'9'.repeat(70)}`,
    '1e9999999999999999',
  ],
  ...[
    '-',
    '+',
    '.',
    'e1',
    '1e',
    '1e+',
    '1e1.0',
    '1 2',
    '--1',
    '0x1',
    '1_0',
    'NaN',
    '-12',
    '-012',
    '1.5',
    '15e-1',
    '1.50',
  ],
];

const options: readonly Equality[] = [
  { ignoresCase: true },
  { trims: true },
  { normalize: 'nfc' },
  { normalize: 'nfkc' },
  { numbersByValue: true },
  { ignoresCase: true, trims: true, normalize: 'nfc' },
  { ignoresCase: true, trims: true, normalize: 'nfkc', numbersByValue: true },
  { trims: true, numbersByValue: true },
];

/** Writes bytes in chunks of random lengths. */
async function write(stream: WritableStream<Uint8Array>, bytes: Uint8Array, random: Random): Promise<void> {
  const writer = stream.getWriter();
  for (let at = 0; at < bytes.length; ) {
    const next = Math.min(bytes.length, at + 1 + below(random, pick(random, [3, 40, 4000])));
    await writer.write(bytes.subarray(at, next));
    at = next;
  }
  await writer.close();
}

/** The records that pass. */
async function passed(records: readonly Uint8Array[], random: Random, asked: object): Promise<string[]> {
  const bytes = Buffer.concat(records.map((record) => Buffer.concat([record, Buffer.from('\n')])));
  const stream = dedupBytes({ algorithm: 'exact', memory: '4MiB', emptyKey: 'key', ...asked });
  const read = new Response(stream.readable).arrayBuffer();
  const [output] = await Promise.all([read, write(stream.writable, bytes, random)]);
  return Buffer.from(output).toString('latin1').split('\n').slice(0, -1);
}

/** The records that are the first of their key. */
function first(records: readonly Uint8Array[], keyed: (record: Uint8Array, index: number) => string): string[] {
  const seen = new Set<string>();
  return records.flatMap((record, index) => {
    const key = keyed(record, index);
    if (seen.has(key)) return [];
    seen.add(key);
    return [Buffer.from(record).toString('latin1')];
  });
}

function textFor(random: Random): Uint8Array {
  const text = `${pick(random, spaces)}${random() < 0.3 ? pick(random, numbers) : pick(random, words)}${pick(random, spaces)}`;
  const bytes = Buffer.from(text);
  // Bytes that are not UTF-8.
  return random() < 0.05 ? Buffer.concat([bytes, Buffer.from([0xff]), Buffer.from(pick(random, spaces))]) : bytes;
}

describe.each(sampleOf(options, 3))(`%o${sampleNote}`, (equality) => {
  test('lines', async () => {
    const random = randomFrom(1);
    const records = Array.from({ length: RECORDS }, () => textFor(random));
    const expected = first(records, (record) => fieldKey(record, equality));
    expect(expected.length).toBeGreaterThan(50);
    expect(expected.length).toBeLessThan(RECORDS);
    expect(await passed(records, random, { format: 'lines', ...equality })).toEqual(expected);
    const keys = records.map((record) => keyOf([], record, { format: 'lines', ...equality }) as Uint8Array);
    expect(first(records, (_, i) => Buffer.from(keys[i] as Uint8Array).toString('latin1'))).toEqual(expected);
    // The keys of programs are those of the scanner, byte for byte.
    const detector = await create({ algorithm: 'exact', memory: '4MiB', format: 'lines', ...equality });
    await passed(records, random, { detector, algorithm: undefined, memory: undefined, emptyKey: undefined });
    expect([...detector.testMany(keys)]).not.toContain(0);
  });

  test.each(['csv', 'tsv'] as const)('two fields of %s', async (format) => {
    const random = randomFrom(2);
    const between = format === 'csv' ? ',' : '\t';
    const field = () => Buffer.from(textFor(random)).toString('latin1').replaceAll('\t', ' ').replaceAll(',', ';');
    const fields: string[][] = [];
    // Some rows repeat an earlier one, because equal pairs of fields are rarely drawn.
    for (let i = 0; i < RECORDS; i++) {
      fields.push(i > 0 && random() < 0.05 ? (fields[below(random, i)] as string[]) : [field(), field()]);
    }
    const written = (one: string) => (format === 'csv' && random() < 0.3 ? `"${one}"` : one);
    const records = fields.map((row) => Buffer.from(['id', ...row.map(written)].join(between), 'latin1'));
    const keyed = (_: unknown, i: number) =>
      JSON.stringify((fields[i] as string[]).map((one) => fieldKey(Buffer.from(one, 'latin1'), equality)));
    const expected = first(records, keyed);
    expect(expected.length).toBeLessThan(RECORDS);
    expect(await passed(records, random, { format, keys: ['2', '3'], hasHeader: false, ...equality })).toEqual(
      expected,
    );
  });

  test.each([['id'], ['id', 'other']])('members %o of ndjson', async (...keys) => {
    const random = randomFrom(3);
    const isNumber = (text: string) => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
    const values = [
      ...numbers.filter(isNumber),
      'null',
      'true',
      '[1.0]',
      '[1]',
      '{"b":1,"a":2}',
      '{"a":2,"b":1}',
      '""',
    ];
    const escaped = (text: string) =>
      [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const value = () => {
      if (random() < 0.4) return pick(random, values);
      const text = `${pick(random, spaces)}${pick(random, words)}${pick(random, spaces)}`;
      return random() < 0.2 && /^[\0-\uffff]*$/u.test(text) ? `"${escaped(text)}"` : JSON.stringify(text);
    };
    const members = Array.from({ length: RECORDS }, () => keys.map(value));
    const text = (row: readonly string[]) => `{"x":1,${row.map((one, i) => `"${keys[i]}": ${one}`).join(',')}}`;
    const records = members.map((row) => Buffer.from(text(row)));
    const keyed = (_: unknown, i: number) =>
      JSON.stringify((members[i] as string[]).map((one) => jsonKey(one, equality)));
    const expected = first(records, keyed);
    expect(expected.length).toBeLessThan(RECORDS);
    const asked: EqualityOptions & { keys: readonly string[] } = { keys, ...equality };
    expect(await passed(records, random, { nullKey: 'value', ...asked })).toEqual(expected);
    const detector = await create({ algorithm: 'exact', memory: '4MiB', ...asked });
    const kept: string[] = [];
    const lines = records.map((record) => record.toString());
    for await (const line of dedup(lines, { detector, emptyKey: 'key', nullKey: 'value' })) {
      kept.push(Buffer.from(line).toString('latin1'));
    }
    expect(kept).toEqual(expected);
  });
});

describe('objects with members in any order', () => {
  const random = randomFrom(4);
  const scalars = ['1', '1.0', '2', '"a"', '"\\u0061"', '"é"', 'null', 'true', '""', '"\\ud800"'];
  const names = ['a', 'b', 'ab', 'é', '\u{1f600}', '\uffff', '"', 'a:', ''];
  const blank = () => pick(random, ['', '', ' ', '\t', '  ']);
  const valueAt = (depth: number): string => {
    const kind = random();
    if (depth === 0 || kind < 0.5) return pick(random, scalars);
    const count = below(random, 3);
    if (kind < 0.7)
      return `[${Array.from({ length: count }, () => `${blank()}${valueAt(depth - 1)}${blank()}`).join(',')}]`;
    return objectOf(depth);
  };
  function objectOf(depth: number): string {
    const chosen = [...new Set(Array.from({ length: below(random, 4) }, () => pick(random, names)))];
    const member = (name: string) =>
      `${blank()}${JSON.stringify(name)}${blank()}:${blank()}${valueAt(depth - 1)}${blank()}`;
    return `{${chosen.map(member).join(',')}}`;
  }

  test('as whole records', async () => {
    const records = Array.from({ length: RECORDS }, () => Buffer.from(objectOf(2)));
    const expected = first(records, (record) => jsonKey(Buffer.from(record).toString(), { ignoresOrder: true }));
    expect(expected.length).toBeGreaterThan(200);
    expect(expected.length).toBeLessThan(RECORDS - 200);
    expect(await passed(records, random, { format: 'ndjson', ignoresOrder: true })).toEqual(expected);
  });

  test('as keys', async () => {
    const values = Array.from({ length: RECORDS }, () => valueAt(2));
    const records = values.map((value) => Buffer.from(`{"id": ${value}}`));
    const expected = first(records, (_, i) => jsonKey(values[i] as string, { ignoresOrder: true }));
    const asked = { keys: ['id'], nullKey: 'value', ignoresOrder: true };
    expect(await passed(records, random, asked)).toEqual(expected);
  });

  test('unless they are not JSON, or have very many levels', async () => {
    const deep = `{"id":${'['.repeat(300)}${']'.repeat(300)}}`;
    const records = ['{"id":{a:1}}', '{"id":{a: 1}}', deep, deep.replace('[[', '[ [')].map((text) => Buffer.from(text));
    expect(await passed(records, random, { keys: ['id'], ignoresOrder: true })).toHaveLength(4);
  });
});

test('a long field is not a number', () => {
  const long = 'x'.repeat(500_000);
  expect(keyOf(['1'], [long], { format: 'csv', numbersByValue: true })).toEqual(new TextEncoder().encode(long));
});

test('a key that grows too long makes its record too long', async () => {
  const records = ['\ufdfa'.repeat(10), '\ufdfa'.repeat(1000)].map((text) => Buffer.from(text));
  await expect(passed(records, randomFrom(5), { format: 'lines', normalize: 'nfkc' })).rejects.toMatchObject({
    code: 'E_RECORD',
  });
});

describe('the rules are kept', () => {
  test('in snapshots, which are loaded only with the same', async () => {
    const rules = { keys: ['id'], ignoresCase: true, normalize: 'nfc' } as const;
    const detector = await create({ memory: '1KiB', ...rules });
    const snapshot = await save(detector);
    expect((await load(snapshot, rules)).settings.keyScheme).toEqual(detector.settings.keyScheme);
    for (const others of [{ keys: ['id'] }, { ...rules, normalize: 'nfkc' }, {}] as const) {
      await expect(load(snapshot, others)).rejects.toMatchObject({
        code: 'E_STATE_DIFFERS',
        remedy: expect.stringMatching(/ignoresCase: true, normalize: "nfc"/),
      });
    }
    const written = '{"format":"ndjson","keys":["id"],"equality":{';
    expect(Buffer.from(snapshot).toString('latin1')).toContain(written);
  });

  test('in states, whose later runs must give the same', async () => {
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    writeFileSync(at('first'), 'a\nB\n');
    writeFileSync(at('second'), 'A\nb\nc\n');
    const common = { state: at('state'), detector: { algorithm: 'exact', memory: '1MiB' } } as const;
    await runFiles({ ...common, inputs: [at('first')], output: at('out'), ignoresCase: true });
    const later = { ...common, inputs: [at('second')], output: at('more') };
    await expect(runFiles(later)).rejects.toThrow(/lines by whole records without regard to case in the state, not/);
    await runFiles({ ...later, ignoresCase: true });
    expect(readFileSync(at('more'), 'utf8')).toBe('c\n');
  });

  test.each([
    [{ ignoresCase: true }, /ignoresCase was given, but the program makes the keys/],
    [{ keys: ['id'], normalize: 'nfd' }, /^normalize is "nfd", but must be one of nfc, nfkc/],
    [{ keys: ['id'], trims: 1 }, /^trims is 1, but must be true or false/],
    [{ format: 'csv', keys: ['id'], ignoresOrder: true }, /records of format csv have no members/],
  ])('%o is refused', async (asked, says) => {
    await expect(create({ memory: '1KiB', ...asked } as never)).rejects.toThrow(says);
  });
});
