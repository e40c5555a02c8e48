// The pipeline of `firstseen kafka` without deduplication: what comes in goes out, with the offsets, in transactions of 10,000 records or
// what came in 100 ms. Arguments: the interface of the client (`plain` for its low-level one, `shaped` for the one that is shaped like
// KafkaJS), the folder of the client, brokers, group, input, output.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const [kind, folder, brokers, group, input, output] = process.argv.slice(2);
const { KafkaJS, RdKafka } = createRequire(join(folder, 'copy.js'))('@confluentinc/kafka-javascript');

const BATCH = 10_000;
/** Records that are taken at a time. */
const CHUNK = 500;
const WAIT_MILLISECONDS = 100;
const TIMEOUT_MILLISECONDS = 30_000;
const TRANSACTION_MILLISECONDS = 10_000;

/** What both interfaces are given. */
const common = { 'bootstrap.servers': brokers };
const ofConsumer = {
  ...{ 'group.id': group, 'isolation.level': 'read_committed' },
  ...{ 'enable.auto.commit': false, 'partition.assignment.strategy': 'cooperative-sticky' },
  ...{ 'queued.min.messages': 10_000, 'fetch.queue.backoff.ms': 10 },
};
const ofTopics = { 'auto.offset.reset': 'earliest' };
const ofProducer = {
  ...{ 'transactional.id': group, 'transaction.timeout.ms': TRANSACTION_MILLISECONDS },
};

/** Calls a method that takes a callback. */
function called(object, method, ...args) {
  return new Promise((resolve, reject) => {
    object[method](...args, (error, value) => (error ? reject(error) : resolve(value)));
  });
}

/** The offsets after the last record of each partition. */
function offsetsOf(records) {
  const offsets = new Map(records.map(({ partition, offset }) => [partition, Number(offset) + 1]));
  return Array.from(offsets, ([partition, offset]) => ({ partition, offset }));
}

async function nextBatch(consumer) {
  const records = [];
  const until = Date.now() + WAIT_MILLISECONDS;
  while (records.length < BATCH && Date.now() < until) {
    const more = await called(consumer, 'consume', Math.min(CHUNK, BATCH - records.length));
    if (more.length === 0) break;
    records.push(...more);
  }
  return records;
}

async function copyPlainly() {
  // The properties of topics are an object of their own: with one that is empty, those among the others are passed over.
  const consumer = new RdKafka.KafkaConsumer({ ...common, ...ofConsumer }, ofTopics);
  const producer = new RdKafka.Producer({ ...common, ...ofProducer }, {});
  await Promise.all([called(consumer, 'connect', {}), called(producer, 'connect', {})]);
  producer.setPollInterval(WAIT_MILLISECONDS);
  await called(producer, 'initTransactions', TIMEOUT_MILLISECONDS);
  consumer.setDefaultConsumeTimeout(WAIT_MILLISECONDS);
  consumer.setDefaultIsTimeoutOnlyForFirstMessage(true);
  consumer.subscribe([input]);
  for (;;) {
    const records = await nextBatch(consumer);
    if (records.length === 0) continue;
    await called(producer, 'beginTransaction');
    for (const { partition, value, key, timestamp, headers } of records) {
      producer.produce(output, partition, value, key, timestamp, undefined, headers);
    }
    const offsets = offsetsOf(records).map((one) => ({ topic: input, ...one }));
    await called(producer, 'sendOffsetsToTransaction', offsets, consumer, TIMEOUT_MILLISECONDS);
    await called(producer, 'commitTransaction', TIMEOUT_MILLISECONDS);
  }
}

async function copyShaped() {
  const kafka = new KafkaJS.Kafka(common);
  const consumer = kafka.consumer({ ...ofConsumer, ...ofTopics, 'js.consumer.max.batch.size': BATCH });
  const producer = kafka.producer(ofProducer);
  await Promise.all([consumer.connect(), producer.connect()]);
  await consumer.subscribe({ topics: [input] });
  await consumer.run({
    eachBatch: async ({ batch: { partition, messages } }) => {
      const transaction = await producer.transaction();
      const copies = messages.map(({ value, key, timestamp, headers }) => ({
        partition,
        value,
        key,
        timestamp,
        headers,
      }));
      await transaction.send({ topic: output, messages: copies });
      const offset = String(Number(messages.at(-1).offset) + 1);
      const topics = [{ topic: input, partitions: [{ partition, offset }] }];
      await transaction.sendOffsets({ consumer, topics });
      await transaction.commit();
    },
  });
}

await (kind === 'plain' ? copyPlainly() : copyShaped());
