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
  const left = new Map(ranges.filter(({ from, to }) => from < to).map((range) => [range.partition, range]));
  if (left.size === 0) return;
  takeEnds();
  const lost = new LostRecords(bounds);
  lost.start(Array.from(left.values(), ({ partition, from }) => [partition, from] as const));
  reader.assign(Array.from(left.values(), ({ partition, from }) => ({ topic, partition, offset: from })));
  try {
    while (left.size > 0) {
      const records = await consume(reading);
      const ends = takeEnds();
      lost.hear({ records, ends });
      const inRanges = records.filter(({ partition, offset }) => {
        const range = left.get(partition);
        return range !== undefined && offset >= range.from && offset < range.to;
      });
      const reached = new Map(records.map(({ partition, offset }) => [partition, offset + 1]));
      for (const { partition, to } of left.values()) {
        const end = Math.max(reached.get(partition) ?? 0, ends.get(partition) ?? 0);
        if (end >= to) left.delete(partition);
      }
      lost.stop([...ends.keys(), ...reached.keys()].filter((partition) => !left.has(partition)));
      if (inRanges.length > 0) yield inRanges;
      const problem = lost.look(records.length < RANGE_RECORDS);
      if (problem !== undefined) throw kafkaError(`the topic ${topic} cannot be read`, new Error(problem), REMADE);
    }
  } finally {
    reader.unassign();
  }
}
