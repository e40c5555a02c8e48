// Records without a usable key: streams of records treat them as streams of bytes and the command do.

import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { encodeText } from '../../../src/base/utf8.js';
import {
  create,
  type DedupOptions,
  dedup,
  dedupBytes,
  dedupStream,
  type KeyPolicyOptions,
  keyOf,
} from '../../../src/index.js';
import { dedupTransform } from '../../../src/node.js';
import { inLongForm, pairsOf, sampleNote } from '../../support/form.js';

const settings = { algorithm: 'exact', memory: 65536 } as const;

interface Row {
  a: number;
  id?: unknown;
  x?: unknown;
}

/** Each row is also a line of JSON. */
const rows: Row[] = [
  { id: null },
  { id: null },
  { id: '' },
  { id: '' },
  { id: 'x' },
  { id: 'x' },
  { x: 1 },
  { x: 1 },
  { id: 'null' },
  { id: 'null' },
  { id: [] },
  { id: [] },
  { id: null, x: '' },
  { id: '', x: 'y' },
  { id: null, x: 'y' },
  { id: '', x: 'y' },
].map((row, a) => ({ ...row, a }));

function webStreamOf<Item>(items: Item[]): ReadableStream<Item> {
  return Readable.toWeb(Readable.from(items)) as ReadableStream<Item>;
}

type Host = (source: Row[], options: DedupOptions<Row> & { keys: string[] }) => AsyncIterable<Row>;

const deliver = async (): Promise<void> => undefined;
const hosts: Record<string, Host> = {
  dedup: (source, options) => dedup(source, options),
  'dedup with deliver': (source, options) => dedup(source, { ...options, deliver, concurrency: 3 }),
  dedupStream: (source, options) => webStreamOf(source).pipeThrough(dedupStream(options)),
  dedupTransform: (source, options) => Readable.from(source).pipe(dedupTransform(options)),
};

async function passedBytes(keys: string[], policies: KeyPolicyOptions): Promise<number[]> {
  const bytes = encodeText(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const passed = webStreamOf([bytes]).pipeThrough(dedupBytes({ ...settings, keys, ...policies }));
  const lines = (await new Response(passed).text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as Row).a);
}

async function numbersOf(items: AsyncIterable<Row>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { a } of items) numbers.push(a);
  return numbers;
}

const policies = (['distinct', 'drop'] as const).flatMap((missingKey) =>
  (['distinct', 'drop', 'key', undefined] as const).flatMap((emptyKey) =>
    (['empty', 'missing', 'value', undefined] as const).map((nullKey) => ({ missingKey, emptyKey, nullKey })),
  ),
);

const products = policies.flatMap((asked) => [['id'], ['id', 'x']].map((keys) => ({ asked, keys })));
const keyed = pairsOf(products, ({ asked, keys }) => [asked.missingKey, asked.emptyKey, asked.nullKey, keys]);

describe.each(Object.entries(hosts))('%s', (_name, host) => {
  test(`passes the records that a stream of bytes passes, with all policies${sampleNote}`, async () => {
    const results = new Set<string>();
    for (const { asked, keys } of keyed) {
      const passed = await numbersOf(host(rows, { ...settings, keys, ...asked }));
      expect(passed, JSON.stringify([asked, keys])).toEqual(await passedBytes(keys, asked));
      results.add(passed.join());
    }
    expect(results.size).toBeGreaterThan(inLongForm(10, 7));
  });

  test('keeps all records whose key is empty or null by default, and marks none of them', async () => {
    const detector = await create({ ...settings, keys: ['id'] });
    expect(await numbersOf(host(rows.slice(0, 6), { detector } as never))).toEqual([0, 1, 2, 3, 4]);
    expect(detector.observed).toBe(2);
  });

  test('fails where a policy says so', async () => {
    const refused = (text: string) =>
      expect.objectContaining({ code: 'E_KEY_MISSING', message: expect.stringContaining(text) });
    const run = (asked: KeyPolicyOptions, source = rows) =>
      numbersOf(host(source, { ...settings, keys: ['id'], ...asked }));
    await expect(run({})).rejects.toThrow(refused('no value for the key id; '));
    await expect(run({ emptyKey: 'fail' })).rejects.toThrow(refused('empty value for the key id; '));
    await expect(run({ nullKey: 'missing' }, rows.slice(0, 1))).rejects.toThrow(refused('no value for the key id; '));
  });

  test('refuses policies that are not words of theirs, or for keys that are not fields', async () => {
    const refused = (text: string) =>
      expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining(text) });
    const run = (asked: object) => numbersOf(host(rows, { ...settings, ...asked } as never));
    await expect(run({ keys: ['id'], emptyKey: 'pass' })).rejects.toThrow(refused('emptyKey is "pass"'));
    await expect(run({ keys: ['id'], missingKey: '' })).rejects.toThrow(refused('missingKey is ""'));
    await expect(run({ emptyKey: 'drop' })).rejects.toThrow(refused('emptyKey was given, but the keys'));
    await expect(run({ keys: ['id'], key: () => 1, nullKey: 'value' })).rejects.toThrow(refused('nullKey was given'));
  });

  test('refuses a symbol as a key', async () => {
    const key = () => Symbol('dropped') as never;
    await expect(numbersOf(host(rows, { ...settings, key } as never))).rejects.toMatchObject({ code: 'E_KEY' });
  });
});

