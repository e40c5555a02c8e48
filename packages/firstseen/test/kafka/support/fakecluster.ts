// A cluster in memory: topics with offsets, transactions with fencing, reading of what is committed, and a group with generations. It is slow
// and obvious. A transaction that somebody waits for and nobody ends is aborted, as by the timeout of a broker.

import { setImmediate as turn } from 'node:timers/promises';
import {
  type Bounds,
  type Fetched,
  type GroupChange,
  type GroupMember,
  type KafkaClient,
  type KafkaRecord,
  NameTaken,
  type RecordContent,
  type RecordRange,
  RecordRefused,
  TransactionAborted,
  TransactionUnknown,
} from '../../../src/io/kafka/contract.js';

/** The process ended here. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

interface Transaction {
  id: string;
  state: 'open' | 'committed' | 'aborted';
  /** Where a mark is written when it ends. */
  touched: Set<Entry[]>;
  offsets: Map<number, number>;
  isRefused?: boolean;
}

/** A record or, without one, a mark of the end of a transaction. */
interface Entry {
  record?: RecordContent;
  transaction?: Transaction | undefined;
}

interface Topic {
  id: string;
  isCompacted: boolean;
  partitions: Entry[][];
  low: number[];
  /** The time that a record gets which has a time. */
  stamp: (timestamp: number) => number;
}

interface Membership {
  name: string;
  isAlive: boolean;
  /** Whether another member has its name. */
  isReplaced: boolean;
  changes: GroupChange[];
  owned: Set<number>;
}

export function content(key: string | null, value: string | null, timestamp = 0): RecordContent {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
  return { key: bytes(key), value: bytes(value), timestamp, headers: undefined };
}

/** Clusters that were made: topics of the same name have other ids in each. */
let clusters = 0;

export class FakeCluster {
  readonly #number = clusters++;
  readonly topics: Map<string, Topic>;
  /** Offsets of the group. */
  readonly offsets = new Map<number, number>();
  readonly #epochs = new Map<string, number>();
  readonly #open: Map<string, Transaction>;
  readonly #members: Membership[] = [];
  #made = 0;
  /** Called when a member finds nothing to read. */
  onIdle: () => void = () => undefined;

  /** @param other one with the same topics: this one has another group */
  constructor(other?: FakeCluster) {
    this.topics = other?.topics ?? new Map();
    this.#open = other ? other.#open : new Map();
  }

  make(topic: string, partitions: number, { isCompacted = false } = {}): void {
    const made = {
      isCompacted,
      id: `${topic}#${this.#number}.${this.#made++}`,
      partitions: Array.from({ length: partitions }, () => []),
      low: new Array(partitions).fill(0),
      stamp: (timestamp: number) => timestamp,
    };
    this.topics.set(topic, made);
  }

  /** Gives a topic empty partitions, or takes them away. */
  resize(topic: string, count: number): void {
    const { partitions, low } = this.#topic(topic);
    for (let partition = partitions.length; partition < count; partition++)
      [partitions[partition], low[partition]] = [[], 0];
    partitions.length = count;
    low.length = count;
  }

  entriesOf(topic: string, partition: number): Entry[] {
    return this.#topic(topic).partitions[partition] as Entry[];
  }

