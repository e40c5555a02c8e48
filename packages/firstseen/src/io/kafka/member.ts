// A member of a group, with the producer of its transactions.

import { setTimeout as sleep } from 'node:timers/promises';
import type { FirstseenError } from '../../base/errors.js';
import { withoutGuess } from './connecting.js';
import {
  type Fetched,
  type GroupChange,
  type GroupMember,
  type KafkaRecord,
  type RecordContent,
  TransactionAborted,
  TransactionUnknown,
} from './contract.js';
import { isPassing, isRefused, kafkaError, NO_OFFSET, patiently, REMADE, recordRefusal } from './errors.js';
import { FLUSH_MILLISECONDS, failureOfSent, problemOf } from './flushing.js';
import { LostRecords } from './lostrecords.js';
import { asMember, FATAL, memberError, WRONG_STATE } from './membererrors.js';
import type { MemberOptions } from './memberoptions.js';
import { produce } from './producing.js';
import {
  called,
  logText,
  type RdConsumer,
  type RdError,
  type RdLog,
  type RdMessage,
  type RdProducer,
  type TopicPartition,
} from './rdkafka.js';
import { answered, ClientStuck, disconnect } from './stuck.js';
import { UnassignedPartitions, unassignedText } from './unassigned.js';

export const REQUEST_MILLISECONDS = 10_000;
/** Time that a member waits for records, and that a batch is collected. */
export const FETCH_MILLISECONDS = 100;
/** Time after which a member that waits for offsets looks whether the one that holds them is gone. */
const OFFSETS_MILLISECONDS = 1000;
/** Records that are taken at a time, so that a slow topic does not delay a batch. */
const CHUNK_RECORDS = 500;
/**
 * A transaction has to end within its time, also where records are large and brokers are slow. A batch has more bytes if its records are larger
 * than those before.
 */
const MAX_BATCH_BYTES = 2 ** 25;
/** Bytes of a record, before any was read. */
const EXPECTED_BYTES = 2 ** 16;
const FULL_PAUSE_MILLISECONDS = 5;

/** Codes of librdkafka. */
const QUEUE_FULL = -184;
const UNKNOWN_TOPIC = 3;
/** An open transaction has the offsets. The client repeats the request until its time is over. */
const UNDECIDED = [88, -185];

/** The word of the client's log for an error after which it does nothing more. */
const FATAL_LOG = 'FATAL';

/** Time for which a topic may be unknown, as while brokers change, before it is taken to be gone. */
const UNKNOWN_MILLISECONDS = 30_000;

type ProducerCall = (callback: (error?: RdError | null) => void) => void;

