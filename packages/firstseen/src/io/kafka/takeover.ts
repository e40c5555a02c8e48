// The transactions of members that are gone. Brokers look for transactions that took too long every 10 s, and until then the offsets of the
// group wait for such a transaction. Who takes over the partitions knows its id from the offsets before, and ends it at once.

import { patiently } from './errors.js';
import {
  called,
  type RdConsumer,
  type RdGroup,
  type RdGroups,
  type RdKafka,
  type RdProperties,
  type TopicPartition,
  withAdmin,
} from './rdkafka.js';

export interface TakeoverOptions {
  rdKafka: Pick<RdKafka, 'AdminClient'>;
  properties: RdProperties;
  group: string;
  /** The name of the member that takes over. */
  instance: string;
  /** Finds the offsets of the group without waiting for open transactions. */
  finder: Pick<RdConsumer, 'committed'>;
  /** Ends the transaction of an id. */
  endTransaction: (transactionalId: string) => Promise<void>;
  timeoutMilliseconds: number;
  /** Asks to stop. */
  signal?: AbortSignal | undefined;
}

/** The id of the transactions of a member. The name of a group has no slash, so that no two members of any groups have the same. */
export function transactionalIdOf(group: string, instance: string): string {
  return `${group}/${instance}`;
}

/** The code of brokers for a group that they do not know. */
const NO_GROUP = 69;

export type GroupLook = Pick<TakeoverOptions, 'rdKafka' | 'properties' | 'group' | 'timeoutMilliseconds' | 'signal'>;

/** The group with its members. @throws FirstseenError E_KAFKA */
export async function describedGroup(look: GroupLook): Promise<Pick<RdGroup, 'state' | 'members'>> {
  const { rdKafka, properties, group, timeoutMilliseconds: timeout, signal } = look;
  const { groups } = await withAdmin(rdKafka, properties, (admin) => {
    const describe = async () => {
      const found = await called<RdGroups>((callback) => admin.describeGroups([group], { timeout }, callback));
      const failed = found.groups.find(({ error }) => error);
      if (failed && failed.error?.code !== NO_GROUP) throw failed.error;
      return found;
    };
    return patiently(`the members of the group ${group} cannot be looked up`, describe, { signal });
  });
  return groups[0] ?? { members: [] };
}

/** The names of the members that the group has; undefined for each member without one. @throws FirstseenError E_KAFKA */
export async function presentInstances(look: GroupLook): Promise<ReadonlySet<string | undefined>> {
  const { members } = await describedGroup(look);
  return new Set(members.map(({ groupInstanceId }) => groupInstanceId));
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
  const present = await presentInstances(options);
  // A group that does not show this member is not known well enough.
  if (!present.has(instance)) return;
  for (const id of ids) if (!present.has(id.slice(start.length))) await endTransaction(id);
}
