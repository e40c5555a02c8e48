// What is used of the package of Kafka's client: its interface that is shaped like librdkafka. The package is optional.

import { FirstseenError } from '../../base/errors.js';
import { loadedPackages } from '../system/optionalpackages.js';
import type { KafkaRecord } from './contract.js';

const PACKAGE = '@confluentinc/kafka-javascript';

/** The command that builds the binary of the package where it cannot be fetched. */
const BUILD = `apt-get update && apt-get install -y libssl-dev libsasl2-dev libzstd-dev libcurl4-openssl-dev zlib1g-dev && CKJS_LINKING=dynamic npm i ${PACKAGE}`;

export interface RdError extends Error {
  code: number;
  isFatal?: boolean;
  isRetriable?: boolean;
  isTxnRequiresAbort?: boolean;
}

type Callback<Value = unknown> = (error: RdError | null | undefined, value: Value) => void;

export interface TopicPartition {
  topic: string;
  partition: number;
  offset?: number;
  /** Text that a member commits with the offset. */
  metadata?: string;
}

/** A message as the client makes it. It is used as a record as it is: a copy of each would cost a tenth of the time of a worker. */
export interface RdMessage extends KafkaRecord {
  topic: string;
  key: Buffer | null;
  value: Buffer | null;
}

/** A line of the client's log, with the word for what it is about. */
export interface RdLog {
  fac: string;
  message: string;
}

/** Returns a message of the client's log, without the thread that says it. */
export function logText({ message }: RdLog): string {
  return message.replace(/^\[thrd:[^\]]*\]: /, '');
}

export interface RdClient {
  connect(options: object, callback: Callback): void;
  disconnect(callback: Callback): void;
  on(event: string, listener: (value: never) => void): void;
}

export interface RdConsumer extends RdClient {
  getMetadata(
    options: { topic: string; timeout: number },
    callback: Callback<{ topics: { name: string; partitions: unknown[] }[] }>,
  ): void;
  queryWatermarkOffsets(
    topic: string,
    partition: number,
    timeout: number,
    callback: Callback<{ lowOffset: number; highOffset: number }>,
  ): void;
  /** The offsets are times, and become those of the first records that are not earlier; -1 where all are earlier. */
  offsetsForTimes(times: TopicPartition[], timeout: number, callback: Callback<Required<TopicPartition>[]>): void;
  setDefaultConsumeTimeout(milliseconds: number): void;
  setDefaultIsTimeoutOnlyForFirstMessage(isOnly: boolean): void;
  subscribe(topics: string[]): void;
  unsubscribe(): void;
  assign(partitions: TopicPartition[]): void;
  unassign(): void;
  incrementalAssign(partitions: readonly TopicPartition[]): void;
  incrementalUnassign(partitions: readonly TopicPartition[]): void;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  assignmentLost(): boolean;
  committed(partitions: TopicPartition[], timeout: number, callback: Callback<TopicPartition[]>): void;
  seek(partition: TopicPartition, timeout: number, callback: Callback): void;
  consume(most: number, callback: Callback<RdMessage[]>): void;
}

export interface RdProducer extends RdClient {
  setPollInterval(milliseconds: number): void;
  initTransactions(timeout: number, callback: Callback): void;
  beginTransaction(callback: Callback): void;
  sendOffsetsToTransaction(offsets: TopicPartition[], consumer: RdConsumer, timeout: number, callback: Callback): void;
  flush(timeout: number, callback: Callback): void;
  commitTransaction(timeout: number, callback: Callback): void;
  abortTransaction(timeout: number, callback: Callback): void;
  produce(
    topic: string,
    partition: number,
    value: Uint8Array | null,
    key: Uint8Array | null,
    timestamp: number | undefined,
    opaque: undefined,
    headers: readonly Readonly<Record<string, Uint8Array>>[] | undefined,
  ): void;
}

interface NewTopic {
  topic: string;
  num_partitions: number;
  replication_factor: number;
  config: Readonly<Record<string, string>>;
}

export interface RdTopic {
  error?: RdError | null;
  topicId?: { mostSignificantBits: bigint; leastSignificantBits: bigint };
}

/** A group with its members, and what each was given. The client crashes on one with an error. */
export interface RdGroup {
  state?: number;
  members: readonly {
    groupInstanceId?: string | undefined;
    assignment?: { topicPartitions?: readonly TopicPartition[] } | undefined;
  }[];
}

export interface RdGroups {
  groups: readonly RdGroup[];
}

export interface RdAdmin {
  createTopic(topic: NewTopic, timeout: number, callback: Callback): void;
  describeTopics(topics: string[], options: { timeout: number }, callback: Callback<readonly RdTopic[]>): void;
  describeGroups(groups: string[], options: { timeout: number }, callback: Callback<RdGroups>): void;
  disconnect(): void;
}

export type RdProperties = Readonly<Record<string, unknown>>;

export interface RdKafka {
  KafkaConsumer: new (properties: RdProperties, topicProperties: RdProperties) => RdConsumer;
  Producer: new (properties: RdProperties) => RdProducer;
  AdminClient: { create(properties: RdProperties): RdAdmin };
}

/** Resolves when the callback of a call is called. */
export function called<Value>(call: (callback: Callback<Value>) => void): Promise<Value> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value)));
  });
}

/** Connects a client for administration for as long as some work takes. */
export async function withAdmin<Value>(
  { AdminClient }: Pick<RdKafka, 'AdminClient'>,
  properties: RdProperties,
  work: (admin: RdAdmin) => Promise<Value>,
): Promise<Value> {
  const admin = AdminClient.create(properties);
  try {
    return await work(admin);
  } finally {
    admin.disconnect();
  }
}

/** @throws FirstseenError E_PACKAGE when the package is not installed, or lacks its binary */
export async function loadRdKafka(): Promise<RdKafka> {
  const build = `build its binary where it cannot be fetched, with: ${BUILD} (with -g if firstseen was installed with -g); it has no binary for Node 25 and later, and crashes on Alpine`;
  try {
    return await loadedPackages({ what: 'Kafka', packages: [PACKAGE], alternative: build }, async () => {
      const name = PACKAGE;
      const nativeModule = (await import(name)) as { default?: { RdKafka: RdKafka }; RdKafka?: RdKafka };
      return (nativeModule.RdKafka ?? nativeModule.default?.RdKafka) as RdKafka;
    });
  } catch (cause) {
    if (cause instanceof FirstseenError) throw cause;
    const problem = `the package ${PACKAGE} cannot load its binary: ${(cause as Error).message.split('\n')[0]}`;
    throw new FirstseenError('E_PACKAGE', problem, { remedy: build, cause });
  }
}