export class Member implements GroupMember {
  readonly #options: MemberOptions;
  #producer: RdProducer;
  readonly #ends = new Map<number, number>();
  readonly #paused = new Set<number>();
  readonly #own = new Set<number>();
  readonly #lost: LostRecords;
  readonly #unassigned: UnassignedPartitions;
  /** True if the consumer has returned all that it had. */
  #isDrained = false;
  /** The error after which the consumer can do nothing more. */
  #fatal: RdError | undefined;
  #isStuck = false;
  /** The time at which the client said that the topic is unknown, by `performance.now`. */
  #unknownSince: number | undefined;
  /** The topics that were written to. */
  readonly #outputs = new Set<string>();
  /** Bytes of a record, by those that were read last. */
  #expectedBytes = EXPECTED_BYTES;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#producer = options.producer;
    this.#lost = new LostRecords(options.bounds);
    this.#unassigned = new UnassignedPartitions(() => options.unassigned(this.#own.size));
    options.consumer.on('partition.eof', (({ partition, offset }: Required<TopicPartition>) => {
      this.#ends.set(partition, offset);
    }) as (value: never) => void);
    // The client reports this error once, and drops it if it has read records before it.
    options.consumer.on('event.log', ((log: RdLog) => {
      if (log.fac !== FATAL_LOG) return;
      this.#fatal ??= Object.assign(new Error(logText(log)), { code: FATAL, isFatal: true });
    }) as (value: never) => void);
  }

  /** True if a call of the producer, or a call to close, never returns. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  #places(positions: ReadonlyMap<number, number>): TopicPartition[] {
    return Array.from(positions, ([partition, offset]) => ({ topic: this.#options.topic, partition, offset }));
  }

  changes(): readonly GroupChange[] {
    return this.#options.changes.take();
  }

  async committed(partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const { consumer, topic, endTransactionsOfGone, signal } = this.#options;
    const places = partitions.map((partition) => ({ topic, partition }));
    // Such a transaction may have no offsets yet, but pointers, which are read next.
    await endTransactionsOfGone(places);
    let milliseconds = OFFSETS_MILLISECONDS;
    const ask: () => Promise<TopicPartition[]> = () =>
      called((callback) => consumer.committed(places, milliseconds, callback));
    const beforeRepetition = async ({ code }: RdError) => {
      if (UNDECIDED.includes(code)) await endTransactionsOfGone(places);
      milliseconds = REQUEST_MILLISECONDS;
    };
    const offsets = await asMember('the offsets of the group cannot be read', ask, { beforeRepetition, signal });
    return new Map(offsets.map(({ partition, offset = -1 }) => [partition, Math.max(-1, offset)]));
  }

  start(positions: ReadonlyMap<number, number>): void {
    this.#lost.start(positions);
    for (const partition of positions.keys()) this.#own.add(partition);
    this.#options.consumer.incrementalAssign(this.#places(positions));
  }

  stop(partitions: readonly number[]): void {
    const { topic, consumer } = this.#options;
    for (const partition of partitions) {
      this.#ends.delete(partition);
      this.#own.delete(partition);
    }
    this.#lost.stop(partitions);
    this.#resume(partitions);
    consumer.incrementalUnassign(partitions.map((partition) => ({ topic, partition })));
  }

  async seek(positions: ReadonlyMap<number, number>): Promise<void> {
    const { consumer, signal } = this.#options;
    this.#resume([...positions.keys()]);
    for (const place of this.#places(positions)) {
      this.#ends.delete(place.partition);
      const seek = () => called((callback) => consumer.seek(place, REQUEST_MILLISECONDS, callback));
      await asMember('the input cannot be read again', seek, { signal });
    }
    this.#lost.start(positions);
  }

  pause(partitions: ReadonlySet<number>): void {
    this.#resume([...this.#paused].filter((partition) => !partitions.has(partition)));
    const { topic, consumer } = this.#options;
    const others = [...partitions].filter((partition) => !this.#paused.has(partition));
    if (others.length === 0) return;
    // The client forgets what it has fetched of them, and fetches it again later.
    consumer.pause(others.map((partition) => ({ topic, partition })));
    for (const partition of others) this.#paused.add(partition);
  }

  #resume(partitions: readonly number[]): void {
    const { topic, consumer } = this.#options;
    const paused = partitions.filter((partition) => this.#paused.delete(partition));
    if (paused.length > 0) consumer.resume(paused.map((partition) => ({ topic, partition })));
  }

  /** Leaves the group and joins it again if it assigns partitions to nobody, which makes it rebalance. */
  #checkAssigned(): void {
    const missing = this.#unassigned.look();
    if (missing.length === 0) return;
    this.#checkFatal(this.#reading);
    const { topic, group, consumer, onWarning } = this.#options;
    onWarning(unassignedText(missing, topic, group));
    // What it has is revoked first.
    consumer.unsubscribe();
    consumer.subscribe([topic]);
  }

  async fetch(maxRecords: number): Promise<Fetched> {
    this.#checkAssigned();
    const problem = this.#lost.look(this.#isDrained);
    if (problem !== undefined) throw kafkaError(this.#reading, new Error(problem), REMADE);
    const { consumer } = this.#options;
    const records: KafkaRecord[] = [];
    const until = Date.now() + FETCH_MILLISECONDS;
    let remainingBytes = MAX_BATCH_BYTES;
    while (records.length < maxRecords && remainingBytes > 0 && Date.now() < until) {
      const fitting = Math.max(1, Math.floor(remainingBytes / this.#expectedBytes));
      const chunk = Math.min(maxRecords - records.length, CHUNK_RECORDS, fitting);
      const messages = await this.#consume(chunk, consumer);
      this.#isDrained = messages.length < chunk;
      if (messages.length === 0) break;
      let bytes = 0;
      for (const message of messages) {
        records.push(message);
        bytes += (message.key?.length ?? 0) + (message.value?.length ?? 0);
      }
      remainingBytes -= bytes;
      this.#expectedBytes = Math.max(1, bytes / messages.length);
    }
    const ends = new Map(this.#ends);
    this.#ends.clear();
    this.#lost.hear({ records, ends });
    return { records, ends };
  }

  /** The subject of an error. */
  get #reading(): string {
    const { topic, group } = this.#options;
    return `the topic ${topic} cannot be read by the group ${group}`;
  }

  async #consume(maxRecords: number, consumer: RdConsumer): Promise<RdMessage[]> {
    const failure = this.#reading;
    this.#checkFatal(failure);
    await this.#checkThere();
    try {
      return await called<RdMessage[]>((callback) => consumer.consume(maxRecords, callback));
    } catch (error) {
      const { code, isFatal } = error as RdError;
      if (code === UNKNOWN_TOPIC) this.#unknownSince ??= performance.now();
      if (isPassing(error)) return [];
      if (code === NO_OFFSET) throw kafkaError(failure, error, REMADE);
      if (isFatal) this.#fatal ??= error as RdError;
      throw memberError(failure, error as RdError);
    }
  }

  /** The client says once that a topic is unknown. @throws FirstseenError E_KAFKA for one that stays unknown */
  async #checkThere(): Promise<void> {
    if (this.#unknownSince === undefined) return;
    const { topic, isThere } = this.#options;
    if (await isThere()) this.#unknownSince = undefined;
    else if (performance.now() - this.#unknownSince > UNKNOWN_MILLISECONDS) {
      const remedy = 'give a topic that exists; one that is re-created under this name needs another group';
      throw kafkaError(`the topic ${topic} cannot be read`, new Error('it does not exist any more'), remedy);
    } else await sleep(FETCH_MILLISECONDS);
  }

  /** @throws NameTaken after a fatal error of the consumer */
  #checkFatal(doing: string): void {
    if (this.#fatal) throw memberError(doing, this.#fatal);
  }

  async begin(): Promise<void> {
    this.#checkFatal('the transaction cannot begin');
    return this.#transact('begin', (callback) => this.#producer.beginTransaction(callback));
  }

  send(topic: string, partition: number, record: RecordContent): Promise<void> | undefined {
    this.#outputs.add(topic);
    try {
      produce(this.#producer, { topic, partition }, record);
      return undefined;
    } catch (error) {
      const { code } = error as RdError;
      if (code === QUEUE_FULL) return this.#sendLater(topic, partition, record);
      // The client itself does not take the record, and would not take it again.
      if (typeof code !== 'number') return Promise.reject(kafkaError(`a record cannot be written to ${topic}`, error));
      return this.#end('write', error as RdError);
    }
  }

  async #sendLater(topic: string, partition: number, record: RecordContent): Promise<void> {
    await sleep(FULL_PAUSE_MILLISECONDS);
    await this.send(topic, partition, record);
  }

  async commit(offsets: ReadonlyMap<number, number>): Promise<void> {
    const { consumer, changes, transactionalId: metadata } = this.#options;
    const producer = this.#producer;
    // The group would take the offsets of what this member has lost if it joined again in between.
    if (changes.hasLost) {
      await this.abort();
      throw new TransactionAborted('its partitions were given to another worker');
    }
    // A commit waits for its whole time if a record was refused, because what is behind it is never sent.
    if ((await problemOf(() => this.#flush())) !== undefined) await this.#endIfFailed();
    const places = this.#places(offsets).map((place) => ({ ...place, metadata }));
    await this.#transact('commit', (callback) =>
      producer.sendOffsetsToTransaction(places, consumer, REQUEST_MILLISECONDS, callback),
    );
    await this.#transact('commit', (callback) => producer.commitTransaction(REQUEST_MILLISECONDS, callback));
  }

  async isRefused(): Promise<boolean> {
    const cause = await this.#failureOfSent();
    if (cause !== undefined && recordRefusal(cause) === undefined) return this.#end('write', cause);
    await this.abort();
    return cause !== undefined;
  }

  #flush(): Promise<void> {
    return this.#asked((callback) => this.#producer.flush(FLUSH_MILLISECONDS, callback));
  }

  #failureOfSent(): Promise<RdError | undefined> {
    return failureOfSent(
      () => this.#flush(),
      () => this.#pendingError(),
      this.#options.signal,
    );
  }

  /** @throws as `commit`, for a transaction that has failed */
  async #endIfFailed(): Promise<void> {
    const cause = await this.#failureOfSent();
    if (cause !== undefined) await this.#end('commit', cause);
  }

  abort(): Promise<void> {
    return this.#transact('abort', (callback) => this.#producer.abortTransaction(REQUEST_MILLISECONDS, callback));
  }

  /** Waits for a call of the producer. @throws ClientStuck; what the client throws */
  async #asked(call: ProducerCall): Promise<void> {
    try {
      await answered(called(call as Parameters<typeof called>[0]));
    } catch (error) {
      this.#isStuck = error instanceof ClientStuck;
      throw error;
    }
  }

  /** @throws TransactionAborted, after the abort; TransactionUnknown, with a new producer; FirstseenError E_KAFKA */
  async #transact(action: string, call: ProducerCall): Promise<void> {
    const failure = `the transaction cannot ${action}`;
    const { signal: lastTries } = this.#options;
    try {
      await patiently(failure, () => this.#asked(call), { lastTries });
    } catch (error) {
      if (this.#isStuck) throw error;
      const cause = (error as FirstseenError).cause as RdError;
      // The next owner of the partitions ends it.
      if (lastTries?.aborted && isPassing(cause)) throw error;
      if (!cause.isFatal && !cause.isTxnRequiresAbort && action !== 'abort') throw error;
      await this.#end(action, cause);
    }
  }

  /**
   * Ends a transaction that has failed. Also after a producer that another one of its name has fenced, or whose transaction took too long,
   * the group decides whether this member goes on: without it, nothing is committed. What brokers refuse for its size would be refused again.
   * @throws as `#transact`
   */
  async #end(action: string, cause: RdError): Promise<never> {
    if (cause.isFatal || action === 'abort') {
      await this.#renew();
      throw new TransactionUnknown(withoutGuess(cause.message));
    }
    const first = cause.code === WRONG_STATE ? ((await this.#pendingError()) ?? cause) : cause;
    const problem = await problemOf(() => this.abort());
    // Brokers refuse to abort a transaction to which the user may add nothing: for them, it has not begun.
    if (problem !== undefined && !(isRefused(first) && problem instanceof TransactionUnknown)) throw problem;
    const refusal = recordRefusal(first);
    if (refusal) throw refusal;
    if (isRefused(first)) {
      throw kafkaError(`the group ${this.#options.group} cannot write to ${[...this.#outputs].join(' and ')}`, first);
    }
    throw new TransactionAborted(first.message);
  }

  /** Returns the error of a transaction that can only be aborted. The client tells it when it refuses another one. */
  async #pendingError(): Promise<RdError | undefined> {
    try {
      await this.#asked((callback) => this.#producer.beginTransaction(callback));
      return undefined;
    } catch (error) {
      if (this.#isStuck) throw kafkaError('the transaction cannot end', error);
      return error as RdError;
    }
  }

  /** Takes a new producer in place of one that can do nothing more. */
  async #renew(): Promise<void> {
    this.#isStuck = !(await disconnect(this.#producer));
    if (this.#isStuck) throw kafkaError('the producer cannot be closed', new ClientStuck());
    this.#producer = await this.#options.newProducer();
  }

  async close(): Promise<void> {
    const { consumer, changes, topic } = this.#options;
    if (this.#fatal) changes.abandon();
    else changes.close(consumer, topic);
    if (!(await disconnect(consumer))) this.#isStuck = true;
    if (!this.#isStuck) this.#isStuck = !(await disconnect(this.#producer));
  }
}
