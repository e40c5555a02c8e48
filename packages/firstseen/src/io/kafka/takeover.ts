// The transactions of members that are gone. Brokers look for transactions that took too long every 10 s, and until then the offsets of the
// group wait for such a transaction. Who takes over the partitions knows its id from the offsets before, and ends it at once.

import { patiently } from './errors.js';
import { type GroupLook, presentInstances } from './groups.js';
import { called, type RdConsumer, type TopicPartition } from './rdkafka.js';

export interface TakeoverOptions extends GroupLook {
  /** The name of the member that takes over. */
  instance: string;
  /** Finds the offsets of the group without waiting for open transactions. */
  finder: Pick<RdConsumer, 'committed'>;
  /** Ends the transaction of an id. */
  endTransaction: (transactionalId: string) => Promise<void>;
}

/** The id of the transactions of a member. The name of a group has no slash, so that no two members of any groups have the same. */
export function transactionalIdOf(group: string, instance: string): string {
  return `${group}/${instance}`;
}

/** The offsets that a group has committed of these partitions. @throws FirstseenError E_KAFKA */
export function committedOffsets(
  { finder, timeoutMilliseconds, signal }: Pick<TakeoverOptions, 'finder' | 'timeoutMilliseconds' | 'signal'>,
  places: readonly TopicPartition[],
): Promise<TopicPartition[]> {
  const ask = () =>
    called<TopicPartition[]>((callback) => finder.committed([...places], timeoutMilliseconds, callback));
  return patiently('the offsets of the group cannot be read', ask, { signal });
}

/**
 * Ends the transactions of members that have committed offsets of these partitions, and that the group does not have any more. What was not
 * committed is read and written again by the new owner, so nothing is lost. A member that is there is left alone.
 * @throws FirstseenError E_KAFKA
 */
export async function endTransactionsOfGone(
  options: TakeoverOptions,
  places: readonly TopicPartition[],
): Promise<void> {
  const { group, instance, endTransaction } = options;
  const offsets = await committedOffsets(options, places);
  const start = transactionalIdOf(group, '');
  const ids = new Set(offsets.map(({ metadata }) => metadata ?? '').filter((id) => id.startsWith(start)));
  ids.delete(transactionalIdOf(group, instance));
  if (ids.size === 0) return;
  const liveInstances = await presentInstances(options);
  // A group that does not show this member is not known well enough.
  if (!liveInstances.has(instance)) return;
  for (const id of ids) if (!liveInstances.has(id.slice(start.length))) await endTransaction(id);
}
