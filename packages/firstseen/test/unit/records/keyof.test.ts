// The library makes the keys of the command: of NDJSON, of CSV and of objects, however odd they are.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeText } from '../../../src/base/utf8.js';
import { Detector } from '../../../src/detectors/detector.js';
import {
  create,
  dedup,
  type KeyedRecord,
  type KeyOfOptions,
  keyOf as keyOfRecord,
  load,
  save,
} from '../../../src/index.js';
import { loadThreaded, runFiles } from '../../../src/node.js';
import { inLongForm } from '../../support/form.js';
import { randomFrom } from '../../support/random.js';
import { warcRecord } from '../../support/warc.js';

const RECORDS = inLongForm(10_000, 1000);
/** Keys without content are keys too, as for a program. */
const everyKey = { emptyKey: 'key', nullKey: 'value' } as const;
const keyOf = (keys: readonly string[], record: KeyedRecord, options: KeyOfOptions = {}): Uint8Array =>
  keyOfRecord(keys, record, { ...everyKey, ...options }) as Uint8Array;
const detector = { algorithm: 'exact', memory: '4MiB' } as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstseen-keyof-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const random = randomFrom(16);
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

const pieces = [
  ...[
    '',
    'a',
    'b',
    '1',
    ' ',
    '"',
    '\\',
    '/',
    '\n',
    '\r',
    '\t',
    '\b',
    '\f',
    '\u0000',
    '\u001f',
    '\u007f',
    ',',
    '{',
    ']',
  ],
  // One letter composed and decomposed, and letters that NFKC makes equal.
  ...['\u00e9', 'e\u0301', '\ufb01', 'fi', '\u212b', '\u00c5', 'ß', 'ss', '中', '\u{1f600}', '\ufffd', '\ufeff'],
  ...['\ud800', '\ud801', '\ud83d', '\ude00', '\udfff'],
];
const tokens = [
  ...['1', '1.0', '1e0', '1E0', '10e-1', '-1', '0', '-0', '0.1', '18446744073709551616', 'null', 'true', 'false'],
  ...['{}', '[]', '{"a":1}', '{"a": 1}', '{"a":"\\u0061"}', '{"a":"a"}', '[1,2]', '[1, 2]', '[[]]', '[{"id":"x"}]'],
];
const shortEscapes: Record<string, string> = { '"': '\\"', '\\': '\\\\', '/': '\\/', '\b': '\\b', '\f': '\\f' };

function isLone(character: string): boolean {
  return /\p{Surrogate}/u.test(character);
}

/** A character in one of the ways in which JSON can have it. */
function written(character: string): string {
  const short = shortEscapes[character];
  const escaped = () => {
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  };
  if (short !== undefined && random() < 0.5) return short;
  const isRaw = character >= ' ' && !isLone(character) && character !== '"' && character !== '\\';
  return isRaw && random() < 0.7 ? character : escaped();
}

interface OddRecord {
  line: string;
  /** The text of the key with its escapes decoded: what equal keys have in common. */
  identity: string;
  /** Whether a parsed object still has the key as it was written. */
  isPlain: boolean;
}

function oddRecord(): OddRecord {
  const around = () => pick(['', '', ' ', '\t']);
  const wrap = (token: string) =>
    `${pick(['{', '{"b":[{"id":3}],', '{ "x":"}\\"",'])}${around()}"${pick(['id', 'i\\u0064'])}"${around()}:${around()}${token}${around()}}`;
  if (random() < 0.3) {
    const token = pick(tokens);
    const isPlain = JSON.stringify(JSON.parse(token)) === token;
    return { line: wrap(token), identity: token, isPlain };
  }
  const text = Array.from({ length: Math.floor(random() * 4) }, () => pick(pieces)).join('');
  return { line: wrap(`"${[...text].map(written).join('')}"`), identity: `"${text}"`, isPlain: true };
}

