// Why a worker does not move: its calls of the client are watched, and what it hears of the partitions that it reads
// (docs/decisions/130-why-a-worker-stands-still.md).

import { setTimeout as sleep } from 'node:timers/promises';
import { formatCounted } from '../base/count.js';
import type { Fetched, GroupChange, KafkaClient, KafkaRecord, RecordContent } from '../io/kafka/contract.js';

/** What can hold a worker up. */
export const reasons = ['brokers', 'group', 'input', 'output', 'disk'] as const;
export type Reason = (typeof reasons)[number];

/** What holds a worker up, and for how long. */
export interface Holdup {
  reason: Reason;
  text: string;
  milliseconds: number;
}

/** Time after which standing still is told. Brokers that change take some seconds. */
const TOLD_MILLISECONDS = 30_000;
const CHECK_MILLISECONDS = 10_000;
/** Brokers that answer at all say within this time where a partition ends. */
const ANSWER_MILLISECONDS = 5000;

export interface HoldupOptions {
  /** The topic that is read. */
  topic: string;
  /** Asks where partitions end. */
  client: Pick<KafkaClient, 'bounds'>;
  onWarning: (message: string) => void;
  /** A clock, in milliseconds. */
  now?: () => number;
}

/** A call that has not returned. */
interface Call {
  reason: Reason;
  doing: string;
  since: number;
}

/** Transactions that were aborted, one after the other. */
interface Aborts {
  /** The begin of the first of them. */
  since: number;
  /** The end of the last of them. */
  at: number;
  problem: string;
}

/** What was heard last of a partition that is read. */
interface Heard {
  at: number;
  /** Its end, if that was heard last. */
  end: number | undefined;
  /** The time at which the brokers said that there is more after that end. */
  behindSince?: number;
}

export class Holdups {
  readonly #options: HoldupOptions;
  readonly #now: () => number;
  readonly #calls = new Set<Call>();
  readonly #heard = new Map<number, Heard>();
  #paused: ReadonlySet<number> = new Set();
  #lastCallAt: number;
  #lastRecordAt: number;
  /** The time of the last request for records. */
  #lastFetchAt: number;
  /** When it has become a member that no partitions were assigned to, not even none. */
  #unassignedSince: number | undefined;
  /** The begin of the last transaction. */
  #beganAt = 0;
  #aborts: Aborts | undefined;
  /** A question for the end of a partition that is not answered. While there is one, nothing else is asked: each takes a thread of the process. */
  #question: Promise<number | undefined> | undefined;
  #lastAnswerAt: number;
  #current: Holdup | undefined;

  constructor(options: HoldupOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#lastCallAt = this.#now();
    this.#lastRecordAt = this.#lastCallAt;
    this.#lastFetchAt = this.#lastCallAt;
    this.#lastAnswerAt = this.#lastCallAt;
  }

  /** What holds the worker up, as of the last check. */
  get current(): Holdup | undefined {
    return this.#current;
  }

