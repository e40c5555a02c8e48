// Partitions whose next records are gone. The client reports an error once, and drops it if it has read records before it. It reads nothing
// more of such a partition then, neither records nor an end, so only the brokers can say it.

import type { Bounds, Fetched, KafkaRecord } from './contract.js';

/** Time after which the brokers are asked about a partition that sent neither records nor its end. */
const QUIET_MILLISECONDS = 10_000;
/** Time between two questions, however many partitions are quiet. */
const PAUSE_MILLISECONDS = 1000;

/** The position in a partition. */
interface Place {
  position: number;
  /** The time at which something was heard of it last, or asked about it. */
  at: number;
  /** The problem, as the brokers have told it. */
  problem?: string | undefined;
}

export class LostRecords {
  readonly #bounds: (partition: number) => Promise<Bounds>;
  readonly #places = new Map<number, Place>();
  /** While a question is not answered, nothing else is asked: each takes a thread of the process. */
  #isAsking = false;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** @param bounds asks where a partition begins and ends */
  constructor(bounds: (partition: number) => Promise<Bounds>) {
    this.#bounds = bounds;
  }

  start(positions: Iterable<readonly [partition: number, position: number]>): void {
    const at = performance.now();
    for (const [partition, position] of positions) this.#places.set(partition, { position, at });
  }

  stop(partitions: Iterable<number>): void {
    for (const partition of partitions) this.#places.delete(partition);
  }

  /** Takes note of what was read. */
  hear({ records, ends }: Fetched): void {
    for (let i = 0; i < records.length; i++) {
      const { partition, offset } = records[i] as KafkaRecord;
      // The last of a run of records of one partition says it for all of them.
      if (records[i + 1]?.partition !== partition) this.#reach(partition, offset + 1);
    }
    for (const [partition, end] of ends) this.#reach(partition, end);
  }

  #reach(partition: number, offset: number): void {
    const place = this.#places.get(partition);
    if (place) this.#places.set(partition, { position: Math.max(place.position, offset), at: performance.now() });
  }

  /**
   * Looks for a partition that does not go on, and asks about one that is quiet.
   * @param isDrained whether the client had nothing more to return: before that, it may have the records
   * @returns what is wrong
   */
  look(isDrained: boolean): string | undefined {
    void this.#ask(performance.now());
    if (!isDrained) return undefined;
    return [...this.#places.values()].find(({ problem }) => problem !== undefined)?.problem;
  }

  async #ask(now: number): Promise<void> {
    if (this.#isAsking || now - this.#askedAt < PAUSE_MILLISECONDS) return;
    const quiet = [...this.#places].filter(([, { at }]) => now - at >= QUIET_MILLISECONDS);
    const [next] = quiet.sort(([, first], [, second]) => first.at - second.at);
    if (next === undefined) return;
    const [partition, place] = next;
    this.#isAsking = true;
    try {
      const bounds = await this.#bounds(partition);
      place.problem = problemOf(partition, place, bounds);
    } catch {
      // Brokers that do not answer are asked again. Who reads the topic hears of it too.
    } finally {
      place.at = performance.now();
      this.#askedAt = place.at;
      this.#isAsking = false;
    }
  }
}

function problemOf(partition: number, { position }: Place, { low, high }: Bounds): string | undefined {
  if (position < low) return `partition ${partition} begins at the offset ${low}, and was read up to ${position}`;
  if (position > high) return `partition ${partition} ends at the offset ${high}, and was read up to ${position}`;
  return undefined;
}