const records = Array.from({ length: RECORDS }, oddRecord);
const identities = new Set(records.map(({ identity }) => identity));
const seen = new Set<string>();
const verdicts = records.map(({ identity }) => {
  const isNew = !seen.has(identity);
  seen.add(identity);
  return isNew ? 'distinct' : 'duplicate';
});

function linesOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

async function commandVerdicts(
  name: string,
  content: Uint8Array,
  keys: string[],
  dialect: { delimiter?: string } = {},
): Promise<string[]> {
  const [input, output, state] = [name, `${name}.verdicts`, `${name}.state`].map((file) => join(folder, file));
  await writeFile(input as string, content);
  const format = name.split('.').at(-1);
  await runFiles({
    inputs: [input as string],
    format,
    keys,
    ...dialect,
    detector,
    emit: 'verdicts',
    output,
    state,
    ...everyKey,
  } as never);
  return (await readFile(output as string, 'utf8')).trimEnd().split('\n');
}

function contentsOf(name: string): Promise<Uint8Array> {
  return readFile(join(folder, `${name}.state`));
}

function csvField(bytes: Uint8Array): Buffer {
  return Buffer.from(`"${Buffer.from(bytes).toString('latin1').replaceAll('"', '""')}"`, 'latin1');
}

describe(`${RECORDS} odd keys`, () => {
  test('are many', () => {
    expect(identities.size).toBeGreaterThan(RECORDS / 5);
    expect(identities.size).toBeLessThan(RECORDS * 0.9);
  });

  test('of NDJSON are those of the text of records, and of objects unless these have lost how a value was written', async () => {
    const lines = records.map(({ line }) => line);
    expect(await commandVerdicts('odd.ndjson', linesOf(lines), ['id'])).toEqual(verdicts);
    const loaded = await load(await contentsOf('odd.ndjson'), { keys: ['id'] });
    const ofText = await Detector.create(detector);
    for (const [i, { line, isPlain }] of records.entries()) {
      const key = keyOf(['id'], line);
      expect(ofText.observe(key)).toBe(verdicts[i]);
      expect(loaded.test(key)).toBe('duplicate');
      expect(keyOf(['id'], Buffer.from(line))).toEqual(key);
      if (isPlain) expect(keyOf(['id'], JSON.parse(line))).toEqual(key);
    }
    expect(loaded.stats().load).toBeCloseTo(ofText.stats().load);
  });

  test('are the same as fields of CSV', async () => {
    const keys = records.map(({ line }) => keyOf(['id'], line));
    const rows = Buffer.concat(keys.flatMap((key) => [csvField(key), Buffer.from('\n')]));
    expect(await commandVerdicts('odd.csv', Buffer.concat([Buffer.from('id\n'), rows]), ['id'])).toEqual(verdicts);
    const loaded = await load(await contentsOf('odd.csv'), { keys: ['id'], format: 'csv' });
    for (const [i, { identity }] of records.entries()) {
      const key = keyOf(['id'], { id: identity }, { format: 'csv' });
      expect(key).toEqual(keys[i]);
      expect(loaded.test(key)).toBe('duplicate');
    }
  });

  test('are the same as values of logfmt', async () => {
    const lines = records.map(({ line }) => {
      const key = Buffer.from(keyOf(['id'], line) as Uint8Array).toString('latin1');
      return Buffer.from(`x id="${key.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"\n`, 'latin1');
    });
    expect(await commandVerdicts('odd.logfmt', Buffer.concat(lines), ['id'])).toEqual(verdicts);
    const loaded = await load(await contentsOf('odd.logfmt'), { keys: ['id'], format: 'logfmt' });
    for (const { identity } of records) {
      expect(loaded.test(keyOf(['id'], { id: identity }, { format: 'logfmt' }))).toBe('duplicate');
    }
  });

  test('are the same as blocks of WARC', async () => {
    const contents = records.map(({ line }) => {
      const key = Buffer.from(keyOf(['id'], line) as Uint8Array);
      const fields = { 'WARC-Type': 'resource' };
      return Buffer.from(warcRecord({ fields, block: key.toString('latin1') }), 'latin1');
    });
    expect(await commandVerdicts('odd.warc', Buffer.concat(contents), ['Block'])).toEqual(verdicts);
    const loaded = await load(await contentsOf('odd.warc'), { keys: ['block'], format: 'warc' });
    for (const { identity } of records) {
      expect(loaded.test(keyOf(['block'], { block: identity }, { format: 'warc' }))).toBe('duplicate');
    }
  });

  test('are the same as fields of lines, if they have no line ends and delimiters', async () => {
    const found = records.filter(({ identity }) => !/[\n\r:\p{Surrogate}]/u.test(identity));
    const firsts = found.map(({ identity }, i) => found.findIndex((other) => other.identity === identity) === i);
    const lines = found.map(({ identity }) => `x:${identity}`);
    expect(await commandVerdicts('odd.fields', linesOf(lines), ['2'], { delimiter: ':' })).toEqual(
      firsts.map((isFirst) => (isFirst ? 'distinct' : 'duplicate')),
    );
    const loaded = await load(await contentsOf('odd.fields'), { keys: ['2'], format: 'lines' });
    for (const { identity } of found) {
      expect(loaded.test(keyOf(['2'], ['x', identity], { format: 'fields' }))).toBe('duplicate');
    }
  });

  test('are different from each other, and from all other keys, in a detector of a program', async () => {
    const own = await Detector.create(detector);
    for (const [i, { identity }] of records.entries()) expect(own.observe(identity)).toBe(verdicts[i]);
  });
});

