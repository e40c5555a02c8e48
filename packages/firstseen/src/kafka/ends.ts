// How far partitions reach, for a monitor.

import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaClient } from '../io/kafka/contract.js';

type Ends = ReadonlyMap<number, number>;

/** A monitor that waits for longer takes the worker for dead. */
const ANSWER_MILLISECONDS = 1000;

export class PartitionEnds {
  readonly #client: Pick<KafkaClient, 'bounds'>;
  /** What is asked of a topic. While brokers do not answer, nothing else is asked: each request takes a thread of the process. */
  readonly #pending = new Map<string, Promise<Ends>>();

  constructor(client: Pick<KafkaClient, 'bounds'>) {
    this.#client = client;
  }

  /** The ends of partitions of a topic; of none if the brokers do not answer soon. */
  async of(topic: string, partitions: readonly number[]): Promise<Ends> {
    if (partitions.length === 0) return new Map();
    const pending = this.#pending.get(topic) ?? this.#find(topic, partitions);
    this.#pending.set(topic, pending);
    return Promise.race([pending, sleep(ANSWER_MILLISECONDS, new Map<number, number>(), { ref: false })]);
  }

  async #find(topic: string, partitions: readonly number[]): Promise<Ends> {
    const found = new Map<number, number>();
    try {
      for (const partition of partitions) found.set(partition, (await this.#client.bounds(topic, partition)).high);
    } catch {
      // The worker says itself what it cannot have.
    } finally {
      this.#pending.delete(topic);
    }
    return found;
  }
}
