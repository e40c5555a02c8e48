// A backlog: hours of records in all partitions of a topic, written in a moment.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const HOUR_MILLISECONDS = 3_600_000;
/** Each identifier comes again after this time. */
const REPEAT_MILLISECONDS = 1_200_000;
const FLUSH_MILLISECONDS = 60_000;

/** Resolves when the callback of a call is called. */
function called(call) {
  return new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))));
}

/** The partition, time and identifier of each record, in the order of the times. The last ones are an hour old. */
function recordsOf({ partitions, hours, keysPerHour }) {
  const begin = Date.now() - (hours + 1) * HOUR_MILLISECONDS;
  const records = [];
  for (let id = 0; id < hours * keysPerHour; id++) {
    const time = begin + Math.floor((id * HOUR_MILLISECONDS) / keysPerHour);
    const partition = (id * 7919) % partitions;
    records.push({ id, partition, time });
    records.push({ id, partition: (partition + 1) % partitions, time: time + REPEAT_MILLISECONDS });
  }
  return records.sort((one, other) => one.time - other.time);
}

/**
 * Writes identifiers, each of them once more in another partition 20 minutes later.
 * @param connection client: the folder of the client; brokers
 * @param load partitions, hours, keysPerHour
 * @returns the number of identifiers
 */
export async function writeBacklog({ client, brokers }, topic, load) {
  const { RdKafka } = createRequire(join(client, 'node_modules/'))('@confluentinc/kafka-javascript');
  const producer = new RdKafka.Producer({
    'bootstrap.servers': brokers,
    'queue.buffering.max.messages': 2 * load.hours * load.keysPerHour,
  });
  await called((callback) => producer.connect({}, callback));
  try {
    for (const { id, partition, time } of recordsOf(load)) {
      producer.produce(topic, partition, Buffer.from(JSON.stringify({ id })), null, time);
    }
    await called((callback) => producer.flush(FLUSH_MILLISECONDS, callback));
  } finally {
    await called((callback) => producer.disconnect(callback));
  }
  return load.hours * load.keysPerHour;
}
