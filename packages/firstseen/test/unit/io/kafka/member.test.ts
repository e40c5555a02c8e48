// Tests what a member gives to the client, without the client.

import { describe, expect, test } from 'vitest';
import { Member } from '../../../../src/io/kafka/member.js';
import type { RdConsumer, RdProducer } from '../../../../src/io/kafka/rdkafka.js';

type Produced = Parameters<RdProducer['produce']>;

function memberWith(produced: Produced[]): Member {
  const consumer = { on: () => undefined } as unknown as RdConsumer;
  const producer = { produce: (...given: Produced) => produced.push(given) } as unknown as RdProducer;
  const newProducer = async () => producer;
  return new Member({ topic: 'events', consumer, producer, newProducer, changes: [], beginClose: () => undefined });
}

/** The client makes null of bytes without memory. For a topic that is compacted, such a value removes its key. */
function isEmptyForTheClient(bytes: Uint8Array | null): boolean {
  return bytes !== null && bytes.length === 0 && bytes.buffer.byteLength > 0;
}

describe('a record that a member sends', () => {
  test('keeps a key, a value and headers that are empty', () => {
    const produced: Produced[] = [];
    const nothing = new Uint8Array(0);
    memberWith(produced).send('events.first', 2, {
      ...{ key: nothing, value: nothing, timestamp: 5, headers: [{ trace: nothing }] },
    });
    const [[topic, partition, value, key, time, , headers]] = produced as [Produced];
    expect({ topic, partition, time }).toEqual({ topic: 'events.first', partition: 2, time: 5 });
    for (const bytes of [value, key, ...Object.values(headers?.[0] ?? {})])
      expect(isEmptyForTheClient(bytes)).toBe(true);
  });

  test('has no key and no value where it had none', () => {
    const produced: Produced[] = [];
    memberWith(produced).send('events.first', 0, { key: null, value: null, timestamp: -1, headers: undefined });
    expect(produced).toEqual([['events.first', 0, null, null, undefined, undefined, undefined]]);
  });
});
