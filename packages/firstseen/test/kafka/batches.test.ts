// Messages that hold many records go out with those that are new: what one observation after the other says of them.

import { expect, it } from 'vitest';
import type { Detector } from '../../src/detectors/detector.js';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import { type KeyOptions, keyFinder } from '../../src/kafka/messages/keys.js';
import { openReader } from '../../src/kafka/messages/reader.js';
import { Observing, type Outcome, type Outcomes } from '../../src/kafka/observing/observing.js';
import { WindowClock } from '../../src/kafka/observing/windowclock.js';
import { NOWHERE, Partitioner } from '../../src/kafka/repartition/partitioner.js';
import { create } from '../../src/plan/keys.js';
import { DROPPED } from '../../src/records/keyof.js';
import { inLongForm } from '../support/form.js';
import { choices } from './support/workers.js';

const batch = { place: 'value', isBatch: true, keys: [], onError: 'fail' } as const;
const u64: KeyOptions = { ...batch, format: 'u64' };
const lines: KeyOptions = { ...batch, format: 'lines' };
const json: KeyOptions = { ...batch, format: 'ndjson', keys: ['id'], onError: 'pass', missingKey: 'drop' };

function messageOf(value: Uint8Array | string | null, offset: number): KafkaRecord {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return {
    partition: 1,
    offset,
    timestamp: offset * 10,
    key: Buffer.from(`k${offset}`),
    value: bytes,
    headers: undefined,
  };
}

/** The records of a value, and what the detector gets of each: its key, or why there is none. */
function recordsOf(value: Uint8Array, keys: KeyOptions): { bytes: Buffer; key: bigint | Uint8Array | symbol }[] {
  const all = Buffer.from(value);
  if (keys.format === 'u64') {
    return Array.from({ length: all.length / 8 }, (_, i) => ({
      bytes: all.subarray(8 * i, 8 * i + 8),
      key: all.readBigUInt64LE(8 * i),
    }));
  }
  const find = keyFinder({ ...keys, isBatch: false });
  return (all.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? []).map((text) => {
    const bytes = Buffer.from(text, 'latin1');
    const record = messageOf(Buffer.from(text.replace(/\n$/, ''), 'latin1'), 0);
    return { bytes, key: text === '\n' && keys.format === 'ndjson' ? DROPPED : (find(record) as Uint8Array | symbol) };
  });
}

type Output = [Outcome, number, string | undefined];

/** Returns the outcomes of messages whose records are observed one after the other. */
function expected(detector: Detector, messages: readonly KafkaRecord[], keys: KeyOptions): Output[] {
  return messages.flatMap(({ value, timestamp, offset }): Output[] => {
    if (value === null || value.length === 0) return [[value === null ? 'tombstone' : 'passed', offset, undefined]];
    const [first, again]: [Buffer[], Buffer[]] = [[], []];
    const found = recordsOf(value, keys);
    for (const { bytes, key } of found) {
      if (typeof key === 'symbol') {
        if (key !== DROPPED) first.push(bytes);
        continue;
      }
      if (detector.settings.parameters.isTimed) detector.advance(timestamp);
      (detector.observe(key) === 'distinct' ? first : again).push(bytes);
    }
    const dropped = found.length - first.length - again.length;
    const text = (parts: Buffer[]) => Buffer.concat(parts).toString('hex');
    return [
      ...(first.length > 0 ? [['distinct', offset, text(first)] as Output] : []),
      ...(again.length > 0 ? [['duplicate', offset, text(again)] as Output] : []),
      ...(dropped > 0 ? [['dropped', offset, undefined] as Output] : []),
    ];
  });
}

function given({ records, outcomes }: Outcomes): Output[] {
  return records.map(({ value, offset }, i) => {
    const outcome = outcomes[i] as Outcome;
    const hasText = outcome === 'distinct' || outcome === 'duplicate';
    return [outcome, offset, hasText ? Buffer.from(value as Uint8Array).toString('hex') : undefined];
  });
}

