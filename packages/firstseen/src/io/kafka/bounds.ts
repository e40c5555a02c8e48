// The bounds of partitions, as their leaders have them.

import type { Bounds } from './contract.js';
import { patiently, UNKNOWN_PARTITION } from './errors.js';
import { called, type RdConsumer, type RdError } from './rdkafka.js';

/**
 * The offsets of the first record of a partition, and of the one after the last. A client that has once seen a partition without a leader,
 * as while brokers change, does not look again for minutes, and calls the partition unknown. So it is told to look again.
 * @throws FirstseenError E_KAFKA
 */
export async function boundsOf(
  finder: Pick<RdConsumer, 'queryWatermarkOffsets' | 'getMetadata'>,
  { topic, partition }: { topic: string; partition: number },
  timeoutMilliseconds: number,
): Promise<Bounds> {
  const query = () =>
    called<{ lowOffset: number; highOffset: number }>((callback) =>
      finder.queryWatermarkOffsets(topic, partition, timeoutMilliseconds, callback),
    );
  const { lowOffset: low, highOffset: high } = await patiently(`the offsets of ${topic} cannot be read`, async () => {
    try {
      return await query();
    } catch (error) {
      if ((error as RdError).code !== UNKNOWN_PARTITION) throw error;
      await called((callback) => finder.getMetadata({ topic, timeout: timeoutMilliseconds }, callback));
      throw error;
    }
  });
  return { low, high };
}
