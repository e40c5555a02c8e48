// Partitions that the group assigns to none of its members. A member that starts again within its session gets its old partitions back, without
// a rebalance. Its client notices only partitions that are added after it has joined. So partitions that were added while no member ran would
// never be read.

import { describedGroup, type GroupLook } from './groups.js';
import type { RdConsumer } from './rdkafka.js';
import { committedOffsets } from './takeover.js';

/** Time between two looks. A partition counts only if both find it unassigned, because a rebalance takes some seconds. */
const LOOK_MILLISECONDS = 20_000;
/** The state of a group that is not rebalancing. */
const STABLE = 3;

export interface UnassignedLook extends GroupLook {
  topic: string;
  /** The name of the member that looks. */
  instance: string;
  /** Finds the number of partitions of the topic. */
  partitionsOf: (topic: string) => Promise<number | undefined>;
  finder: Pick<RdConsumer, 'committed'>;
}

/**
 * Finds partitions that no member has, and of which the group has never committed an offset: one that has may be on its way from one member
 * to another. Only the first member by its name finds any, so that not all members do something about it.
 * @param ownCount the number of partitions that this member has
 * @throws FirstseenError E_KAFKA
 */
export async function unassignedPartitions(look: UnassignedLook, ownCount: number): Promise<readonly number[]> {
  const { topic, instance, partitionsOf } = look;
  const count = (await partitionsOf(topic)) ?? 0;
  if (count <= ownCount) return [];
  const allPartitions = Array.from({ length: count }, (_, partition) => ({ topic, partition }));
  // Whoever has a partition commits an offset of it at once. So the group itself is asked for seldom: that takes a process.
  const uncommittedOffsets = (await committedOffsets(look, allPartitions)).filter(({ offset = -1 }) => offset < 0);
  if (uncommittedOffsets.length === 0) return [];
  const { state, members } = await describedGroup(look);
  const names = members.flatMap(({ groupInstanceId }) => groupInstanceId ?? []);
  if (state !== STABLE || names.sort()[0] !== instance) return [];
  const places = members.flatMap(({ assignment }) => assignment?.topicPartitions ?? []);
  const assignedPartitions = new Set(places.filter((place) => place.topic === topic).map(({ partition }) => partition));
  return uncommittedOffsets.map(({ partition }) => partition).filter((partition) => !assignedPartitions.has(partition));
}

export function unassignedText(missing: readonly number[], topic: string, group: string): string {
  const [noun, pronoun] = missing.length === 1 ? ['partition', 'it'] : ['partitions', 'them'];
  const what = `the group ${group} gives the ${noun} ${missing.join(', ')} of ${topic} to no worker`;
  return `${what}, as when they were added while none ran: this one leaves the group and joins it again, so that one gets ${pronoun}`;
}

/** Looks for unassigned partitions from time to time. */
export class UnassignedPartitions {
  readonly #find: () => Promise<readonly number[]>;
  /** The partitions that the latest look has found. */
  #latest: readonly number[] = [];
  /** The partitions that two looks in a row have found. */
  #missing: readonly number[] = [];
  #isAsking = false;
  #askedAt = performance.now();
  /** Longer after each try to have them assigned that did not help. */
  #pauseMilliseconds = LOOK_MILLISECONDS;

  constructor(find: () => Promise<readonly number[]>) {
    this.#find = find;
  }

  /** @returns what nobody has, once: something has to be done about it then */
  look(): readonly number[] {
    const missingPartitions = this.#missing;
    if (missingPartitions.length === 0) {
      void this.#ask();
      return missingPartitions;
    }
    this.#missing = [];
    this.#latest = [];
    this.#pauseMilliseconds *= 2;
    return missingPartitions;
  }

  async #ask(): Promise<void> {
    if (this.#isAsking || performance.now() - this.#askedAt < this.#pauseMilliseconds) return;
    this.#isAsking = true;
    try {
      const latestPartitions = await this.#find();
      this.#missing = latestPartitions.filter((partition) => this.#latest.includes(partition));
      this.#latest = latestPartitions;
      if (latestPartitions.length === 0) this.#pauseMilliseconds = LOOK_MILLISECONDS;
    } catch {
      // Brokers that do not answer are asked again.
      this.#latest = [];
    } finally {
      this.#askedAt = performance.now();
      this.#isAsking = false;
    }
  }
}
