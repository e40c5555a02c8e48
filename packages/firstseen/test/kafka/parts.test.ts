// Keys of records, pointers, and properties of the client.

import { expect, it } from 'vitest';
import { propertiesIn, securityProperties } from '../../src/cli/kafka/properties.js';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import { type KeyOptions, keyFinder, TOMBSTONE } from '../../src/kafka/messages/keys.js';
import type { Observing } from '../../src/kafka/observing/observing.js';
import type { WindowClock } from '../../src/kafka/observing/windowclock.js';
import { PartitionState } from '../../src/kafka/partition/partition.js';
import {
  decodeCutPointer,
  decodePointer,
  encodePointer,
  inputOfKey,
  type Pointer,
  pointerKey,
} from '../../src/kafka/pointers/pointer.js';
import { checkDifferent, checkTopics } from '../../src/kafka/topics.js';
import { DROPPED, PASSED } from '../../src/records/keyof.js';
import { FakeClient, FakeCluster, Fate } from './support/fakecluster.js';

const record: KafkaRecord = {
  ...{ partition: 1, offset: 2, timestamp: 3 },
  key: Buffer.from('{"id":"k"}'),
  value: Buffer.from('{\n "id": "v"\n}'),
  headers: [{ trace: Buffer.from('t') }, { id: Buffer.from('first') }, { id: Buffer.from('second') }],
};

function find(options: Partial<KeyOptions>, one: Partial<KafkaRecord> = {}) {
  const found = keyFinder({ place: 'value', format: 'lines', keys: [], onError: 'fail', ...options })({
    ...record,
    ...one,
  });
  return found instanceof Uint8Array ? Buffer.from(found).toString() : found;
}

const json = { format: 'ndjson', keys: ['id'] } as const;

it('finds keys in each place', () => {
  expect(find({})).toBe('{\n "id": "v"\n}');
  expect(find({ place: 'key' })).toBe('{"id":"k"}');
  expect(find({ place: { header: 'id' } })).toBe('second');
  expect(find({ ...json })).toBe('"v"');
  expect(find({ ...json, place: 'key' })).toBe('"k"');
});

it('passes tombstones, wherever the key is', () => {
  expect(find({}, { value: null })).toBe(TOMBSTONE);
  expect(find({ place: 'key' }, { value: null })).toBe(TOMBSTONE);
});

it('has policies for records without a key', () => {
  for (const [place, one] of [
    ['key', { key: null }],
    [{ header: 'none' }, {}],
    [{ header: 'id' }, { headers: undefined }],
  ] as const) {
    expect(find({ place }, one)).toMatchObject({ code: 'E_KEY_MISSING' });
    expect(find({ place, missingKey: 'distinct' }, one)).toBe(PASSED);
    expect(find({ place, missingKey: 'drop' }, one)).toBe(DROPPED);
  }
  expect(find(json, { value: Buffer.from('{}') })).toMatchObject({ code: 'E_KEY_MISSING' });
  expect(find({ ...json, missingKey: 'drop' }, { value: Buffer.from('{}') })).toBe(DROPPED);
  expect(find(json, { value: Buffer.from('{"id":""}') })).toBe(PASSED);
});

it('has a policy for what is not JSON, and for keys that are too long', () => {
  const broken = { value: Buffer.from('{"id"') };
  expect(find(json, broken)).toMatchObject({ code: 'E_RECORD' });
  expect(find({ ...json, onError: 'pass' }, broken)).toBe(PASSED);
  expect(find({ ...json, onError: 'drop' }, broken)).toBe(DROPPED);
  expect(find({}, { value: Buffer.alloc(2 ** 20 + 1) })).toMatchObject({ code: 'E_RECORD' });
  expect(find(json, { value: Buffer.from('{"id":1} {"id":2}') })).toMatchObject({ code: 'E_RECORD' });
});