  async during<Value>(reason: Reason, doing: string, request: () => Promise<Value>): Promise<Value> {
    const call = { reason, doing, since: this.#now() };
    this.#calls.add(call);
    try {
      return await request();
    } finally {
      this.#calls.delete(call);
      this.#lastCallAt = this.#now();
    }
  }

  begun(): void {
    this.#beganAt = this.#now();
  }

  committed(): void {
    this.#aborts = undefined;
  }

  aborted(problem: string): void {
    this.#aborts = { since: this.#aborts?.since ?? this.#beganAt, at: this.#now(), problem };
  }

  joined(): void {
    this.#heard.clear();
    this.#aborts = undefined;
    this.#unassignedSince = this.#now();
  }

  changed(changes: readonly GroupChange[]): void {
    // What was not committed may be another worker's now.
    if (changes.length > 0) this.#aborts = undefined;
    for (const { kind } of changes) this.#unassignedSince = kind === 'lost' ? this.#now() : undefined;
  }

  started(partitions: Iterable<number>): void {
    for (const partition of partitions) this.#heard.set(partition, { at: this.#now(), end: undefined });
  }

  stopped(partitions: readonly number[]): void {
    for (const partition of partitions) this.#heard.delete(partition);
  }

  paused(partitions: ReadonlySet<number>): void {
    for (const partition of this.#paused) if (!partitions.has(partition)) this.started([partition]);
    this.#paused = partitions;
  }

  fetched({ records, ends }: Fetched): void {
    const at = this.#now();
    this.#lastFetchAt = at;
    if (records.length > 0) this.#lastRecordAt = at;
    for (let i = 0; i < records.length; i++) {
      const { partition } = records[i] as KafkaRecord;
      if (records[i + 1]?.partition !== partition) this.#hear(partition, { at, end: undefined });
    }
    for (const [partition, end] of ends) this.#hear(partition, { at, end });
  }

  #hear(partition: number, heard: Heard): void {
    if (this.#heard.has(partition)) this.#heard.set(partition, heard);
  }

  /** Looks what holds the worker up, and tells it once. @param signal ends the wait for an answer of brokers */
  async check(signal?: AbortSignal): Promise<void> {
    const holdup = await this.#find(signal);
    const isNew = holdup !== undefined && holdup.reason !== this.#current?.reason;
    this.#current = holdup;
    if (isNew) this.#options.onWarning(holdupText(holdup));
  }

  async #find(signal: AbortSignal | undefined): Promise<Holdup | undefined> {
    const [call] = this.#calls;
    const waiting = (call && this.#after(call.since, call.reason, call.doing)) ?? this.#findAborts();
    if (waiting) return waiting;
    const idle = call ? undefined : this.#after(this.#lastCallAt, 'disk', 'its folder does not answer, or is slow');
    if (idle) return idle;
    if (this.#unassignedSince !== undefined) return this.#findUnassigned(this.#unassignedSince, signal);
    const read = [...this.#heard].filter(([partition]) => !this.#paused.has(partition));
    // While others send much, a partition may have to wait for its turn.
    const areOthersSilent = this.#lastFetchAt - this.#lastRecordAt >= TOLD_MILLISECONDS;
    for (const [partition, { at, end }] of areOthersSilent ? read : []) {
      if (end !== undefined || this.#lastFetchAt - at < TOLD_MILLISECONDS) continue;
      const doing = `the brokers send nothing of partition ${partition} of ${this.#options.topic}, not even its end`;
      return this.#after(at, 'brokers', doing);
    }
    const quiet = read.filter(([, { at }]) => this.#lastFetchAt - at >= TOLD_MILLISECONDS - CHECK_MILLISECONDS);
    return this.#findOpen(quiet, signal);
  }

  /** A member loses its partitions when brokers do not answer, and also when its group gives them to others. */
  async #findUnassigned(since: number, signal: AbortSignal | undefined): Promise<Holdup | undefined> {
    const doing = 'the group does not give it partitions: another member may hold them, and not answer';
    const holdup = this.#after(since, 'group', doing);
    if (holdup === undefined || (await this.#endOf(0, signal)) !== undefined) return holdup;
    return this.#unanswered(0, since) ?? holdup;
  }

  /** Brokers that have not said where a partition ends. @param since the time from which on the worker does not move */
  #unanswered(partition: number, since: number): Holdup | undefined {
    const doing = `the brokers do not say where partition ${partition} of ${this.#options.topic} ends`;
    return this.#after(Math.max(since, this.#lastAnswerAt), 'brokers', doing);
  }

  /** Each of many transactions ends soon, so no call takes long, and yet nothing is committed. */
  #findAborts(): Holdup | undefined {
    if (this.#aborts === undefined) return undefined;
    const { since, at, problem } = this.#aborts;
    // One that is not repeated holds nothing up.
    if (this.#now() - at >= TOLD_MILLISECONDS) return undefined;
    return this.#after(since, 'output', `transactions are aborted: ${problem}`);
  }

  #after(since: number, reason: Reason, text: string): Holdup | undefined {
    const milliseconds = this.#now() - since;
    return milliseconds < TOLD_MILLISECONDS ? undefined : { reason, text, milliseconds };
  }

  /** Looks for partitions that have more than what is committed: an open transaction holds back what is after its begin. */
  async #findOpen(
    quiet: readonly (readonly [number, Heard])[],
    signal: AbortSignal | undefined,
  ): Promise<Holdup | undefined> {
    const { topic } = this.#options;
    for (const [partition, heard] of quiet) {
      const { at, end, behindSince } = heard;
      if (end === undefined) continue;
      const high = await this.#endOf(partition, signal);
      if (high === undefined) return this.#unanswered(partition, at);
      if (high <= end || this.#heard.get(partition) !== heard) continue;
      // It may have come a moment ago: it has to be missing from what is fetched later.
      heard.behindSince ??= this.#now();
      if (behindSince === undefined || this.#lastFetchAt < behindSince) continue;
      const text = `${formatCounted(high - end, 'offset')} of partition ${partition} of ${topic} from ${end} on are behind a transaction that its producer has not ended`;
      return this.#after(at, 'input', text);
    }
    return undefined;
  }

  /** The end of a partition, for who reads what is not committed too; undefined if the brokers do not say it soon. */
  #endOf(partition: number, signal: AbortSignal | undefined): Promise<number | undefined> {
    if (this.#question) return Promise.resolve(undefined);
    const { client, topic } = this.#options;
    const question = client.bounds(topic, partition).then(
      ({ high }) => {
        this.#lastAnswerAt = this.#now();
        return high;
      },
      () => undefined,
    );
    this.#question = question;
    void question.finally(() => {
      this.#question = undefined;
    });
    const late = sleep(ANSWER_MILLISECONDS, undefined, { ref: false, ...(signal ? { signal } : {}) });
    return Promise.race([question, late.catch(() => undefined)]);
  }

  /** Checks until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(CHECK_MILLISECONDS, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await this.check(signal);
    }
  }
}

/** What holds a worker up, as a line. */
export function holdupText({ reason, text, milliseconds }: Holdup): string {
  return `has not moved for ${Math.floor(milliseconds / 1000)} s, because of the ${reason}: ${text}`;
}

/** A client whose calls, and those of its members, are watched. */
export function watching(client: KafkaClient, holdups: Holdups): KafkaClient {
  const ask = <Value>(doing: string, request: () => Promise<Value>) => holdups.during('brokers', doing, request);
  return {
    partitionsOf: (topic) => ask(`the topic ${topic} is looked up`, () => client.partitionsOf(topic)),
    topicId: (topic) => ask(`the topic ${topic} is looked up`, () => client.topicId(topic)),
    bounds: (topic, partition) => ask(`the offsets of ${topic} are read`, () => client.bounds(topic, partition)),
    offsetAt: (topic, partition, time) =>
      ask(`the offsets of ${topic} are read`, () => client.offsetAt(topic, partition, time)),
    memberNames: () => ask('the members of the group are read', () => client.memberNames()),
    takesKeyless: (topic) => ask(`the topic ${topic} is looked up`, () => client.takesKeyless(topic)),
    makeCompacted: (topic, partitions) =>
      ask(`the topic ${topic} is made`, () => client.makeCompacted(topic, partitions)),
    async *records(topic, ranges) {
      const batches = client.records(topic, ranges)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await ask(`the topic ${topic} is read to its end, before which a transaction may be open`, () =>
            batches.next(),
          );
          if (next.done) return;
          yield next.value;
        }
      } finally {
        await batches.return?.();
      }
    },
    async join(topic) {
      const member = await holdups.during('group', 'it joins its group', () => client.join(topic));
      holdups.joined();
      const write = async <Value>(doing: string, request: () => Promise<Value>) => {
        try {
          return await holdups.during('output', doing, request);
        } catch (error) {
          holdups.aborted((error as Error).message);
          throw error;
        }
      };
      return {
        changes() {
          const changes = member.changes();
          holdups.changed(changes);
          return changes;
        },
        committed: (partitions) =>
          holdups.during('group', 'the offsets of its group are read', () => member.committed(partitions)),
        start(positions) {
          holdups.started(positions.keys());
          member.start(positions);
        },
        stop(partitions) {
          holdups.stopped(partitions);
          member.stop(partitions);
        },
        async seek(positions) {
          await holdups.during('input', 'the input is read again', () => member.seek(positions));
          holdups.started(positions.keys());
        },
        pause(partitions) {
          holdups.paused(partitions);
          member.pause(partitions);
        },
        async fetch(most) {
          const fetched = await holdups.during('brokers', `the topic ${topic} is read`, () => member.fetch(most));
          holdups.fetched(fetched);
          return fetched;
        },
        begin() {
          holdups.begun();
          return write('a transaction begins', () => member.begin());
        },
        send(output: string, partition: number, record: RecordContent) {
          const full = member.send(output, partition, record);
          return full && write(`the topic ${output} does not take what is written as fast as it comes`, () => full);
        },
        async commit(offsets) {
          await write('a transaction is committed', () => member.commit(offsets));
          holdups.committed();
        },
        abort: () => write('a transaction is aborted', () => member.abort()),
        close: () => holdups.during('group', 'it leaves its group', () => member.close()),
      };
    },
    close: () => client.close(),
  };
}
