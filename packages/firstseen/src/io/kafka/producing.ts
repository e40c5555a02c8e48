// Gives records to a producer.

import type { Headers, RecordContent } from './contract.js';
import { headerPairs } from './headers.js';
import type { RdProducer } from './rdkafka.js';

/** An empty array that has memory. The client makes null of one without memory. */
const empty = Buffer.alloc(1).subarray(0, 0);

function sent<Bytes extends Uint8Array | null>(bytes: Bytes): Bytes | Buffer {
  return bytes?.length === 0 ? empty : bytes;
}

function sentHeaders(headers: Headers | undefined) {
  return headers && headerPairs(headers).map(([name, value]) => ({ [name]: sent(value) }));
}

/** @throws what the client throws */
export function produce(
  producer: Pick<RdProducer, 'produce'>,
  { topic, partition }: { topic: string; partition: number },
  { key, value, timestamp, headers }: RecordContent,
): void {
  const time = timestamp > 0 ? timestamp : undefined;
  producer.produce(topic, partition, sent(value), sent(key), time, undefined, sentHeaders(headers));
}