const pointer: Pointer = {
  ...{
    input: 'in',
    partition: 1,
    detectorId: '0123456789abcdef',
    position: 9,
    observed: 8,
    duplicates: 2,
    settings: '{}',
  },
  snapshots: [{ file: 'in-1-abc.snapshot', offset: 4, writtenMilliseconds: 1 }],
  given: { outputId: 'y', records: 6, last: [5, 1000], clock: [[9, 6, 1000]] },
};

it('reads the pointers that it writes', () => {
  expect(decodePointer(encodePointer(pointer), 'here')).toEqual(pointer);
  const { input, partition, position } = pointer;
  for (const cut of [
    { input, partition, position },
    { input, inputId: 'x', partition, position },
  ]) {
    expect(decodeCutPointer(encodePointer(cut), 'here')).toEqual(cut);
  }
  expect(pointerKey('a', pointer)).not.toEqual(pointerKey('b', pointer));
  expect(inputOfKey(pointerKey('a', pointer), 'a')).toBe('in');
  for (const key of [pointerKey('b', pointer), 'a', '"a"', '{"0":"a"}']) expect(inputOfKey(key, 'a')).toBe(undefined);
});

it.each([
  ['not JSON', '{', /is not JSON/],
  ['another version', '{"version":1}', /has the version 1/],
  ['no position', JSON.stringify({ version: 2, ...pointer, position: -1 }), /lacks/],
  ['another name of its detector', JSON.stringify({ version: 2, ...pointer, detectorId: '../' }), /lacks/],
  ['a number as the id of its topic', JSON.stringify({ version: 2, ...pointer, inputId: 5 }), /lacks/],
  ['no snapshots', JSON.stringify({ version: 2, ...pointer, snapshots: [] }), /lacks/],
  [
    'points that lack a time',
    JSON.stringify({ version: 2, ...pointer, given: { records: 0, clock: [[9, 6]] } }),
    /lacks/,
  ],
  [
    'a path',
    JSON.stringify({ version: 2, ...pointer, snapshots: [{ file: '../a', offset: 0, writtenMilliseconds: 0 }] }),
    /lacks/,
  ],
  [
    'a snapshot after the position',
    JSON.stringify({ version: 2, ...pointer, snapshots: [{ file: 'a', offset: 10, writtenMilliseconds: 0 }] }),
    /lacks/,
  ],
])('refuses a pointer with %s', (_what, text, problem) => {
  expect(() => decodePointer(Buffer.from(text), 'here')).toThrow(problem);
});

it('takes properties, and refuses those that the guarantee needs', () => {
  expect(propertiesIn(['linger.ms=5', 'client.id=a=b'])).toEqual({ 'linger.ms': '5', 'client.id': 'a=b' });
  for (const name of [
    ...['enable.idempotence', 'isolation.level', 'group.id', 'transactional.id', 'rebalance_cb'],
    ...['message.timeout.ms', 'delivery.timeout.ms', 'topic.blacklist', 'group.protocol.type', 'queuing.strategy'],
    ...['log_level', 'enabled_events', 'topic.metadata.refresh.interval.ms'],
  ]) {
    expect(() => propertiesIn([`${name}=x`])).toThrow(`sets ${name}, which the guarantee or another option determines`);
  }
  expect(() => propertiesIn(['sasl.password=x'])).toThrow(/give saslPasswordFile for it/);
  expect(() => propertiesIn(['linger'])).toThrow(/config linger does not have the form property=value/);
});

it('shows no password that a text has which is not a property', () => {
  for (const text of ['sasl.password:pass', 'Sasl.Password=pass', 'sasl.password pass']) {
    const refused = () => propertiesIn([text]);
    expect(refused).toThrow(/does not have the form property=value/);
    expect(refused).not.toThrow(/[:= ]pass\b/);
  }
});