  #topic(name: string): Topic {
    const found = this.topics.get(name);
    if (found === undefined) throw new Error(`no topic ${name}`);
    return found;
  }

  /** Writes a record without a transaction. */
  append(topic: string, partition: number, record: RecordContent): void {
    this.entriesOf(topic, partition).push({ record });
  }

  /** Writes records by a transaction of another program, which commits or aborts. */
  appendBy(topic: string, partition: number, records: readonly RecordContent[], state: 'committed' | 'aborted'): void {
    const transaction: Transaction = { id: 'other', state, touched: new Set(), offsets: new Map() };
    const entries = this.entriesOf(topic, partition);
    entries.push(...records.map((record) => ({ record, transaction })), {});
  }

  /** Gives the records that members write to a topic other times. */
  stampIn(topic: string, stamp: (timestamp: number) => number): void {
    this.#topic(topic).stamp = stamp;
  }

  stampOf(topic: string, timestamp: number): number {
    return this.#topic(topic).stamp(timestamp);
  }

  /** Removes the records before an offset, as a retention does. */
  removeBefore(topic: string, partition: number, offset: number): void {
    this.#topic(topic).low[partition] = offset;
  }

  bounds(topic: string, partition: number): Bounds {
    return { low: this.#topic(topic).low[partition] as number, high: this.entriesOf(topic, partition).length };
  }

  /** The end of what is committed: where the first open transaction begins. */
  #committedEnd(entries: readonly Entry[]): number {
    // Most of the time none is open, and tests read much.
    if (this.#open.size === 0) return entries.length;
    const open = entries.findIndex(({ transaction }) => transaction?.state === 'open');
    return open === -1 ? entries.length : open;
  }

  /** The committed records of a partition up to the first open transaction, from an offset on, and its end. @param most of them, at most */
  committedFrom(
    topic: string,
    partition: number,
    from: number,
    most = Number.POSITIVE_INFINITY,
  ): { records: KafkaRecord[]; end: number } {
    const entries = this.entriesOf(topic, partition);
    const end = this.#committedEnd(entries);
    const records: KafkaRecord[] = [];
    const { low } = this.bounds(topic, partition);
    for (let offset = Math.max(from, low); offset < end && records.length < most; offset++) {
      const { record, transaction } = entries[offset] as Entry;
      if (record && transaction?.state !== 'aborted') records.push({ ...record, partition, offset });
    }
    return { records, end };
  }

  /** Ends the transactions that nobody will end. */
  timeOut(): void {
    for (const transaction of [...this.#open.values()]) this.end(transaction, 'aborted');
  }

  end(transaction: Transaction, state: 'committed' | 'aborted'): void {
    if (transaction.state !== 'open') return;
    transaction.state = state;
    this.#open.delete(transaction.id);
    for (const entries of transaction.touched) entries.push({});
    if (state === 'committed')
      for (const [partition, offset] of transaction.offsets) this.offsets.set(partition, offset);
  }

  /** Takes the place of an earlier producer of this name. @returns the epoch */
  initialize(id: string): number {
    const earlier = this.#open.get(id);
    if (earlier) this.end(earlier, 'aborted');
    const epoch = (this.#epochs.get(id) ?? 0) + 1;
    this.#epochs.set(id, epoch);
    return epoch;
  }

  isLatest(id: string, epoch: number): boolean {
    return this.#epochs.get(id) === epoch;
  }

  beginFor(id: string): Transaction {
    const transaction: Transaction = { id, state: 'open', touched: new Set(), offsets: new Map() };
    this.#open.set(id, transaction);
    return transaction;
  }

  get memberNames(): readonly string[] {
    return this.#members.map(({ name }) => name);
  }

  join(name: string, topic: string): Membership {
    this.replace(name);
    const member: Membership = { name, isAlive: true, isReplaced: false, changes: [], owned: new Set() };
    this.#members.push(member);
    this.#balance(this.#topic(topic).partitions.length);
    // As the client does, also if there is nothing for the member.
    if (member.changes.length === 0) member.changes.push({ kind: 'assigned', partitions: [] });
    return member;
  }

  /** A member that has left, or was not heard of for too long. */
  leave(member: Membership): void {
    if (!member.isAlive) return;
    member.isAlive = false;
    this.#members.splice(this.#members.indexOf(member), 1);
    member.changes.push({ kind: 'lost', partitions: [...member.owned] });
    const count = Math.max(-1, ...[...member.owned]) + 1;
    member.owned.clear();
    this.#partitions = Math.max(this.#partitions, count);
    this.#balance(this.#partitions);
  }

  /** Refuses the member of a name from now on, as if another one had joined. */
  replace(name: string): void {
    const member = this.#members.find((one) => one.name === name);
    if (member === undefined) return;
    member.isReplaced = true;
    this.leave(member);
  }

  /** Ends the membership of a name as by the timeout of its session. */
  expire(name: string): void {
    const member = this.#members.find((one) => one.name === name);
    if (member) this.leave(member);
  }

  /** How the next transactions end, while nobody is told. */
  readonly lostEnds: ('committed' | 'aborted')[] = [];
  #aborts = 0;

  /** Tells if a topic refuses a record that a member writes: its transaction is refused when it is committed. */
  refuses: (topic: string, record: RecordContent) => boolean = () => false;

  /** Aborts the next transactions. */
  abortNext(count: number): void {
    this.#aborts = count;
  }

  takesAbort(): boolean {
    return this.#aborts-- > 0;
  }

  #partitions = 0;

  /** Gives partition p to member p modulo the members. One that another member has is given up by it first. */
  #balance(partitions: number): void {
    this.#partitions = Math.max(this.#partitions, partitions);
    for (let partition = 0; partition < this.#partitions; partition++) this.#place(partition);
  }

  #place(partition: number): void {
    const target = this.#members[partition % Math.max(1, this.#members.length)];
    const owner = this.#members.find(({ owned }) => owned.has(partition));
    if (target === undefined || target === owner) return;
    if (owner) owner.changes.push({ kind: 'revoked', partitions: [partition] });
    else {
      target.owned.add(partition);
      target.changes.push({ kind: 'assigned', partitions: [partition] });
    }
  }

  /** A member has given partitions up. */
  givenUp(member: Membership, partitions: readonly number[]): void {
    for (const partition of partitions) {
      if (!member.owned.delete(partition)) continue;
      this.#place(partition);
    }
  }
}

/** Counts the calls of a process, and ends it at one of them. */
export class Fate {
  #left: number;
  readonly #isBefore: boolean;
  isOver = false;

  /** @param calls those before the end; half of the ends are before the call has its effect, the others after it */
  constructor(calls: number) {
    this.#left = Math.floor(calls / 2);
    this.#isBefore = calls % 2 === 0;
  }

  /** A call that is not counted: how often it is made depends on what others do meanwhile. */
  async beside<T>(call: () => T): Promise<T> {
    await Promise.resolve();
    if (this.isOver) throw new Crash();
    return call();
  }

  async around<T>(call: () => T): Promise<T> {
    await Promise.resolve();
    if (this.isOver) throw new Crash();
    const isLast = this.#left-- <= 0;
    if (isLast) this.isOver = true;
    if (isLast && this.#isBefore) throw new Crash();
    const result = call();
    if (isLast) throw new Crash();
    return result;
  }
}

class FakeMember implements GroupMember {
  readonly #cluster: FakeCluster;
  readonly #member: Membership;
  readonly #topic: string;
  readonly #fate: Fate;
  readonly #id: string;
  #epoch: number;
  readonly #positions = new Map<number, number>();
  #paused: ReadonlySet<number> = new Set();
  /** The ends that were told. As the client does, each is told once. */
  readonly #told = new Map<number, number>();
  #transaction: Transaction | undefined;

  constructor(cluster: FakeCluster, { topic, name, fate }: { topic: string; name: string; fate: Fate }) {
    this.#cluster = cluster;
    this.#topic = topic;
    this.#fate = fate;
    this.#id = name;
    this.#epoch = cluster.initialize(name);
    this.#member = cluster.join(name, topic);
  }

  changes(): readonly GroupChange[] {
    return this.#member.changes.splice(0);
  }

  committed(partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.#fate.around(() => {
      this.#cluster.timeOut();
      return new Map(partitions.map((partition) => [partition, this.#cluster.offsets.get(partition) ?? -1]));
    });
  }

  start(positions: ReadonlyMap<number, number>): void {
    for (const [partition, position] of positions) {
      this.#positions.set(partition, position);
      this.#told.delete(partition);
    }
  }

  stop(partitions: readonly number[]): void {
    for (const partition of partitions) this.#positions.delete(partition);
    this.#cluster.givenUp(this.#member, partitions);
  }

  seek(positions: ReadonlyMap<number, number>): Promise<void> {
    return this.#fate.around(() => this.start(positions));
  }

  pause(partitions: ReadonlySet<number>): void {
    this.#paused = partitions;
  }

  async fetch(most: number): Promise<Fetched> {
    // The timers of a test have a turn.
    await turn();
    const read = () => this.#read(most);
    return this.#hasRecords ? this.#fate.around(read) : this.#fate.beside(read);
  }

  get #hasRecords(): boolean {
    const found = (partition: number, from: number) =>
      this.#cluster.committedFrom(this.#topic, partition, from, 1).records;
    return this.#reading.some(([partition, position]) => found(partition, position).length > 0);
  }

  /** The partitions that do not pause, with their positions. */
  get #reading(): [partition: number, position: number][] {
    return [...this.#positions].filter(([partition]) => !this.#paused.has(partition));
  }

  #read(most: number): Fetched {
    if (this.#member.isReplaced) throw new NameTaken('E_KAFKA', 'another member has taken over');
    const ends = new Map<number, number>();
    const records: KafkaRecord[] = [];
    for (const [partition, position] of this.#reading) {
      const room = most - records.length;
      // One more says whether that is the end.
      const found = this.#cluster.committedFrom(this.#topic, partition, position, room + 1);
      const taken = found.records.slice(0, room);
      records.push(...taken);
      const isEnd = taken.length === found.records.length;
      if (isEnd && this.#told.get(partition) !== found.end) ends.set(partition, found.end);
      if (isEnd) this.#told.set(partition, found.end);
      this.#positions.set(
        partition,
        isEnd ? Math.max(position, found.end) : (taken.at(-1)?.offset ?? position - 1) + 1,
      );
    }
    if (records.length === 0) this.#cluster.onIdle();
    return { records, ends };
  }

  /** @throws TransactionUnknown after another producer of this name, in the place of which there is a new one */
  #checkEpoch(): void {
    if (this.#cluster.isLatest(this.#id, this.#epoch)) return;
    this.#epoch = this.#cluster.initialize(this.#id);
    throw new TransactionUnknown('another producer has begun');
  }

  begin(): Promise<void> {
    return this.#fate.around(() => {
      this.#checkEpoch();
      this.#transaction = this.#cluster.beginFor(this.#id);
    });
  }

  send(topic: string, partition: number, record: RecordContent): Promise<void> {
    return this.#fate.around(() => {
      const transaction = this.#transaction as Transaction;
      if (!this.#cluster.topics.has(topic)) {
        this.#cluster.end(transaction, 'aborted');
        throw new TransactionAborted('unknown topic');
      }
      const entries = this.#cluster.entriesOf(topic, partition);
      // What a producer that was replaced still sends is not written.
      if (transaction.state !== 'open') return;
      if (this.#cluster.refuses(topic, record)) transaction.isRefused = true;
      const timestamp = this.#cluster.stampOf(topic, record.timestamp);
      entries.push({ record: { ...record, timestamp }, transaction });
      transaction.touched.add(entries);
    });
  }

  commit(offsets: ReadonlyMap<number, number>): Promise<void> {
    return this.#fate.around(() => {
      const transaction = this.#transaction as Transaction;
      this.#checkEpoch();
      if (!this.#member.isAlive || transaction.state !== 'open' || this.#cluster.takesAbort()) {
        this.#cluster.end(transaction, 'aborted');
        throw new TransactionAborted('the generation is not the latest');
      }
      if (transaction.isRefused) {
        this.#cluster.end(transaction, 'aborted');
        throw new RecordRefused('E_KAFKA', 'a topic does not take what is written');
      }
      transaction.offsets = new Map(offsets);
      const lost = this.#cluster.lostEnds.shift();
      this.#cluster.end(transaction, lost ?? 'committed');
      if (lost) throw new TransactionUnknown('the coordinator has ended');
    });
  }

  async isRefused(): Promise<boolean> {
    await this.abort();
    if (this.#cluster.takesAbort()) throw new TransactionAborted('skipped sequence numbers');
    return (this.#transaction as Transaction).isRefused === true;
  }

  abort(): Promise<void> {
    return this.#fate.around(() => this.#cluster.end(this.#transaction as Transaction, 'aborted'));
  }

  /** A process that has ended does not say that it leaves. */
  async close(): Promise<void> {
    if (!this.#fate.isOver) this.#cluster.leave(this.#member);
  }
}

export class FakeClient implements KafkaClient {
  readonly #cluster: FakeCluster;
  readonly #name: string;
  readonly #fate: Fate;

  constructor(cluster: FakeCluster, name: string, fate = new Fate(Number.POSITIVE_INFINITY)) {
    this.#cluster = cluster;
    this.#name = name;
    this.#fate = fate;
  }

  partitionsOf(topic: string): Promise<number | undefined> {
    return this.#fate.around(() => this.#cluster.topics.get(topic)?.partitions.length);
  }

  topicId(topic: string): Promise<string | undefined> {
    return this.#fate.around(() => this.#cluster.topics.get(topic)?.id);
  }

  bounds(topic: string, partition: number): Promise<Bounds> {
    return this.#fate.around(() => this.#cluster.bounds(topic, partition));
  }

  offsetAt(topic: string, partition: number, time: number): Promise<number | undefined> {
    return this.#fate.around(() => {
      const { low } = this.#cluster.bounds(topic, partition);
      const entries = this.#cluster.entriesOf(topic, partition);
      const at = entries.findIndex(({ record }, offset) => offset >= low && record && record.timestamp >= time);
      return at === -1 ? undefined : at;
    });
  }

  memberNames(): Promise<readonly string[]> {
    return this.#fate.around(() => this.#cluster.memberNames);
  }

  takesKeyless(topic: string): Promise<boolean> {
    return this.#fate.around(() => !this.#cluster.topics.get(topic)?.isCompacted);
  }

  makeCompacted(topic: string, partitions: number): Promise<void> {
    return this.#fate.around(() => {
      if (!this.#cluster.topics.has(topic)) this.#cluster.make(topic, partitions, { isCompacted: true });
    });
  }

  async *records(topic: string, ranges: readonly RecordRange[]): AsyncGenerator<readonly KafkaRecord[]> {
    const found = await this.#fate.around(() => {
      const fromOf = ({ partition, from }: RecordRange) => this.#cluster.committedFrom(topic, partition, from);
      if (ranges.some((range) => fromOf(range).end < range.to)) this.#cluster.timeOut();
      return ranges.flatMap((range) => fromOf(range).records.filter(({ offset }) => offset < range.to));
    });
    for (let at = 0; at < found.length; at += 7) {
      yield found.slice(at, at + 7);
      await this.#fate.around(() => undefined);
    }
  }

  async join(topic: string): Promise<GroupMember> {
    return this.#fate.around(() => new FakeMember(this.#cluster, { topic, name: this.#name, fate: this.#fate }));
  }

  async close(): Promise<void> {}
}
