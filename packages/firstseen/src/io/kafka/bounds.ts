// The bounds of partitions, as their leaders have them.

import type { Bounds } from './contract.js';
import { patiently, UNKNOWN_PARTITION } from './errors.js';
import { called, type RdConsumer, type RdError, type TopicPartition } from './rdkafka.js';

interface Place {
  topic: string;
  partition: number;
}

export interface AskingOptions {
  /** The time of a request, in milliseconds. */
  timeout: number;
  /** Asks to stop. */
  signal?: AbortSignal | undefined;
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
  { timeout, signal }: AskingOptions,
  query: () => Promise<Value>,
): Promise<Value> {
  const ask = async () => {
    try {
      return await query();
    } catch (error) {
      if ((error as RdError).code !== UNKNOWN_PARTITION) throw error;
      await called((callback) => finder.getMetadata({ topic, timeout }, callback));
      throw error;
    }
  };
  return patiently(`the offsets of ${topic} cannot be read`, ask, { signal });
}

/** The offsets of the first record of a partition, and of the one after the last. @throws FirstseenError E_KAFKA */
export async function boundsOf(finder: Finder, { topic, partition }: Place, options: AskingOptions): Promise<Bounds> {
  const { lowOffset: low, highOffset: high } = await asked(finder, topic, options, () =>
    called<{ lowOffset: number; highOffset: number }>((callback) =>
      finder.queryWatermarkOffsets(topic, partition, options.timeout, callback),
    ),
  );
  return { low, high };
}

/** The offset of the first record that is not earlier than a time; undefined if all are. @throws FirstseenError E_KAFKA */
export async function offsetAtTime(
  finder: Pick<RdConsumer, 'offsetsForTimes' | 'getMetadata'>,
  { time, ...place }: Place & { time: number },
  options: AskingOptions,
): Promise<number | undefined> {
  const [at] = await asked(finder, place.topic, options, () =>
    called<Required<TopicPartition>[]>((callback) =>
      finder.offsetsForTimes([{ ...place, offset: time }], options.timeout, callback),
    ),
  );
  return at === undefined || at.offset < 0 ? undefined : at.offset;
}