test('dropped records go to onDuplicate, in their order', async () => {
  const dropped: number[] = [];
  const onDuplicate = ({ a }: Row) => void dropped.push(a);
  const asked = { ...settings, keys: ['id'], emptyKey: 'drop', onDuplicate } as const;
  expect(await numbersOf(dedup(rows.slice(0, 6), asked))).toEqual([4]);
  expect(dropped).toEqual([0, 1, 2, 3, 5]);
});

test('a record without a key does not move a window in time', async () => {
  const times = [0, 9, 1];
  const options = { memory: 65536, window: '5ms', keys: ['id'], time: ({ a }: Row) => times[a] as number };
  const timed = [{ id: 'x' }, { id: '' }, { id: 'x' }].map((row, a) => ({ ...row, a }));
  expect(await numbersOf(dedup(timed, options))).toEqual([0, 1]);
});

test('a record without a key whose delivery is rejected is not passed', async () => {
  const rejected: number[] = [];
  const options = {
    ...{ ...settings, keys: ['id'] },
    deliver: async ({ a }: Row) => {
      if (a === 1) throw new Error('no');
    },
    onRejected: ({ a }: Row) => void rejected.push(a),
  };
  expect(await numbersOf(dedup(rows.slice(0, 5), options))).toEqual([0, 2, 3, 4]);
  expect(rejected).toEqual([1]);
});

describe('keyOf', () => {
  test.each<[string, object | string]>([
    ['an empty text', '{"id":""}'],
    ['an empty text in an object', { id: '' }],
    ['a null', '{"id": null }'],
    ['a null in an object', { id: null }],
  ])('has no key for %s, unless it counts as a key', (_what, record) => {
    expect(keyOf(['id'], record)).toBeUndefined();
    expect(keyOf(['id'], record, { emptyKey: 'drop' })).toBeUndefined();
    expect(keyOf(['id'], record, { emptyKey: 'key' })).toBeInstanceOf(Uint8Array);
    expect(() => keyOf(['id'], record, { emptyKey: 'fail' })).toThrow('empty value for the key id');
  });

  test('has keys for nulls that are values, and none for missing keys that pass', () => {
    expect(keyOf(['id'], { id: null }, { nullKey: 'value' })).toEqual(encodeText('null'));
    expect(() => keyOf(['id'], { id: null }, { nullKey: 'missing' })).toThrow('no value for the key id');
    expect(keyOf(['id'], {}, { missingKey: 'distinct' })).toBeUndefined();
  });

  test('has no key for an empty field of a row, and one for two fields of which one is empty', () => {
    expect(keyOf(['1'], ['', 'x'], { format: 'csv' })).toBeUndefined();
    expect(keyOf(['1', '2'], ['', 'x'], { format: 'csv' })).toBeInstanceOf(Uint8Array);
    expect(keyOf(['1', '2'], ['', ''], { format: 'tsv' })).toBeUndefined();
    expect(keyOf(['id'], { id: 'null' }, { format: 'csv' })).toEqual(encodeText('null'));
  });
});
