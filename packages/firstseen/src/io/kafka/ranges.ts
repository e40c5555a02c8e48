// Reads ranges of a topic, outside of any group.

import type { Bounds, KafkaRecord, RecordRange } from './contract.js';
import { kafkaError, NO_OFFSET, patiently, REMADE } from './errors.js';
import { LostRecords } from './lostrecords.js';
import { called, type RdConsumer, type RdMessage } from './rdkafka.js';

/** Records that are taken at a time. */
const RANGE_RECORDS = 2000;

export interface RangeReading {
  reader: Pick<RdConsumer, 'assign' | 'unassign' | 'consume'>;
  topic: string;
  /** The ends of partitions that were read to their ends since this was called, by partition. */
  takeEnds: () => ReadonlyMap<number, number>;
  bounds: (partition: number) => Promise<Bounds>;
  /** Asks to stop. */
  signal?: AbortSignal | undefined;
}

/** @throws FirstseenError E_KAFKA */
async function consume({ reader, topic, signal }: RangeReading): Promise<RdMessage[]> {
  const doing = `the topic ${topic} cannot be read`;
  const request = () => called<RdMessage[]>((callback) => reader.consume(RANGE_RECORDS, callback));
  const remedies = new Map([[NO_OFFSET, REMADE]]);
  const messages = await patiently(doing, request, { signal, remedies });
  return messages.filter((message) => message.topic === topic);
}

/**
 * The committed records of ranges, at most one for each partition, in batches.
 * @throws FirstseenError E_KAFKA, also for records that are removed meanwhile
 */
export async function* readRanges(
  reading: RangeReading,
  ranges: readonly RecordRange[],
): AsyncGenerator<readonly KafkaRecord[]> {
  const { reader, topic, takeEnds, bounds } = reading;
  const unreadRanges = new Map(ranges.filter(({ from, to }) => from < to).map((range) => [range.partition, range]));
  if (unreadRanges.size === 0) return;
  takeEnds();
  const lostRecords = new LostRecords(bounds);
  lostRecords.start(Array.from(unreadRanges.values(), ({ partition, from }) => [partition, from] as const));
  reader.assign(Array.from(unreadRanges.values(), ({ partition, from }) => ({ topic, partition, offset: from })));
  try {
    while (unreadRanges.size > 0) {
      const records = await consume(reading);
      const ends = takeEnds();
      lostRecords.hear({ records, ends });
      const inRanges = records.filter(({ partition, offset }) => {
        const range = unreadRanges.get(partition);
        return range !== undefined && offset >= range.from && offset < range.to;
      });
      const reachedOffsets = new Map(records.map(({ partition, offset }) => [partition, offset + 1]));
      for (const { partition, to } of unreadRanges.values()) {
        const end = Math.max(reachedOffsets.get(partition) ?? 0, ends.get(partition) ?? 0);
        if (end >= to) unreadRanges.delete(partition);
      }
      lostRecords.stop([...ends.keys(), ...reachedOffsets.keys()].filter((partition) => !unreadRanges.has(partition)));
      if (inRanges.length > 0) yield inRanges;
      const problem = lostRecords.look(records.length < RANGE_RECORDS);
      if (problem !== undefined) throw kafkaError(`the topic ${topic} cannot be read`, new Error(problem), REMADE);
    }
  } finally {
    reader.unassign();
  }
}
