// Records of chosen times, written in a moment.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const FLUSH_MILLISECONDS = 60_000;

/** Resolves when the callback of a call is called. */
function called(call) {
  return new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))));
}

/**
 * Writes records in their order: { id, partition, time, text }. Without a time, they have that of now.
 * @param connection client: the folder of the client; brokers; properties: others of the producer
 */
export async function writeRecords({ client, brokers, properties = {} }, topic, records) {
  const { RdKafka } = createRequire(join(client, 'node_modules/'))('@confluentinc/kafka-javascript');
  const producer = new RdKafka.Producer({
    'bootstrap.servers': brokers,
    'queue.buffering.max.messages': records.length,
    ...properties,
  });
  await called((callback) => producer.connect({}, callback));
  try {
    for (const { id, partition, time, text } of records) {
      producer.produce(topic, partition, Buffer.from(JSON.stringify({ id, text })), null, time);
    }
    await called((callback) => producer.flush(FLUSH_MILLISECONDS, callback));
  } finally {
    await called((callback) => producer.disconnect(callback));
  }
}
