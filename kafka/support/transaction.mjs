// A transaction of another program, which is open for as long as a test wants.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const TIMEOUT_MILLISECONDS = 30_000;

/** Begins a transaction that has one record. @returns what commits it and disconnects */
export async function openTransaction({ client, brokers }, { topic, partition, key, value }) {
  const { RdKafka } = createRequire(join(client, 'transaction.js'))('@confluentinc/kafka-javascript');
  const producer = new RdKafka.Producer({ 'bootstrap.servers': brokers, 'transactional.id': 'another program' });
  const call = (name, ...args) =>
    new Promise((resolve, reject) => {
      producer[name](...args, (error) => (error ? reject(error) : resolve()));
    });
  await call('connect', {});
  await call('initTransactions', TIMEOUT_MILLISECONDS);
  await call('beginTransaction');
  producer.produce(topic, partition, value, key);
  await call('flush', TIMEOUT_MILLISECONDS);
  return async () => {
    await call('commitTransaction', TIMEOUT_MILLISECONDS);
    await call('disconnect');
  };
}