describe('a key of several fields', () => {
  const lines = [
    '{"a":"x","b":{"c":1}}',
    '{"a":"x\\"","b":{"c":1}}',
    '{"b":{"c":"1"},"a":"x"}',
    '{"a":"","b":{"c":null}}',
  ];

  test('is that of the command, for NDJSON and for CSV', async () => {
    await commandVerdicts('several.ndjson', linesOf(lines), ['a', 'b.c']);
    const loaded = await load(await contentsOf('several.ndjson'), { keys: ['a', '["b"].c'] });
    for (const line of lines) {
      expect(loaded.test(keyOf(['a', 'b.c'], line))).toBe('duplicate');
      expect(loaded.test(keyOf(['a', 'b.c'], JSON.parse(line)))).toBe('duplicate');
      expect(loaded.test(keyOf(['b.c', 'a'], line))).toBe('distinct');
    }
    await commandVerdicts('several.csv', Buffer.from('a,b\nab,c\na,bc\n'), ['a', 'b']);
    const rows = await load(await contentsOf('several.csv'), { keys: ['a', 'b'], format: 'tsv' });
    expect(rows.test(keyOf(['a', 'b'], { b: 'c', a: 'ab' }, { format: 'csv' }))).toBe('duplicate');
    expect(rows.test(keyOf(['1', '2'], ['a', 'bc'], { format: 'csv' }))).toBe('duplicate');
    expect(rows.test(keyOf(['a', 'b'], { a: 'abc', b: '' }, { format: 'csv' }))).toBe('distinct');
  });
});

