// Finds out that a topic is not compacted. The client cannot ask for the settings of a topic, but brokers refuse a record without a key
// in one that is compacted.

import { patiently } from './errors.js';
import type { RdError, RdKafka, RdProducer, RdProperties } from './rdkafka.js';
import { answered, disconnect } from './stuck.js';

/** The codes of the refusal: those of Kafka 2.4 and later, and of earlier ones. */
const REFUSED = [87, 2];
/** The code of librdkafka for a record that brokers have not taken in its time. */
const NOT_DELIVERED = -192;
const POLL_MILLISECONDS = 50;

export interface KeylessOptions {
  rdKafka: Pick<RdKafka, 'Producer'>;
  properties: RdProperties;
  connect: (producer: RdProducer) => Promise<void>;
  timeoutMilliseconds: number;
  /** Asks to stop. */
  signal?: AbortSignal | undefined;
}

function delivered(producer: RdProducer, topic: string): Promise<void> {
  return new Promise((resolve, reject) => {
    producer.on('delivery-report', ((error: RdError | null) => (error ? reject(error) : resolve())) as (
      value: never,
    ) => void);
    producer.produce(topic, 0, null, null, undefined, undefined, undefined);
  });
}

/**
 * Writes a record that has neither key nor value.
 * @returns whether the topic has taken it: it is not compacted then, or its brokers do not look
 * @throws FirstseenError E_KAFKA
 */
export async function takesKeyless(options: KeylessOptions, topic: string): Promise<boolean> {
  const { rdKafka, properties, connect, timeoutMilliseconds, signal } = options;
  const producer = new rdKafka.Producer({
    ...properties,
    ...{ dr_cb: true, 'message.timeout.ms': timeoutMilliseconds, 'message.send.max.retries': 0 },
  });
  await connect(producer);
  producer.setPollInterval(POLL_MILLISECONDS);
  try {
    const write = async () => {
      try {
        await answered(delivered(producer, topic));
        return true;
      } catch (error) {
        const { code } = error as RdError;
        if (REFUSED.includes(code)) return false;
        throw code === NOT_DELIVERED ? Object.assign(error as RdError, { isRetriable: true }) : error;
      }
    };
    return await patiently(`the topic ${topic} cannot be written`, write, { signal });
  } finally {
    await disconnect(producer);
  }
}