const jsonLines = [
  '{"id":1}',
  '{"id":"a"}',
  '{"id":"\\u0061"}',
  '{"other":1}',
  'broken',
  '',
  '{"id":""}',
  '{"id":"\u00e9"}',
];

function valueFor(keys: KeyOptions, choose: (below: number) => number): Buffer | null {
  if (choose(30) === 0) return null;
  const count = choose(20) === 0 ? 0 : choose(40);
  if (keys.format === 'u64') {
    return Buffer.from(BigUint64Array.from({ length: count }, () => BigInt(choose(900)) << 40n).buffer);
  }
  const line = () => {
    const text = keys.format === 'lines' ? `l${choose(900)}` : (jsonLines[choose(jsonLines.length)] as string);
    return choose(3) === 0 ? text.replace('1', String(choose(300))) : text;
  };
  const text = Array.from({ length: count }, line).join('\n');
  return Buffer.from(choose(2) === 0 && text !== '' ? `${text}\n` : text);
}

const detectors = [
  { window: 300, memory: '4KiB' },
  { window: '2s', memory: '4KiB' },
] as const;

it.each([
  [u64, detectors[0]],
  [u64, detectors[1]],
  [lines, detectors[0]],
  [json, detectors[0]],
  [json, detectors[1]],
])('gives what one observation after the other gives, in any batches: %j %j', async (keys, options) => {
  const choose = choices(7);
  const messages = Array.from({ length: inLongForm(800, 400) }, (_, offset) =>
    messageOf(valueFor(keys, choose), offset),
  );
  const clock = options.window === '2s' ? ({ clock: 'manual' } as const) : {};
  const open = () => create({ ...options, ...clock, ...(keys.format === 'ndjson' ? { keys: ['id'] } : {}) });
  const right = expected(await open(), messages, keys);
  const reader = await openReader(keys);
  for (const most of [1000, 37]) {
    const detector = await open();
    const replayed = await open();
    const observing = new Observing({
      detector,
      times: new WindowClock({ detector, notes: {}, from: 0 }),
      topic: 'in',
      reader,
    });
    const found: Output[] = [];
    for (let from = 0; from < messages.length; from += most) {
      const taken = observing.take(messages.slice(from, from + most));
      expect(taken.failure).toBe(undefined);
      found.push(...given(taken));
    }
    expect(found).toEqual(right);
    new Observing({
      detector: replayed,
      times: new WindowClock({ detector: replayed, notes: {}, from: 0 }),
      topic: 'in',
      reader,
    }).replay(messages);
    expect([replayed.observed, replayed.duplicates]).toEqual([detector.observed, detector.duplicates]);
  }
});

it('gives a message as it is if all of its records are new, with its key and headers', async () => {
  const detector = await create({ memory: '64KiB' });
  const observing = new Observing({
    detector,
    times: new WindowClock({ detector, notes: {}, from: 0 }),
    topic: 'in',
    reader: await openReader(lines),
  });
  const message = { ...messageOf('a\nb\nc', 3), headers: [{ h: Buffer.from('x') }] };
  const { records, sizes } = observing.take([message, message, { ...message, value: Buffer.from('b\nd\n') }]);
  expect(records[0]).toBe(message);
  expect(records[1]).toBe(message);
  expect(records.slice(2)).toEqual([
    { ...message, value: Buffer.from('d\n') },
    { ...message, value: Buffer.from('b\n') },
  ]);
  expect(sizes).toEqual([3, 3, 1, 1]);
});

