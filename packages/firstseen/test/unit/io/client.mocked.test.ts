// The properties that the client of Kafka gives to its consumers.

import { EventEmitter } from 'node:events';
import { beforeEach, expect, it, vi } from 'vitest';
import { ConfluentClient } from '../../../src/io/kafka/client.js';
import type { RdProperties } from '../../../src/io/kafka/rdkafka.js';
import type { Callback } from './membersupport.js';

/** The properties of each consumer, in the order in which they are made. */
const consumers: RdProperties[] = [];

class AnsweringClient extends EventEmitter {
  connect(_options: unknown, callback: Callback): void {
    callback(null);
  }
  disconnect(callback: Callback): void {
    callback(null);
  }
}

class FakeConsumer extends AnsweringClient {
  constructor(properties: RdProperties) {
    super();
    consumers.push(properties);
  }
  setDefaultConsumeTimeout(): void {}
  setDefaultIsTimeoutOnlyForFirstMessage(): void {}
  subscribe(): void {}
}

class FakeProducer extends AnsweringClient {
  setPollInterval(): void {}
  initTransactions(_milliseconds: number, callback: Callback): void {
    callback(null);
  }
}

vi.mock('../../../src/io/kafka/rdkafka.js', async (original) => ({
  ...(await original<object>()),
  loadRdKafka: async () => ({ KafkaConsumer: FakeConsumer, Producer: FakeProducer }),
}));

beforeEach(() => void consumers.splice(0));

/** The bytes of an answer, by the consumer that asks for it: one reads ranges, and one is the member. Another one finds ends, and reads nothing. */
async function answersOf(properties: RdProperties) {
  const client = await ConfluentClient.connect({ properties, group: 'g', instance: 'i', onWarning: expect.fail });
  await client.join('in');
  await client.close();
  const [ranges, , member] = consumers.map((own) => own['fetch.max.bytes']);
  return { consumers: consumers.length, ranges, member };
}

it('bounds the answers of brokers to each consumer that reads records', async () => {
  expect(await answersOf({})).toEqual({ consumers: 3, ranges: 2 ** 20, member: 2 ** 20 });
});

it('gives each of them the bound of a user', async () => {
  expect(await answersOf({ 'fetch.max.bytes': '8388608' })).toEqual({
    ...{ consumers: 3, ranges: '8388608', member: '8388608' },
  });
});
