// Records of chosen times, written in a moment.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const FLUSH_MILLISECONDS = 60_000;

/** Resolves when the callback of a call is called. */
function called(call) {
  return new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))));
}

/**
 * Writes records in their order: { id, partition, time }.
 * @param connection client: the folder of the client; brokers
 */
export async function writeRecords({ client, brokers }, topic, records) {
  const { RdKafka } = createRequire(join(client, 'node_modules/'))('@confluentinc/kafka-javascript');
  const producer = new RdKafka.Producer({
    'bootstrap.servers': brokers,
    'queue.buffering.max.messages': records.length,
  });
  await called((callback) => producer.connect({}, callback));
  try {
    for (const { id, partition, time } of records) {
      producer.produce(topic, partition, Buffer.from(JSON.stringify({ id })), null, time);
    }
    await called((callback) => producer.flush(FLUSH_MILLISECONDS, callback));
  } finally {
    await called((callback) => producer.disconnect(callback));
  }
}