it('finds the records of messages of many sizes', async () => {
  const keys = { ...lines };
  const long = 'x'.repeat(100_000);
  const messages = [`a\n${long}\nb`, long, `${long}\na`, 'c'].map(messageOf);
  for (let i = 4; i < 12; i++) messages.push(messageOf(`${'y\n'.repeat(inLongForm(500_000, 100_000))}${i}`, i));
  const detector = await create({ memory: '1MiB' });
  const observing = new Observing({
    detector,
    times: new WindowClock({ detector, notes: {}, from: 0 }),
    topic: 'in',
    reader: await openReader(keys),
  });
  const { records, outcomes } = observing.take(messages);
  const firsts = records.filter((_record, i) => outcomes[i] === 'distinct').map(({ value }) => String(value));
  expect(firsts).toEqual([`a\n${long}\nb`, 'c', 'y\n4', ...Array.from({ length: 7 }, (_, i) => String(i + 5))]);
});

it.each([
  [
    'an integer that is too short',
    u64,
    Buffer.alloc(20),
    /in, partition 1, offset 1, record 3: the last integer has 4 bytes/,
  ],
  [
    'a batch that is too long',
    u64,
    Buffer.alloc(2 ** 23 + 8),
    /offset 1, record 1: the message has more than 8388608 bytes/,
  ],
  [
    'a record without a key',
    { ...json, missingKey: 'fail' },
    '{"id":7}\n{"x":1}',
    /offset 1, record 2: a record has no value/,
  ],
  ['a broken record', { ...json, onError: 'fail' }, '{"id":7}\n\n{"id":', /offset 1, record 3: /],
] as const)(
  'refuses %s after the messages before it, unless a policy lets it pass',
  async (_what, keys, value, problem) => {
    const good = keys.format === 'u64' ? Buffer.alloc(16) : '{"id":1}\n{"id":1}';
    const messages = [messageOf(good, 0), messageOf(value, 1), messageOf(good, 2)];
    const options = keys.format === 'u64' ? {} : { keys: ['id'] };
    const detector = await create({ memory: '64KiB', ...options });
    const observing = new Observing({
      detector,
      times: new WindowClock({ detector, notes: {}, from: 0 }),
      topic: 'in',
      reader: await openReader(keys),
    });
    const { taken, failure } = observing.take(messages);
    expect([taken, detector.observed]).toEqual([1, 2]);
    expect(failure?.message).toMatch(problem);
    const passing = { ...keys, onError: 'pass', missingKey: 'distinct' } as const;
    const other = new Observing({
      detector,
      times: new WindowClock({ detector, notes: {}, from: 0 }),
      topic: 'in',
      reader: await openReader(passing),
    });
    expect(other.take(messages)).toMatchObject({ taken: 3 });
    // A policy that refuses what was passed does not stop a replay.
    expect(() => observing.replay(messages)).not.toThrow();
  },
);

it('cuts the records of a message, so that equal keys are in one partition', async () => {
  const choose = choices(3);
  for (const keys of [u64, lines, json]) {
    const partitioner = await Partitioner.open({ keys, topic: 'in', partitions: 5 });
    const messages = Array.from({ length: 300 }, (_, offset) => messageOf(valueFor(keys, choose), offset));
    const { records, targets, taken } = partitioner.partition(messages);
    expect(taken).toBe(300);
    const places = new Map<string, number>();
    const kept: string[][] = messages.map(() => []);
    for (const [i, { value, offset }] of records.entries()) {
      if (targets[i] === NOWHERE || value === null) continue;
      for (const { bytes, key } of recordsOf(value, keys)) {
        kept[offset]?.push(bytes.toString('hex'));
        if (typeof key === 'symbol') expect(targets[i]).toBe(1);
        else {
          const text = typeof key === 'bigint' ? String(key) : Buffer.from(key).toString('hex');
          expect(places.get(text) ?? targets[i]).toBe(targets[i]);
          places.set(text, targets[i] as number);
        }
      }
    }
    const wanted = messages.map(({ value }) =>
      value === null
        ? []
        : recordsOf(value, keys)
            .filter(({ key }) => key !== DROPPED)
            .map(({ bytes }) => bytes.toString('hex')),
    );
    expect(kept.map((all) => all.sort())).toEqual(wanted.map((all) => all.sort()));
    expect(new Set(places.values()).size).toBeGreaterThan(2);
  }
});
