// The properties that bound what a consumer fetches ahead, and so its memory.

import type { RdProperties } from './rdkafka.js';

/**
 * The bytes of one answer of a broker, before they are unpacked. The client unpacks an answer as a whole before it counts what it holds, and lz4
 * packs up to 255 bytes in one: with its default of 50 MiB, and 1 MiB for each partition, a backlog in many partitions takes gigabytes.
 */
const MAX_FETCHED_BYTES = 2 ** 20;

/**
 * Records that are fetched ahead take memory. A consumer that has enough of them looks again soon: with the default, a second later, it
 * would have none left by then.
 */
const fetchingAhead = { 'queued.min.messages': 10_000, 'fetch.queue.backoff.ms': 10 } as const;

/** Adds what is fetched ahead to the properties of a consumer. A user may give others. */
export function withFetching(properties: RdProperties): RdProperties {
  // The client refuses answers that are smaller than its largest message.
  const messageBytes = Number(properties['message.max.bytes'] ?? 0);
  return { ...fetchingAhead, 'fetch.max.bytes': Math.max(MAX_FETCHED_BYTES, messageBytes), ...properties };
}
