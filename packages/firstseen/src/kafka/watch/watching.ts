// Watches the calls of a client, so that it is known which of them does not return.

import type { KafkaClient, RecordContent } from '../../io/kafka/contract.js';
import { problemText } from '../../options/flagnames.js';
import type { Holdups } from './holdups.js';

/** A client whose calls, and those of its members, are watched. */
export function watching(client: KafkaClient, holdups: Holdups): KafkaClient {
  const ask = <Value>(doing: string, request: () => Promise<Value>) => holdups.asking(doing, request);
  return {
    partitionsOf: (topic) => ask(`the topic ${topic} is looked up`, () => client.partitionsOf(topic)),
    topicId: (topic) => ask(`the topic ${topic} is looked up`, () => client.topicId(topic)),
    bounds: (topic, partition) => ask(`the offsets of ${topic} are read`, () => client.bounds(topic, partition)),
    offsetAt: (topic, partition, time) =>
      ask(`the offsets of ${topic} are read`, () => client.offsetAt(topic, partition, time)),
    memberNames: () => ask('the members of the group are read', () => client.memberNames()),
    takesKeyless: (topic) => ask(`the topic ${topic} is looked up`, () => client.takesKeyless(topic)),
    makeCompacted: (topic, partitions) =>
      ask(`the topic ${topic} is made`, () => client.makeCompacted(topic, partitions)),
    async *records(topic, ranges) {
      const batches = client.records(topic, ranges)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await ask(`the topic ${topic} is read to its end, or to a transaction that is open`, () =>
            batches.next(),
          );
          if (next.done) return;
          yield next.value;
        }
      } finally {
        await batches.return?.();
      }
    },
    async join(topic) {
      const member = await holdups.during('group', 'it joins its group', () => client.join(topic));
      holdups.joined();
      const write = async <Value>(doing: string, request: () => Promise<Value>) => {
        try {
          return await holdups.during('output', doing, request);
        } catch (error) {
          holdups.aborted(problemText(error));
          throw error;
        }
      };
      return {
        changes() {
          const changes = member.changes();
          holdups.changed(changes);
          return changes;
        },
        committed: (partitions) =>
          holdups.during('group', 'the offsets of its group are read', () => member.committed(partitions)),
        start(positions) {
          holdups.started(positions.keys());
          member.start(positions);
        },
        stop(partitions) {
          holdups.stopped(partitions);
          member.stop(partitions);
        },
        async seek(positions) {
          await holdups.during('input', 'the input is read again', () => member.seek(positions));
          holdups.started(positions.keys());
        },
        pause(partitions) {
          holdups.paused(partitions);
          member.pause(partitions);
        },
        async fetch(most) {
          const fetched = await holdups.during('brokers', `the topic ${topic} is read`, () => member.fetch(most));
          holdups.fetched(fetched);
          return fetched;
        },
        begin() {
          holdups.begun();
          return write('a transaction begins', () => member.begin());
        },
        send(output: string, partition: number, record: RecordContent) {
          const full = member.send(output, partition, record);
          return full && write(`the topic ${output} does not take what is written as fast as it comes`, () => full);
        },
        async commit(offsets) {
          await write('a transaction is committed', () => member.commit(offsets));
          holdups.committed();
        },
        isRefused: () => write('a transaction is tried', () => member.isRefused()),
        abort: () => write('a transaction is aborted', () => member.abort()),
        close: () => holdups.during('group', 'it leaves its group', () => member.close()),
      };
    },
    close: () => client.close(),
  };
}
