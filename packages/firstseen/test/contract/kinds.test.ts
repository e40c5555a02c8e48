// Integers are other keys than text and bytes, in every way in which a program or the command gives keys.

import { describe, expect, test } from 'vitest';
import { createThreaded } from '../../dist/node.js';
import type { DetectorOptions } from '../../src/detectors/settings.js';
import { create, createClaims, createPool, dedup, dedupBytes, load, save } from '../../src/index.js';

/** The same eight bytes as text, as bytes and as an integer. */
const text = 'AAAAAAAA';
const bytes = new TextEncoder().encode(text);
const integer = 0x4141414141414141n;
const records = new Uint8Array(BigUint64Array.of(integer, integer).buffer);

/** The integer whose bits are the polynomial of the text abc under Rabin. */
const polynomial = 0x01616263;

const exact = { algorithm: 'exact', memory: '64KiB' } as const;
const hashed: [string, DetectorOptions][] = [
  ['xxh64', exact],
  ['xxh64 with a seed', { ...exact, seed: 2n ** 64n - 1n }],
  ['rabin', { ...exact, fingerprint: 'rabin' }],
  ['siphash', { ...exact, secret: '00112233445566778899aabbccddeeff' }],
];

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe.each(hashed)('with %s', (_, options) => {
  test('single keys', async () => {
    const detector = await create(options);
    const keys = [text, integer, bytes, 'abc', polynomial];
    expect(keys.map((key) => detector.observe(key))).toEqual([
      ...['distinct', 'distinct', 'duplicate'],
      ...['distinct', 'distinct'],
    ]);
  });

  test('batches of keys', async () => {
    const detector = await create(options);
    expect([...detector.observeMany([integer, text, bytes, polynomial, 'abc', integer])]).toEqual([0, 0, 1, 0, 0, 1]);
    expect(detector.observe(integer)).toBe('duplicate');
  });

  test('fingerprints that are given', async () => {
    const detector = await create(options);
    detector.observeBatch(BigUint64Array.of(detector.fingerprint(integer)));
    expect([detector.test(integer), detector.test(text)]).toEqual(['duplicate', 'distinct']);
  });

  test('iterables, also with deliveries, and claims', async () => {
    const keys = [text, integer, bytes, integer];
    const passed = [text, integer];
    expect(await collected(dedup(keys, options))).toEqual(passed);
    expect(await collected(dedup(keys, { ...options, deliver: async () => undefined }))).toEqual(passed);
    const claims = createClaims(await create(options));
    expect(keys.map((key) => claims.claim(key).verdict)).toEqual(['distinct', 'distinct', 'pending', 'pending']);
  });

  test('records of integers, beside keys of the program', async () => {
    const detector = await create(options);
    detector.observe(text);
    const stream = new Blob([records]).stream().pipeThrough(dedupBytes({ detector, format: 'u64' }));
    expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(records.subarray(0, 8));
    expect([detector.test(integer), detector.observed]).toEqual(['duplicate', 3]);
  });

  test('records of text, beside keys of the program', async () => {
    const detector = await create(options);
    detector.observe(integer);
    const lines = new TextEncoder().encode(`${text}\n`);
    const stream = new Blob([lines]).stream().pipeThrough(dedupBytes({ detector, format: 'lines' }));
    expect(await new Response(stream).text()).toBe(`${text}\n`);
  });

  test('pools', async () => {
    const { memory, ...detector } = options;
    const pool = await createPool({ memory: '1MiB', detector: { ...detector, memory } });
    expect([text, integer, bytes].map((key) => pool.get('a').observe(key))).toEqual([
      ...['distinct', 'distinct', 'duplicate'],
    ]);
  });

  test('threads', async () => {
    const threaded = await createThreaded({ ...options, algorithm: 'qht' }, { threads: 2 });
    try {
      const plain = await create({ ...options, algorithm: 'qht' });
      expect(threaded.threads).toBe(2);
      expect(threaded.fingerprint(integer)).toBe(plain.fingerprint(integer));
      expect(threaded.fingerprint(integer)).not.toBe(threaded.fingerprint(text));
    } finally {
      await threaded.close();
    }
  });

  test('snapshots', async () => {
    const detector = await create(options);
    detector.observe(integer);
    const snapshot = await save(detector);
    const loaded = await load(snapshot);
    expect([loaded.test(integer), loaded.test(text)]).toEqual(['duplicate', 'distinct']);
    expect(await save(loaded)).toEqual(snapshot);
  });
});

test('a number and a bigint of the same value are one key, and so are text and its bytes', async () => {
  const detector = await create(exact);
  expect([7, 7n, '7', Uint8Array.of(0x37)].map((key) => detector.observe(key))).toEqual([
    ...['distinct', 'duplicate', 'distinct', 'duplicate'],
  ]);
});

test('under identity, every key is an integer, and text has its digits', async () => {
  const detector = await create({ ...exact, fingerprint: 'identity' });
  expect([7, '7', '007'].map((key) => detector.observe(key))).toEqual(['distinct', 'duplicate', 'duplicate']);
});
