// Transactions of other programs, which are open for as long as a test wants, or take the place of those of a worker.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const TIMEOUT_MILLISECONDS = 30_000;
/** Brokers end no transaction while a test looks. */
const OPEN_MILLISECONDS = 600_000;

/** A producer whose transactions have an id, and a function that calls it. */
async function connected({ client, brokers }, id) {
  const { RdKafka } = createRequire(join(client, 'transaction.js'))('@confluentinc/kafka-javascript');
  const producer = new RdKafka.Producer({
    ...{ 'bootstrap.servers': brokers, 'transactional.id': id, 'transaction.timeout.ms': OPEN_MILLISECONDS },
  });
  const call = (name, ...args) =>
    new Promise((resolve, reject) => {
      producer[name](...args, (error) => (error ? reject(error) : resolve()));
    });
  await call('connect', {});
  await call('initTransactions', TIMEOUT_MILLISECONDS);
  return { producer, call };
}

/** Takes the id of the transactions of a worker, whose producer can do nothing more then. */
export async function takeTransactions(connection, id) {
  const { call } = await connected(connection, id);
  await call('disconnect');
}

/** Begins a transaction that has one record, the only one of its topic. @returns what commits it and disconnects */
export async function openTransaction(connection, { topic, partition, key, value }) {
  const { producer, call } = await connected(connection, `another program of ${topic}`);
  await call('beginTransaction');
  producer.produce(topic, partition, value, key);
  await call('flush', TIMEOUT_MILLISECONDS);
  return async () => {
    await call('commitTransaction', TIMEOUT_MILLISECONDS);
    await call('disconnect');
  };
}
