// Topics that are made again while a worker runs, under the same names: the client reads and writes them on as if they were the same.

import type { KafkaClient } from '../../io/kafka/contract.js';
import { isUnanswered } from '../../io/kafka/errors.js';
import { isRemade } from './pointers.js';

/** Time between two looks. */
const LOOK_MILLISECONDS = 10_000;
/** Time after which a look that has no answer is waited for: the brokers do not answer. */
const OVERDUE_MILLISECONDS = 5000;

export interface RemadeOptions {
  client: Pick<KafkaClient, 'topicId'>;
  topics: readonly string[];
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
    await remade.#askEach();
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
    const { client, topics } = this.#options;
    for (const topic of topics) {
      const id = await client.topicId(topic);
      if (isRemade({ inputId: this.#ids.get(topic) }, id)) this.#remade.push(topic);
      // One that is gone may be made again.
      if (id !== undefined) this.#ids.set(topic, id);
    }
  }
}

/** Says that a topic was made again to which a worker writes. */
export function remadeOutput(topic: string): string {
  return `the topic ${topic} was re-created while the worker runs: what was written to it before is gone; the worker goes on`;
}

/** Says that the topic of the pointers was made again. */
export function remadePointers(topic: string): string {
  return `the topic ${topic} of the pointers was re-created while the worker runs: the worker writes the pointers of its partitions again; make sure that its cleanup.policy is compact`;
}
