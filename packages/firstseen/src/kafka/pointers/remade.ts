// Topics that are made again while a worker runs, under the same names: the client reads and writes them on as if they were the same. And the
// topic of the pointers, which is removed: the worker still knows its pointers, and makes the topic again.

import type { GroupMember, KafkaClient } from '../../io/kafka/contract.js';
import { isUnanswered } from '../../io/kafka/errors.js';
import { isRemade, type PointersOf } from './pointers.js';

/** Time between two looks. */
const LOOK_MILLISECONDS = 10_000;
/** Time after which a look that has no answer is waited for: the brokers do not answer. */
const OVERDUE_MILLISECONDS = 5000;

export interface RemadeOptions {
  client: Pick<KafkaClient, 'topicId' | 'partitionsOf' | 'makeCompacted'>;
  /** The topics besides that of the pointers. */
  topics: readonly string[];
  /** The topic of the pointers, and the number of its partitions. */
  pointers: Pick<PointersOf, 'topic' | 'partitions'>;
  /** Asks to stop. */
  signal: AbortSignal;
}

export class RemadeTopics {
  readonly #options: RemadeOptions;
  /** The ids that the topics have had last. */
  readonly #ids = new Map<string, string | undefined>();
  #remade: string[] = [];
  #asking: Promise<void> | undefined;
  #askedAt = performance.now();

  private constructor(options: RemadeOptions) {
    this.#options = options;
  }

  /** Notes which topics they are. @throws FirstseenError E_KAFKA */
  static async of(options: RemadeOptions): Promise<RemadeTopics> {
    const remade = new RemadeTopics(options);
    const { client, topics, pointers } = options;
    for (const topic of [...topics, pointers.topic]) remade.#ids.set(topic, await client.topicId(topic));
    return remade;
  }

  /**
   * Looks from time to time, beside what the worker does. It waits for brokers that do not answer: one that has nothing to read or to write
   * would not notice it.
   * @returns topics that were made again, each once
   */
  async look(): Promise<readonly string[]> {
    const pause = performance.now() - this.#askedAt;
    if (this.#asking === undefined && pause >= LOOK_MILLISECONDS) {
      this.#askedAt = performance.now();
      this.#asking = this.#ask();
    } else if (pause >= OVERDUE_MILLISECONDS) await this.#asking;
    return this.#remade.splice(0);
  }

  /** Asks until brokers answer. */
  async #ask(): Promise<void> {
    try {
      for (;;) {
        try {
          return await this.#askEach();
        } catch (error) {
          // What they refuse is told by the next request that needs it.
          if (!isUnanswered(error) || this.#options.signal.aborted) return;
        }
      }
    } finally {
      this.#asking = undefined;
    }
  }

  async #askEach(): Promise<void> {
    for (const topic of this.#options.topics) this.#note(topic, await this.#options.client.topicId(topic));
    await this.#askPointers();
  }

  /** Makes the topic of the pointers again if it is gone. */
  async #askPointers(): Promise<void> {
    const { client, pointers } = this.#options;
    const { topic, partitions } = pointers;
    let id = await client.topicId(topic);
    // Brokers without ids give none of a topic that is there.
    if (id === undefined && (await client.partitionsOf(topic)) === undefined) {
      await client.makeCompacted(topic, partitions);
      this.#remade.push(topic);
      id = await client.topicId(topic);
      this.#ids.delete(topic);
    }
    this.#note(topic, id);
  }

  #note(topic: string, id: string | undefined): void {
    if (isRemade({ inputId: this.#ids.get(topic) }, id)) this.#remade.push(topic);
    // One that is gone may be made again.
    if (id !== undefined) this.#ids.set(topic, id);
  }

  /**
   * Looks at the topic of the pointers now. If it is gone, it is made again.
   * @returns whether the pointers that it had are lost
   * @throws FirstseenError E_KAFKA
   */
  async arePointersLost(): Promise<boolean> {
    await this.#asking;
    await this.#askPointers();
    return this.#remade.includes(this.#options.pointers.topic);
  }
}

/** The progress of a partition that a worker has. */
interface Progress {
  readonly position: number;
  committedPosition: number;
  isChanged: boolean;
}

/**
 * Goes on with the positions that this worker has after a transaction that failed, if their pointers are lost. What the group has committed
 * tells how the transaction has ended, and all pointers are written again by the next one.
 * @returns false if the pointers are there, or if the group has other positions
 */
export async function keepPositions(
  remade: Pick<RemadeTopics, 'arePointersLost'>,
  member: Pick<GroupMember, 'committed'>,
  states: ReadonlyMap<number, Progress>,
): Promise<boolean> {
  if (!(await remade.arePointersLost())) return false;
  const committed = await member.committed([...states.keys()]);
  const offsetOf = (partition: number) => committed.get(partition) ?? -1;
  const isOwn = ([partition, { position, committedPosition }]: readonly [number, Progress]) =>
    [-1, position, committedPosition].includes(offsetOf(partition));
  if (![...states].every(isOwn)) return false;
  for (const [partition, state] of states) {
    if (offsetOf(partition) === state.position) state.committedPosition = state.position;
    state.isChanged = true;
  }
  return true;
}

/** Says that a topic was made again to which a worker writes. */
export function remadeOutput(topic: string): string {
  return `the topic ${topic} was re-created while the worker runs: what was written to it before is gone; the worker goes on`;
}

/** Says that the topic of the pointers is another one than before. */
export function remadePointers(topic: string): string {
  return `the topic ${topic} of the pointers was removed or re-created while the worker runs: the worker writes the pointers of its partitions again; make sure that its cleanup.policy is compact`;
}
