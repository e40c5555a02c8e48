// A member of a group with a transactional producer, on the low-level interface of the client, that does what its parent says. It shows on what the
// worker of `firstseen kafka` is built. Arguments: the folder of the client, brokers, group, instance (empty for none), input, output.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, brokers, group, instance, input, output] = process.argv.slice(2);
const { RdKafka } = createRequire(join(folder, 'member.js'))('@confluentinc/kafka-javascript');

const SESSION_MILLISECONDS = 6000;
const TIMEOUT_MILLISECONDS = 30_000;
const CONSUME_MILLISECONDS = 100;
const CONSUMED = 100;
/** The code of a callback that takes partitions away. */
const REVOKED = -174;

const common = { 'bootstrap.servers': brokers };
const consumer = new RdKafka.KafkaConsumer(
  {
    ...common,
    ...{ 'group.id': group, 'session.timeout.ms': SESSION_MILLISECONDS, 'heartbeat.interval.ms': 1000 },
    ...{ 'partition.assignment.strategy': 'cooperative-sticky', 'enable.auto.commit': false },
    ...{ 'isolation.level': 'read_committed', 'auto.offset.reset': 'earliest', rebalance_cb: rebalance },
    ...(instance === '' ? {} : { 'group.instance.id': instance }),
  },
  {},
);
const producer = new RdKafka.Producer(
  { ...common, 'transactional.id': `${group}-${process.pid}`, 'transaction.timeout.ms': 10_000, 'retry.backoff.ms': 5 },
  {},
);

/** Whether partitions that were lost are kept until the parent says `release`. */
let holds = false;
/** What was lost last. */
let lost;

function rebalance(error, partitions) {
  if (error.code !== REVOKED) return consumer.incrementalAssign(partitions);
  if (consumer.assignmentLost()) lost = partitions;
  if (!holds || lost === undefined) consumer.incrementalUnassign(partitions);
}

/** Calls a method that takes a callback. @returns the value, or the code of the error as `code` */
function called(object, method, ...args) {
  return new Promise((resolve) => {
    object[method](...args, (error, value) => resolve(error ? { code: error.code } : { value }));
  });
}

/** What the parent can ask for. */
const requests = {
  hold: () => {
    holds = true;
  },
  release: () => consumer.incrementalUnassign(lost),
  isLost: () => lost !== undefined,
  partitions: () => consumer.assignments().map(({ partition }) => partition),
  begin: () => called(producer, 'beginTransaction'),
  send: (partition, text) => producer.produce(output, partition, Buffer.from(text), null),
  sendOffset: (partition, offset) =>
    called(producer, 'sendOffsetsToTransaction', [{ topic: input, partition, offset }], consumer, TIMEOUT_MILLISECONDS),
  commit: () => called(producer, 'commitTransaction', TIMEOUT_MILLISECONDS),
  abort: () => called(producer, 'abortTransaction', TIMEOUT_MILLISECONDS),
};

process.on('message', async ({ id, name, args }) => {
  process.send({ id, value: (await requests[name](...args)) ?? null });
});
process.on('disconnect', () => process.exit());

await Promise.all([called(consumer, 'connect', {}), called(producer, 'connect', {})]);
await called(producer, 'initTransactions', TIMEOUT_MILLISECONDS);
consumer.setDefaultConsumeTimeout(CONSUME_MILLISECONDS);
consumer.subscribe([input]);
process.send({ isReady: true });
for (;;) await called(consumer, 'consume', CONSUMED);
