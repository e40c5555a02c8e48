// What a member of a group works with.

import type { PendingChanges } from './changes.js';
import type { Bounds } from './contract.js';
import type { RdConsumer, RdProducer, TopicPartition } from './rdkafka.js';

export interface MemberOptions {
  topic: string;
  group: string;
  consumer: RdConsumer;
  producer: RdProducer;
  /** The id of the transactions. It is committed with the offsets, so that others can end the transactions of a member that is gone. */
  transactionalId: string;
  /** Ends the transactions of members that are gone and that have committed offsets of these partitions. */
  endTransactionsOfGone: (places: readonly TopicPartition[]) => Promise<void>;
  /** Tells if the brokers know the topic. */
  isThere: () => Promise<boolean>;
  /** Asks where a partition of the topic begins and ends. */
  bounds: (partition: number) => Promise<Bounds>;
  /** Finds partitions that no member of the group has. @param ownCount the number of those that this member has */
  unassigned: (own: number) => Promise<readonly number[]>;
  /** Makes a producer that ends what is left of the transactions of the one before. */
  newProducer: () => Promise<RdProducer>;
  /** Filled by the callback of the consumer. */
  changes: PendingChanges;
  onWarning: (message: string) => void;
  /** Asks to stop: partitions that are being opened are given up then. What was read is still written. */
  signal?: AbortSignal | undefined;
}
