// The client of Kafka that workers use: one consumer that reads ranges, and one that is a member of the group.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { type AskingOptions, boundsOf, offsetAtTime } from './bounds.js';
import { PendingChanges } from './changes.js';
import { Connection } from './connecting.js';
import {
  type Bounds,
  type GroupMember,
  type KafkaClient,
  type KafkaRecord,
  type RecordRange,
  Stopped,
} from './contract.js';
import { kafkaError, notMade, patiently, TOPIC_REFUSED } from './errors.js';
import { withFetching } from './fetching.js';
import { describeInProcess, type GroupLook, presentInstances } from './groups.js';
import { takesKeyless } from './keyless.js';
import { FETCH_MILLISECONDS, Member } from './member.js';
import { readRanges } from './ranges.js';
import {
  called,
  loadRdKafka,
  type RdConsumer,
  type RdError,
  type RdKafka,
  type RdProducer,
  type RdProperties,
  type RdTopic,
  type TopicPartition,
  withAdmin,
} from './rdkafka.js';
import { answered, ClientStuck, disconnect } from './stuck.js';
import { endTransactionsOfGone, transactionalIdOf } from './takeover.js';
import { type UnassignedLook, unassignedPartitions } from './unassigned.js';

export interface ClientOptions {
  /** Properties of librdkafka: the brokers, security, and what a user asks for. */
  properties: RdProperties;
  group: string;
  /** The name of the member of the group, which no other member has. */
  instance: string;
  /** Asks to stop. What is asked of brokers then ends, but for what a member still writes. */
  signal?: AbortSignal | undefined;
  onWarning: (message: string) => void;
}

/** A broker that waits for records answers nothing else meanwhile. */
const RANGE_WAIT_MILLISECONDS = 10;
/** The time after which a broker aborts the transaction of a worker that is gone. The next owner waits for it. */
const TRANSACTION_MILLISECONDS = 10_000;
/** The time after which the partitions of a worker that is not heard of are given to others. */
const SESSION_MILLISECONDS = 10_000;
/** The time within which a worker notices that its input was given partitions. Keys may be in others from then on. */
const REFRESH_MILLISECONDS = 10_000;
/** The time of a request at the start of a worker. It cannot be ended earlier, also by a signal. Brokers that are slow are asked again. */
const START_MILLISECONDS = 5000;
/** The same error of a client is told once in this time. */
const REPEAT_MILLISECONDS = 30_000;
const POLL_MILLISECONDS = 500;
const EXISTS = 36;

/** The properties of the client that the guarantee needs of every consumer. */
const reading = {
  'enable.auto.commit': false,
  'enable.auto.offset.store': false,
  'isolation.level': 'read_committed',
  'enable.partition.eof': true,
} as const;

/** Topics say how large a message may be. The client would refuse messages that they take by default. A user may give another limit. */
const MAX_MESSAGE_BYTES = 1_000_000_000;

const whereLost = { 'auto.offset.reset': 'error' } as const;

/** The 64 bits of a number as 16 digits. */
function hexadecimal(bits: bigint): string {
  return BigInt.asUintN(64, bits).toString(16).padStart(16, '0');
}

export class ConfluentClient implements KafkaClient {
  readonly #rdKafka: RdKafka;
  readonly #options: ClientOptions;
  readonly #reader: RdConsumer;
  /** Finds the ends of partitions. Where committed records are read, an end is before the first open transaction. */
  readonly #finder: RdConsumer;
  readonly #told = new Map<string, number>();
  /** The ends that the reader of ranges has come to. */
  readonly #ends: Required<TopicPartition>[] = [];
  /** The member that joined last. */
  #member: Member | undefined;

