// What a consumer is given and loses as a member of its group.

import type { GroupChange } from './contract.js';
import type { RdConsumer, RdError, TopicPartition } from './rdkafka.js';

/** Code of librdkafka. */
const ASSIGN_PARTITIONS = -175;

type Assigning = Pick<RdConsumer, 'incrementalAssign' | 'incrementalUnassign'>;

/**
 * Answers a change of a consumer that closes, which waits for that: nothing is taken. The client refuses an assignment once it closes, and
 * then takes all back, which is answered. Two answers would be one too many: the client never returns from what comes after its end.
 */
function decline(consumer: Assigning, isAssigned: boolean, places: readonly TopicPartition[]): void {
  try {
    if (isAssigned) consumer.incrementalAssign([]);
    else consumer.incrementalUnassign(places);
  } catch {
    // A consumer that is closed already has nothing to give up, and refuses.
  }
}

/** The changes that a member has not taken yet. */
export class PendingChanges {
  readonly #changes: GroupChange[] = [];
  #isClosing = false;
  #isAbandoned = false;

  /** Notes a change as the consumer tells it. */
  note(
    consumer: Assigning & Pick<RdConsumer, 'assignmentLost'>,
    error: RdError,
    places: readonly TopicPartition[],
  ): void {
    if (this.#isAbandoned) return;
    const isAssigned = error.code === ASSIGN_PARTITIONS;
    if (this.#isClosing) {
      // The client crashes when a consumer that is closed is asked whether it has lost its partitions.
      decline(consumer, isAssigned, places);
      return;
    }
    const kind = isAssigned ? 'assigned' : consumer.assignmentLost() ? 'lost' : 'revoked';
    this.#changes.push({ kind, partitions: places.map(({ partition }) => partition) });
  }

  /** The changes, in order, which are then not pending any more. */
  take(): readonly GroupChange[] {
    return this.#changes.splice(0);
  }

  /** True if partitions were given to others. */
  get hasLost(): boolean {
    return this.#changes.some(({ kind }) => kind === 'lost');
  }

  /** Leaves the changes of a consumer after a fatal error without an answer: it does not wait for one, and crashes if it comes while it closes. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Lets the consumer take nothing more. */
  close(consumer: Assigning, topic: string): void {
    this.#isClosing = true;
    for (const { kind, partitions } of this.take()) {
      const places = partitions.map((partition) => ({ topic, partition }));
      decline(consumer, kind === 'assigned', places);
    }
  }
}