describe('keyOf', () => {
  const refusal = (code: string) => expect.objectContaining({ code });

  test.each<[string, unknown]>([
    ['a field that is missing', '{"a":1}'],
    ['a field of an object that is missing', { a: 1 }],
    ['a field that JSON leaves out', { id: undefined }],
    ['an inherited field', Object.create({ id: 1 })],
    ['a field of another type', { id: undefined, 0: { id: 1 } }],
    ['an empty object', '{}'],
  ])('refuses a record with %s, as the command does', (_what, record) => {
    expect(() => keyOf(['id'], record as object)).toThrow(refusal('E_KEY_MISSING'));
  });

  test.each([
    ['{"id":"a', 'E_RECORD'],
    ['{"id":"\\x"}', 'E_RECORD'],
    ['{"id":"\\u00zz"}', 'E_RECORD'],
    ['{"id":}', 'E_RECORD'],
    ['{"id":1 2}', 'E_RECORD'],
    ['{"id":[1', 'E_RECORD'],
    ['{"id" 1}', 'E_RECORD'],
    ['{"id":1', 'E_RECORD'],
    ['[1]', 'E_RECORD'],
    ['', 'E_RECORD'],
  ])('refuses the text %s, as the command does', async (line, code) => {
    expect(() => keyOf(['id'], line)).toThrow(refusal(code));
    if (line !== '')
      await expect(commandVerdicts('bad.ndjson', linesOf([line]), ['id'])).rejects.toThrow(refusal(code));
  });

  test.each([
    '{"id":1}\n{"id":99}',
    '{"id":1}\n{"id":99}\n',
    '{"id":1}{"id":2}',
    '{"id":{}} {}',
    '{"id":"}"}\n{"id":[]}',
    '{"id":1}}',
    '{"x":"{","id":1},{"id":2}',
    '{"id":1}\njunk',
    '{"id":1} 2',
    '{"id":1}\0',
  ])('refuses %j, which is more than one record', async (text) => {
    for (const record of [text, Buffer.from(text)]) expect(() => keyOf(['id'], record)).toThrow(refusal('E_RECORD'));
    const passed: unknown[] = [];
    const run = async () => {
      for await (const record of dedup(['{"id":1}\n', text], { ...detector, keys: ['id'] })) passed.push(record);
    };
    await expect(run()).rejects.toThrow(refusal('E_RECORD'));
    expect(passed).toEqual(['{"id":1}\n']);
  });

  test.each([
    '{"id":1}\n',
    '{"id":1}\r\n',
    ' \n{"id":1} \n\n',
    '{\n  "x": ["}{"],\n  "id": 1\n}\n',
    '{"id":1,"x":{"a":"\\"}{"}}',
  ])('takes one record with blanks around it: %j', (text) => {
    expect(keyOf(['id'], text)).toEqual(encodeText('1'));
  });

  test('refuses what is not a record, and keys that are none', () => {
    expect(() => keyOf(['id'], 7 as never)).toThrow(refusal('E_KEY'));
    expect(() => keyOf(['id'], 'a,b', { format: 'csv' })).toThrow(refusal('E_KEY'));
    const cyclic: { id?: unknown } = {};
    cyclic.id = cyclic;
    expect(() => keyOf(['id'], cyclic)).toThrow(refusal('E_KEY'));
    expect(() => keyOf([], {})).toThrow(refusal('E_PARAMETER'));
    expect(() => keyOf('id' as never, {})).toThrow(refusal('E_PARAMETER'));
    expect(() => keyOf(['a..b'], {})).toThrow(refusal('E_USAGE'));
    expect(() => keyOf(['id'], {}, { format: 'lines' })).toThrow(refusal('E_USAGE'));
    expect(() => keyOf(['0'], [], { format: 'fields' })).toThrow(refusal('E_USAGE'));
    expect(() => keyOf(['1'], 'a b', { format: 'fields' })).toThrow(refusal('E_KEY'));
  });

  test('takes values as JSON has them, and the first of repeated names', () => {
    const date = new Date(0);
    expect(keyOf(['id'], { id: date })).toEqual(keyOf(['id'], JSON.stringify({ id: date })));
    expect(keyOf(['id'], { id: 2n ** 70n })).toEqual(keyOf(['id'], `{"id":${2n ** 70n}}`));
    expect(keyOf(['id[1].x'], { id: [0, { x: 'é' }] })).toEqual(keyOf(['id[1].x'], '{"id":[0,{"x":"\\u00e9"}]}'));
    expect(keyOf(['id'], '{"id":1,"id":2}')).toEqual(encodeText('1'));
    expect(keyOf(['id'], { id: [undefined] })).toEqual(keyOf(['id'], '{"id":[null]}'));
  });
});