it('says how connections are secured', () => {
  expect(securityProperties({ isEncrypted: false })).toEqual({ 'security.protocol': 'plaintext' });
  const sasl = { mechanism: 'PLAIN', user: 'u', password: 'p' };
  expect(securityProperties({ isEncrypted: true, tlsCa: 'ca', sasl })).toEqual({
    'security.protocol': 'sasl_ssl',
    'ssl.ca.location': 'ca',
    'sasl.mechanism': 'PLAIN',
    'sasl.username': 'u',
    'sasl.password': 'p',
  });
});

it('refuses a topic that is named twice', () => {
  const topics = { input: 'a', output: 'b', pointers: 'c' };
  expect(() => checkDifferent(topics)).not.toThrow();
  expect(() => checkDifferent({ ...topics, duplicatesTo: 'a' })).toThrow('input and duplicatesTo are both the topic a');
});

it('keeps files that the committed pointer names, also when a snapshot came since the pointer was made', () => {
  const snapshotAt = (offset: number) => ({ file: `at-${offset}`, offset, writtenMilliseconds: 1 });
  const detector = { observed: 0, duplicates: 0, settings: { parameters: { values: {} } } };
  const clock = { endReplay: () => undefined, settle: () => false, notes: () => ({}) } as unknown as WindowClock;
  const state = new PartitionState({
    ...{
      partition: 0,
      inputId: undefined,
      detectorId: '0'.repeat(16),
      observing: { detector } as unknown as Observing,
      clock,
    },
    ...{ snapshots: [snapshotAt(20), snapshotAt(10)], superseded: [snapshotAt(0)] },
    ...{ position: 20, isNew: true, replayed: undefined, given: undefined, outputId: undefined },
  });
  const committed = state.pointer('in', '{}');
  state.name({ ...snapshotAt(30), ...detector });
  expect(state.settle(committed)).toEqual([snapshotAt(0)]);
  expect(state.isChanged).toBe(true);
  expect(state.settle(state.pointer('in', '{}'))).toEqual([snapshotAt(10)]);
  expect(state.isChanged).toBe(false);
});

it('says that a group needs another name where its input was given partitions', async () => {
  const cluster = new FakeCluster();
  const topics = { input: 'in', output: 'out', pointers: 'p' };
  cluster.make('in', 3);
  for (const topic of ['out', 'p']) cluster.make(topic, 2);
  const client = new FakeClient(cluster, 'one', new Fate(Number.POSITIVE_INFINITY));
  const found = await checkTopics(client, { topics, partitions: 3 }).catch((error: unknown) => error);
  expect(String(found)).toMatch(
    /the topic out of output has 2 partitions, but in has 3; give a topic .*began when in had 2, give another group with fromGroup and the name of this one, .* too/,
  );
});

it('looks at the clock of the window as soon as the last record is replayed, and is not ready before', () => {
  const detector = { observed: 0, duplicates: 0, settings: { parameters: { values: {} } } };
  const settled: number[] = [];
  const clock = {
    ...{ endReplay: () => undefined, notes: () => ({}), replay: () => undefined, milliseconds: 0 },
    settle: (offset: number) => settled.push(offset) === 0,
  } as unknown as WindowClock;
  const state = new PartitionState({
    ...{ partition: 0, inputId: undefined, detectorId: '0'.repeat(16), clock },
    ...{ observing: { detector } as unknown as Observing, superseded: [], position: 3, isNew: false },
    ...{ snapshots: [{ file: 'a', offset: 0, writtenMilliseconds: 1 }], replayed: { observed: 0, duplicates: 0 } },
    ...{ given: undefined, outputId: undefined },
  });
  const recordAt = (offset: number) => ({
    ...{ partition: 0, offset, key: null, value: null },
    timestamp: 1,
    headers: undefined,
  });
  state.take([0, 1].map(recordAt));
  expect([state.isReplayed, settled]).toEqual([false, []]);
  state.take([recordAt(2)]);
  expect([state.isReplayed, settled]).toEqual([true, [3]]);
});