  private constructor(rdKafka: RdKafka, options: ClientOptions) {
    this.#rdKafka = rdKafka;
    this.#options = options;
    this.#reader = new rdKafka.KafkaConsumer(
      {
        ...withFetching(options.properties),
        ...{ 'group.id': options.group, 'fetch.wait.max.ms': RANGE_WAIT_MILLISECONDS, ...reading },
      },
      whereLost,
    );
    this.#reader.setDefaultConsumeTimeout(FETCH_MILLISECONDS);
    this.#reader.setDefaultIsTimeoutOnlyForFirstMessage(true);
    this.#reader.on('partition.eof', ((end: Required<TopicPartition>) => {
      this.#ends.push(end);
    }) as (value: never) => void);
    this.#finder = new rdKafka.KafkaConsumer(
      { ...options.properties, 'group.id': options.group, ...reading, 'isolation.level': 'read_uncommitted' },
      whereLost,
    );
  }

  /** @throws FirstseenError E_PACKAGE without the package; E_KAFKA when no broker answers; E_USAGE for a wrong property */
  static async connect(options: ClientOptions): Promise<ConfluentClient> {
    const rdKafka = await loadRdKafka();
    let client: ConfluentClient;
    try {
      client = new ConfluentClient(rdKafka, options);
    } catch (cause) {
      throw new FirstseenError('E_USAGE', `the client of Kafka refuses its properties: ${(cause as Error).message}`, {
        remedy: phrase`correct the properties that ${optionName('config')} gives`,
        cause,
      });
    }
    await Promise.all([client.#reader, client.#finder].map((consumer) => client.#connect(consumer)));
    return client;
  }

  /** Connects a client. From then on, it tells what goes wrong, such as brokers that do not answer. */
  #connect(client: Pick<RdConsumer, 'connect' | 'on'>): Promise<void> {
    const tell = (message: string) => {
      if (Date.now() - (this.#told.get(message) ?? 0) < REPEAT_MILLISECONDS) return;
      this.#told.set(message, Date.now());
      this.#options.onWarning(message);
    };
    return new Connection(client, tell).connect(this.#options.signal);
  }

  async partitionsOf(topic: string): Promise<number | undefined> {
    const found = await this.#partitionsSeen(topic);
    if (found === undefined) await this.#checkSeen(topic);
    return found;
  }

  /** @throws FirstseenError E_KAFKA for a topic that the user may not see. For the client's metadata, it does not exist. */
  async #checkSeen(topic: string): Promise<void> {
    const { error: refusal } = await this.#described(topic);
    if (refusal?.code === TOPIC_REFUSED)
      throw kafkaError(`the topic ${topic} does not exist, or the user may not see it`, refusal);
  }

  async #described(topic: string): Promise<RdTopic> {
    const options = { timeout: START_MILLISECONDS };
    const [found = {}] = await withAdmin(this.#rdKafka, this.#options.properties, (admin) =>
      this.#patiently(`the topic ${topic} cannot be looked up`, () =>
        called<readonly RdTopic[]>((callback) => admin.describeTopics([topic], options, callback)),
      ),
    );
    return found;
  }

  async topicId(topic: string): Promise<string | undefined> {
    const { topicId } = await this.#described(topic);
    if (topicId === undefined) return undefined;
    const { mostSignificantBits: high, leastSignificantBits: low } = topicId;
    // Brokers without ids give 0.
    return high === 0n && low === 0n ? undefined : [high, low].map(hexadecimal).join('');
  }

  async #partitionsSeen(topic: string): Promise<number | undefined> {
    const { topics } = await this.#patiently(`the topic ${topic} cannot be looked up`, () =>
      called<{ topics: { name: string; partitions: unknown[] }[] }>((callback) =>
        this.#reader.getMetadata({ topic, timeout: START_MILLISECONDS }, callback),
      ),
    );
    return topics.find(({ name }) => name === topic)?.partitions.length || undefined;
  }

  /** Repeats a request until brokers answer it, or until the worker is asked to stop. */
  #patiently<Value>(doing: string, request: () => Promise<Value>): Promise<Value> {
    return patiently(doing, request, { signal: this.#options.signal });
  }

  bounds(topic: string, partition: number): Promise<Bounds> {
    return boundsOf(this.#finder, { topic, partition }, this.#asking);
  }

  offsetAt(topic: string, partition: number, time: number): Promise<number | undefined> {
    return offsetAtTime(this.#finder, { topic, partition, time }, this.#asking);
  }

  get #asking(): AskingOptions {
    return { timeout: START_MILLISECONDS, signal: this.#options.signal };
  }

  async memberNames(): Promise<readonly string[]> {
    return Array.from(await presentInstances(this.#groupLook), (name) => name ?? 'a member without a name');
  }

  get #groupLook(): GroupLook {
    const { properties, group, signal } = this.#options;
    return { describe: describeInProcess, properties, group, signal, timeoutMilliseconds: START_MILLISECONDS };
  }

  #unassignedLook(topic: string): UnassignedLook {
    const partitionsOf = () => this.#partitionsSeen(topic);
    const { instance } = this.#options;
    return { ...this.#groupLook, topic, instance, partitionsOf, finder: this.#finder };
  }

  takesKeyless(topic: string): Promise<boolean> {
    const connect = (producer: RdProducer) => this.#connect(producer);
    const { properties, signal } = this.#options;
    const writing = { connect, signal, timeoutMilliseconds: START_MILLISECONDS };
    return takesKeyless({ rdKafka: this.#rdKafka, properties, ...writing }, topic);
  }

  async makeCompacted(topic: string, partitions: number): Promise<void> {
    const config = { 'cleanup.policy': 'compact', 'segment.bytes': String(2 ** 24) };
    const newTopic = { topic, num_partitions: partitions, replication_factor: -1, config };
    await withAdmin(this.#rdKafka, this.#options.properties, async (admin) => {
      const make = () =>
        called((callback) => admin.createTopic(newTopic, START_MILLISECONDS, callback)).catch((error: RdError) => {
          if (error.code !== EXISTS) throw error;
        });
      await this.#patiently(`the topic ${topic} cannot be made`, make).catch((error: FirstseenError) => {
        throw notMade(topic, partitions, error.cause as RdError);
      });
    });
    while ((await this.#partitionsSeen(topic)) === undefined) {
      await new Promise((resolve) => setTimeout(resolve, FETCH_MILLISECONDS));
    }
  }

  records(topic: string, ranges: readonly RecordRange[]): AsyncGenerator<readonly KafkaRecord[]> {
    const reading = { reader: this.#reader, topic, takeEnds: () => this.#takeEnds(topic) };
    const { signal } = this.#options;
    return readRanges({ ...reading, bounds: (partition) => this.bounds(topic, partition), signal }, ranges);
  }

  #takeEnds(topic: string): ReadonlyMap<number, number> {
    const ends = this.#ends.splice(0).filter((end) => end.topic === topic);
    return new Map(ends.map(({ partition, offset }) => [partition, offset]));
  }

  async join(topic: string): Promise<GroupMember> {
    // What is left of a member that cannot be closed would disturb the next one.
    if (this.#member?.isStuck) throw kafkaError('the group cannot be joined again', new ClientStuck());
    const producer = await this.#newProducer(this.#transactionalId);
    try {
      this.#member = await this.#joinWith(topic, producer);
    } catch (error) {
      await disconnect(producer);
      throw error;
    }
    return this.#member;
  }

  get #transactionalId(): string {
    return transactionalIdOf(this.#options.group, this.#options.instance);
  }

  /** Ends the transaction that a worker of this name has left open. Who reads committed records does not wait for it then. */
  endOwnTransaction(): Promise<void> {
    return this.#endTransaction(this.#transactionalId);
  }

  async #endTransaction(transactionalId: string): Promise<void> {
    const producer = await this.#newProducer(transactionalId);
    if (!(await disconnect(producer))) throw kafkaError('a producer cannot be closed', new ClientStuck());
  }

  /** The producer of the transactions of an id: those of an earlier one are ended. */
  async #newProducer(transactionalId: string): Promise<RdProducer> {
    const { properties } = this.#options;
    const producer = new this.#rdKafka.Producer({
      'message.max.bytes': MAX_MESSAGE_BYTES,
      ...properties,
      'transactional.id': transactionalId,
      'transaction.timeout.ms': TRANSACTION_MILLISECONDS,
      'enable.idempotence': true,
    });
    await this.#connect(producer);
    producer.setPollInterval(POLL_MILLISECONDS);
    try {
      // Asked again, the client goes on where its time was over.
      await this.#patiently(`the transactions of ${transactionalId} cannot be had`, () =>
        answered(called((callback) => producer.initTransactions(START_MILLISECONDS, callback))),
      );
    } catch (error) {
      if (!((error as FirstseenError).cause instanceof ClientStuck)) await disconnect(producer);
      throw error;
    }
    return producer;
  }

  async #joinWith(topic: string, producer: RdProducer): Promise<Member> {
    const { properties, group, instance, signal, onWarning } = this.#options;
    const changes = new PendingChanges();
    const onChange = (error: RdError, places: TopicPartition[]) => changes.note(consumer, error, places);
    const consumer: RdConsumer = new this.#rdKafka.KafkaConsumer(
      {
        'session.timeout.ms': SESSION_MILLISECONDS,
        'topic.metadata.refresh.interval.ms': REFRESH_MILLISECONDS,
        ...withFetching(properties),
        ...{ 'group.id': group, 'group.instance.id': instance, ...reading },
        ...{ 'partition.assignment.strategy': 'cooperative-sticky', rebalance_cb: onChange },
      },
      whereLost,
    );
    consumer.setDefaultConsumeTimeout(FETCH_MILLISECONDS);
    consumer.setDefaultIsTimeoutOnlyForFirstMessage(true);
    await this.#connect(consumer);
    const member = new Member({
      topic,
      group,
      consumer,
      producer,
      transactionalId: this.#transactionalId,
      endTransactionsOfGone: (places) => this.#endTransactionsOfGone(places),
      isThere: async () => (await this.#partitionsSeen(topic)) !== undefined,
      bounds: (partition) => this.bounds(topic, partition),
      unassigned: (ownCount) => unassignedPartitions(this.#unassignedLook(topic), ownCount),
      newProducer: () => this.#newProducer(this.#transactionalId),
      changes,
      signal,
      onWarning,
    });
    consumer.subscribe([topic]);
    return member;
  }

  /**
   * Without it, the brokers end these transactions, but later. So it is not an error if it cannot be done.
   * @throws FirstseenError E_KAFKA when the client does not return: each such call keeps a thread
   */
  async #endTransactionsOfGone(places: readonly TopicPartition[]): Promise<void> {
    const { instance, onWarning } = this.#options;
    const endTransaction = (transactionalId: string) => this.#endTransaction(transactionalId);
    try {
      await endTransactionsOfGone({ ...this.#groupLook, instance, finder: this.#finder, endTransaction }, places);
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof ClientStuck || cause instanceof Stopped) throw error;
      const problem = (error as Error).message;
      onWarning(`leaves transactions of workers that may be gone to the brokers, which end them later: ${problem}`);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#reader, this.#finder].map(disconnect));
  }
}