describe('the key scheme of a snapshot', () => {
  const difference = (message: RegExp) =>
    expect.objectContaining({ code: 'E_STATE_DIFFERS', message: expect.stringMatching(message) });

  test('of the command has to be named, so that no key is made differently', async () => {
    await commandVerdicts('user.ndjson', Buffer.from('{"user":{"id":"e1"}}\n'), ['user.id']);
    const state = await contentsOf('user.ndjson');
    const unnamed =
      /^the keys of this snapshot are made from user.id of ndjson records, and no keys were given; give keys \["user.id"\] and format ndjson, and make each key with keyOf$/;
    await expect(load(state)).rejects.toThrow(difference(unnamed));
    await expect(loadThreaded(state, { threads: 1 })).rejects.toThrow(difference(unnamed));
    await expect(load(state, { keys: ['id'] })).rejects.toThrow(difference(/, not made from id of ndjson records;/));
    await expect(load(state, { keys: ['user.id'], format: 'csv' })).rejects.toThrow(
      difference(/, not made from user.id of csv/),
    );
    const loaded = await load(state, { keys: ['["user"].id'] });
    expect(loaded.settings.keyScheme).toEqual({ format: 'ndjson', keys: ['user.id'] });
    const records = [{ user: { id: 'e1' } }, { user: { id: 'e2' } }];
    const passed: unknown[] = [];
    for await (const record of dedup(records, { detector: loaded })) passed.push(record);
    expect(passed).toEqual([records[1]]);
  });

  test('goes on in snapshots of the program, with which the command goes on', async () => {
    const own = await create({ ...detector, keys: ['id'] });
    for await (const _ of dedup([{ id: 'a' }, { id: 'b' }], { detector: own }));
    const state = join(folder, 'library.state');
    await writeFile(state, await save(await load(await save(own), { keys: ['id'] })));
    const run = async (lines: string[], name: string, format = 'ndjson', keys = ['id']) => {
      const [input, output] = [join(folder, name), join(folder, `${name}.out`)];
      await writeFile(input, linesOf(lines));
      await runFiles({ inputs: [input], format, keys, output, state } as never);
      return readFile(output, 'utf8');
    };
    await expect(run(['x,y', '1,2'], 'other.csv', 'csv', ['x'])).rejects.toThrow(
      difference(/records are ndjson by id in the state/),
    );
    expect(await run(['{"id":"b"}', '{"id":"c"}'], 'one.ndjson')).toBe('{"id":"c"}\n');
    expect(await run(['{"id":"c"}', '{"id":"d"}'], 'two.ndjson')).toBe('{"id":"d"}\n');
    const later = await load(await readFile(state), { keys: ['id'] });
    expect(['a', 'b', 'c', 'd', 'e'].map((id) => later.test(keyOf(['id'], { id })))).toEqual([
      ...Array.from({ length: 4 }, () => 'duplicate'),
      'distinct',
    ]);
  });

  test('of whole lines need not be named, and a snapshot without a scheme takes any', async () => {
    const lines = await create({ ...detector, format: 'lines' });
    lines.observe('a');
    expect((await load(await save(lines))).test('a')).toBe('duplicate');
    await expect(load(await save(lines), { keys: ['id'] })).rejects.toThrow(
      difference(/are whole lines, not made from id/),
    );
    const unknown = await save(await create(detector));
    const named = await load(unknown, { keys: ['id'] });
    expect(named.settings.keyScheme).toEqual({ format: 'ndjson', keys: ['id'] });
    await expect(load(await save(named))).rejects.toThrow(difference(/made from id of ndjson/));
  });

  test('is checked where it is given', async () => {
    const refusal = expect.objectContaining({ code: 'E_PARAMETER' });
    await expect(create({ ...detector, keys: [] })).rejects.toThrow(refusal);
    await expect(create({ ...detector, format: 'csv' })).rejects.toThrow(refusal);
    await expect(create({ ...detector, format: 'xml' as never, keys: ['a'] })).rejects.toThrow(refusal);
    await expect(create({ ...detector, format: 'lines', keys: ['a'] })).rejects.toThrow(
      expect.objectContaining({ code: 'E_USAGE' }),
    );
    await expect(save(await create({ ...detector, keys: ['x'.repeat(70_000)] }))).rejects.toThrow(refusal);
  });
});
