// The contract of a client of Kafka: what reads topics, is a member of a group, and writes transactions. Everything that is read is
// committed.

import { FirstseenError } from '../../base/errors.js';

/** The headers of a record, as the client has them: each is an object with one member. */
export type Headers = readonly Readonly<Record<string, Uint8Array>>[];

/** The content of a record besides its place. */
export interface RecordContent {
  /** Null for a record without a key. */
  key: Uint8Array | null;
  /** Null for a tombstone. */
  value: Uint8Array | null;
  /** The time in milliseconds since 1970; -1 for a record without a time. */
  timestamp: number;
  headers: Headers | undefined;
}

/** A record of a topic. */
export interface KafkaRecord extends RecordContent {
  partition: number;
  offset: number;
}

/** The offsets of the first record of a partition, and of the one after the last. */
export interface Bounds {
  low: number;
  high: number;
}

/** Records of one partition, from an offset up to another one. */
export interface RecordRange {
  partition: number;
  from: number;
  to: number;
}

/** A change of a member's partitions: this member got them, has to give them up, or has lost them. */
export interface GroupChange {
  kind: 'assigned' | 'revoked' | 'lost';
  partitions: readonly number[];
}

/** The records that a member read, and the ends of partitions. */
export interface Fetched {
  /** In the order of the offsets within each partition. */
  records: readonly KafkaRecord[];
  /** The ends of partitions that were read to their ends, by partition. */
  ends: ReadonlyMap<number, number>;
}

/**
 * A transaction did not commit, and nothing of it is visible. It was aborted by the time of this error, and the member may go on from
 * what was committed before.
 */
export class TransactionAborted extends Error {
  override readonly name = 'TransactionAborted';
}

/**
 * The outcome of a transaction is not known, as when its coordinator ends meanwhile. It has ended by the time of this error. The
 * member must go back to what is committed.
 */
export class TransactionUnknown extends Error {
  override readonly name = 'TransactionUnknown';
}

/** The worker was asked to stop, and asks brokers for nothing more. */
export class Stopped extends Error {
  override readonly name = 'Stopped';

  constructor() {
    super('the worker was asked to stop');
  }
}

/** @throws Stopped once the signal asks to stop */
export function checkStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Stopped();
}

/** The group has another member of this name. Nothing is visible of what was not committed. */
export class NameTaken extends FirstseenError {}

/** A topic does not take a record that was written, for its size, or by its settings. The transaction was aborted. */
export class RecordRefused extends FirstseenError {}

/** A member of a group that reads one topic. It writes by transactions that hold the offsets of the group too. */
export interface GroupMember {
  /**
   * Returns the changes of partitions since the last call, in order. Each change waits until `start` or `stop` is
   * called for it.
   */
  changes(): readonly GroupChange[];
  /**
   * The offsets that the group has committed, once no transaction that could change them is open; -1 without one.
   * @throws NameTaken; FirstseenError E_KAFKA
   */
  committed(partitions: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Takes assigned partitions, and reads each from an offset on. */
  start(positions: ReadonlyMap<number, number>): void;
  /** Gives partitions up, or takes note that they are lost. */
  stop(partitions: readonly number[]): void;
  /** Reads partitions that it has from other offsets on. @throws NameTaken; FirstseenError E_KAFKA */
  seek(positions: ReadonlyMap<number, number>): Promise<void>;
  /** Reads nothing of these partitions for now, and goes on with all others that it has. To start, stop or seek one ends its pause. */
  pause(partitions: ReadonlySet<number>): void;
  /** Records that came, after a short wait if there are none. @throws NameTaken; FirstseenError E_KAFKA */
  fetch(most: number): Promise<Fetched>;
  begin(): Promise<void>;
  /** Writes a record to the partition of a topic, within the transaction. */
  send(topic: string, partition: number, record: RecordContent): Promise<void> | undefined;
  /**
   * Commits the transaction, with offsets of the group.
   * @throws TransactionAborted when it was aborted; TransactionUnknown; FirstseenError E_KAFKA
   */
  commit(offsets: ReadonlyMap<number, number>): Promise<void>;
  /** Tells if a topic refuses a record of the transaction, and aborts it. @throws as `commit` */
  isRefused(): Promise<boolean>;
  /** Aborts the transaction. @throws as `commit` */
  abort(): Promise<void>;
  /** Leaves the group. What it has is revoked first. */
  close(): Promise<void>;
}

/** A connection to a cluster. */
export interface KafkaClient {
  /** The number of partitions of a topic; undefined if the topic does not exist. @throws FirstseenError E_KAFKA */
  partitionsOf(topic: string): Promise<number | undefined>;
  /** The id of a topic, which one that is made again does not have; undefined where brokers have none. @throws FirstseenError E_KAFKA */
  topicId(topic: string): Promise<string | undefined>;
  /** The offsets of a partition, also of records in open transactions. @throws FirstseenError E_KAFKA */
  bounds(topic: string, partition: number): Promise<Bounds>;
  /**
   * The offset of the first record of a partition that has a time or a later one, in milliseconds since 1970; undefined if all are earlier.
   * @throws FirstseenError E_KAFKA
   */
  offsetAt(topic: string, partition: number, time: number): Promise<number | undefined>;
  /** The names of the members that the group of this client has. @throws FirstseenError E_KAFKA */
  memberNames(): Promise<readonly string[]>;
  /**
   * Writes a record without a key, which brokers refuse in a compacted topic.
   * @returns whether the topic has taken it
   * @throws FirstseenError E_KAFKA
   */
  takesKeyless(topic: string): Promise<boolean>;
  /** Makes a compacted topic. */
  makeCompacted(topic: string, partitions: number): Promise<void>;
  /**
   * The committed records of ranges of a topic, at most one for each partition, in batches: in the order of the offsets within each
   * partition. It ends when all before the ends was read, so it waits for open transactions.
   */
  records(topic: string, ranges: readonly RecordRange[]): AsyncIterable<readonly KafkaRecord[]>;
  /** Joins the group. The member has the only transaction of its name: an earlier one is aborted. */
  join(topic: string): Promise<GroupMember>;
  close(): Promise<void>;
}
