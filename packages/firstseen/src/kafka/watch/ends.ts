// How far partitions reach, for a monitor.

import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaClient } from '../../io/kafka/contract.js';

type Ends = ReadonlyMap<number, number>;

const NO_ENDS: Ends = new Map();
/** A monitor that waits for longer takes the worker for dead. */
const ANSWER_MILLISECONDS = 1000;
/** Time for which ends are told again, while others are asked for. Monitors ask more often. */
const KEPT_MILLISECONDS = 300_000;

/** The ends of all partitions that were asked for, and when the last of them was found. */
interface Round {
  found: Ends;
  endedAt: number;
}

export class PartitionEnds {
  readonly #client: Pick<KafkaClient, 'bounds'>;
  /**
   * The pending request of each topic. While brokers do not answer, nothing else is asked: each request takes a thread
   * of the process.
   */
  readonly #pending = new Map<string, Promise<Ends>>();
  /** The last rounds that did not fail, by topic: many partitions over a slow network take longer than a monitor waits. */
  readonly #rounds = new Map<string, Round>();

  constructor(client: Pick<KafkaClient, 'bounds'>) {
    this.#client = client;
  }

  /** The ends of partitions of a topic. While they are asked for, those that were found before; of none if the brokers do not answer. */
  async of(topic: string, partitions: readonly number[]): Promise<Ends> {
    if (partitions.length === 0) return NO_ENDS;
    const pending = this.#pending.get(topic) ?? this.#find(topic, partitions);
    this.#pending.set(topic, pending);
    const late = sleep(ANSWER_MILLISECONDS, undefined, { ref: false }).then(() => this.#before(topic));
    return Promise.race([pending, late]);
  }

  #before(topic: string): Ends {
    const { found, endedAt } = this.#rounds.get(topic) ?? { found: NO_ENDS, endedAt: 0 };
    return performance.now() - endedAt < KEPT_MILLISECONDS ? found : NO_ENDS;
  }

  /** Asks one after the other. */
  async #find(topic: string, partitions: readonly number[]): Promise<Ends> {
    const found = new Map<number, number>();
    try {
      for (const partition of partitions) found.set(partition, (await this.#client.bounds(topic, partition)).high);
      this.#rounds.set(topic, { found, endedAt: performance.now() });
    } catch {
      // The worker says itself what it cannot have.
      this.#rounds.delete(topic);
    } finally {
      this.#pending.delete(topic);
    }
    return found;
  }
}
