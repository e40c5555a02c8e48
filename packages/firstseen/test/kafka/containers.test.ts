// Containers give back the records that they were made of, and nothing else is taken for one.

import { expect, it } from 'vitest';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import { type ContainerNote, containersOf, decodeContainer } from '../../src/kafka/repartition/containers.js';

const note: ContainerNote = { group: 'dedup', scheme: '{"keys":["id"]}' };

function messageOf(value: Uint8Array | null): KafkaRecord {
  return { partition: 3, offset: 17, timestamp: 5, key: null, value, headers: undefined };
}

function recordOf(i: number, changes: Partial<KafkaRecord> = {}): KafkaRecord {
  return {
    ...{ partition: i % 5, offset: 1000 * i, timestamp: 1_700_000_000_000 + i },
    ...{ key: Buffer.from(`k${i}`), value: Buffer.from(`v${i}`), headers: undefined },
    ...changes,
  };
}

const records = [
  recordOf(0),
  recordOf(1, { key: null, value: null, timestamp: -1 }),
  recordOf(2, { key: Buffer.alloc(0), value: Buffer.alloc(0), timestamp: 0 }),
  recordOf(3, {
    headers: [{ '': Buffer.alloc(0) }, { trace: Buffer.from([0, 255]) }, { trace: Buffer.from('\u00e9') }],
  }),
  recordOf(4, { offset: Number.MAX_SAFE_INTEGER, timestamp: Number.MAX_SAFE_INTEGER - 1 }),
  recordOf(5, { value: Buffer.alloc(300_000, 7) }),
  recordOf(6, { value: Buffer.alloc(300_000, 8) }),
  recordOf(7, { value: Buffer.alloc(900_000, 9) }),
  recordOf(8),
];

it('gives the records back, with their places and those of the container', () => {
  const containers = [...containersOf(note, records)];
  expect(containers).toHaveLength(4);
  const found = containers.flatMap((value) => decodeContainer(messageOf(value), note));
  const expected = records.map(({ partition, offset, ...rest }) => ({
    ...rest,
    ...{ partition: 3, offset: 17, sourcePartition: partition, sourceOffset: offset },
  }));
  expect(found).toEqual(expected);
  expect([...containersOf(note, [])]).toEqual([]);
});

it('keeps a header whose value the client has as a prototype', () => {
  const header = Object.setPrototypeOf({}, Buffer.from('p'));
  const [value] = [...containersOf(note, [recordOf(1, { headers: [header] })])] as [Buffer];
  const [found] = decodeContainer(messageOf(value), note);
  const [only] = found?.headers ?? [];
  expect(Object.getOwnPropertyDescriptor(only, '__proto__')?.value).toEqual(Buffer.from('p'));
});

it('is not longer than what brokers take, unless it has one record', () => {
  const many = Array.from({ length: 9000 }, (_, i) => recordOf(i, { value: Buffer.alloc(200) }));
  const sizes = [...containersOf(note, many)].map(({ length }) => length);
  expect(sizes.length).toBeGreaterThan(3);
  for (const size of sizes) expect(size).toBeLessThan(2 ** 19 + 200);
});

it('passes over containers of other groups, and refuses another scheme', () => {
  const [own] = [...containersOf(note, [recordOf(1)])] as [Buffer];
  expect(decodeContainer(messageOf(own), { ...note, group: 'other' })).toEqual([]);
  expect(() => decodeContainer(messageOf(own), { ...note, scheme: '{"keys":["x"]}' })).toThrow(
    'the group dedup has partitioned records by {"keys":["id"]}, not by {"keys":["x"]}',
  );
});

it('refuses what is not a whole container of this version', () => {
  const [whole] = [...containersOf(note, records.slice(0, 5))] as [Buffer];
  expect(() => decodeContainer(messageOf(null), note)).toThrow(/it has no value/);
  expect(() => decodeContainer(messageOf(Buffer.from('{"id":1}')), note)).toThrow(/it does not begin as one/);
  for (let length = 0; length < whole.length; length++) {
    expect(() => decodeContainer(messageOf(whole.subarray(0, length)), note)).toThrow(/is not a container of records/);
  }
  expect(() => decodeContainer(messageOf(Buffer.concat([whole, Buffer.of(0)])), note)).toThrow(/it is too long/);
  const newer = Buffer.from(whole);
  newer[4] = 2;
  expect(() => decodeContainer(messageOf(newer), note)).toThrow(/it has the version 2/);
});

it('has the bytes of the first release, so that every later version reads them', () => {
  const [found] = [...containersOf({ group: 'g', scheme: 's' }, [recordOf(3, { headers: [{ h: Buffer.from('x') }] })])];
  expect(found?.toString('hex')).toBe('46534b43010a5b2267222c2273225d0103b81784d095ffbc31036b330376330102680278');
});

it('takes containers of a scheme that is spelled otherwise', () => {
  const scheme = (changes: object) =>
    JSON.stringify({ place: 'value', format: 'ndjson', isBatch: false, keys: ['user.id'], ...changes });
  const own = [...containersOf({ group: 'g', scheme: scheme({}) }, [recordOf(3)])].map((value) => messageOf(value));
  const decoded = (changes: object) =>
    own.flatMap((one) => decodeContainer(one, { group: 'g', scheme: scheme(changes) }));
  expect(decoded({ keys: ['["user"]["id"]'], nullKey: 'empty', emptyKey: 'distinct' })).toHaveLength(1);
  for (const other of [{ keys: ['user'] }, { nullKey: 'value' }, { place: { header: 'a' } }, { isBatch: true }])
    expect(() => decoded(other)).toThrow(/has partitioned records by/);
  const ofHeader = [...containersOf({ group: 'g', scheme: scheme({ place: { header: 'a' } }) }, [recordOf(3)])];
  expect(() =>
    decodeContainer(messageOf(ofHeader[0] as Buffer), { group: 'g', scheme: scheme({ place: { header: 'b' } }) }),
  ).toThrow(/has partitioned records by/);
});
