// The bounds of partitions, as their leaders have them.

import type { Bounds } from './contract.js';
import { patiently, UNKNOWN_PARTITION } from './errors.js';
import { called, type RdConsumer, type RdError, type TopicPartition } from './rdkafka.js';

interface Place {
  topic: string;
  partition: number;
}

type Finder = Pick<RdConsumer, 'queryWatermarkOffsets' | 'getMetadata'>;

/**
 * Asks for offsets of a topic. A client that has once seen a partition without a leader,
 * as while brokers change, does not look again for minutes, and calls the partition unknown. So it is told to look again.
 * @throws FirstseenError E_KAFKA
 */
function asked<Value>(
  finder: Pick<RdConsumer, 'getMetadata'>,
  topic: string,
  timeout: number,
  query: () => Promise<Value>,
): Promise<Value> {
  return patiently(`the offsets of ${topic} cannot be read`, async () => {
    try {
      return await query();
    } catch (error) {
      if ((error as RdError).code !== UNKNOWN_PARTITION) throw error;
      await called((callback) => finder.getMetadata({ topic, timeout }, callback));
      throw error;
    }
  });
}

/** The offsets of the first record of a partition, and of the one after the last. @throws FirstseenError E_KAFKA */
export async function boundsOf(finder: Finder, { topic, partition }: Place, timeout: number): Promise<Bounds> {
  const { lowOffset: low, highOffset: high } = await asked(finder, topic, timeout, () =>
    called<{ lowOffset: number; highOffset: number }>((callback) =>
      finder.queryWatermarkOffsets(topic, partition, timeout, callback),
    ),
  );
  return { low, high };
}

/** The offset of the first record that is not earlier than a time; undefined if all are. @throws FirstseenError E_KAFKA */
export async function offsetAtTime(
  finder: Pick<RdConsumer, 'offsetsForTimes' | 'getMetadata'>,
  { time, ...place }: Place & { time: number },
  timeout: number,
): Promise<number | undefined> {
  const [at] = await asked(finder, place.topic, timeout, () =>
    called<Required<TopicPartition>[]>((callback) =>
      finder.offsetsForTimes([{ ...place, offset: time }], timeout, callback),
    ),
  );
  return at === undefined || at.offset < 0 ? undefined : at.offset;
}
