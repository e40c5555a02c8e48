// Finds the records that a topic refuses. The brokers refuse a transaction, and do not say which record of the input it is about. So the
// records are emitted again in smaller transactions, until the one that is refused is alone. The records of a container are emitted
// together: those that are refused are found by transactions that are aborted.

import { setTimeout as sleep } from 'node:timers/promises';
import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import {
  type Fetched,
  type GroupMember,
  type KafkaRecord,
  RecordRefused,
  TransactionAborted,
  TransactionUnknown,
} from '../../io/kafka/contract.js';
import { headerPairs } from '../../io/kafka/headers.js';
import { problemText } from '../../options/flagnames.js';
import { PAUSES_MILLISECONDS, type RepeatedWrite, reopen, writeRepeatedly } from '../group/group.js';
import { inputLocation, type PackedRecord } from '../messages/keys.js';

/** The position of a partition that a member has. */
interface Place {
  readonly position: number;
}

export interface NarrowingOptions {
  /** The topic that is read. */
  input: string;
  /** The topic that the records of containers come from; undefined if the input has no containers. */
  source?: string | undefined;
  states: ReadonlyMap<number, Place>;
  /** True if a record that is refused is dropped. */
  drops: boolean;
}

/** A write of records that a topic may refuse. */
export interface RefusableWrite extends RepeatedWrite {
  records: readonly PackedRecord[];
  /** Sends only some of them. Required where they come from containers. */
  send?: (some: ReadonlySet<KafkaRecord>) => Promise<void>;
}

const NOTHING: Fetched = { records: [], ends: new Map() };

/** The number of messages in records: those of one container have one place. */
function messagesIn(records: readonly KafkaRecord[]): number {
  return records.filter((record, i) => !isSameMessage(record, records[i + 1])).length;
}

function isSameMessage(one: KafkaRecord, other: KafkaRecord | undefined): boolean {
  return one.partition === other?.partition && one.offset === other.offset;
}

/** Tells if records have one place, as the parts of a batch do. */
function isSameRecord(one: PackedRecord, other: PackedRecord): boolean {
  const isSameSource = one.sourcePartition === other.sourcePartition && one.sourceOffset === other.sourceOffset;
  return isSameMessage(one, other) && isSameSource;
}

/** The bytes that a record has in an output, besides those of its frame. */
function sizeOf({ key, value, headers }: KafkaRecord): number {
  const ofHeaders = headerPairs(headers).map(([name, bytes]) => Buffer.byteLength(name) + bytes.length);
  return ofHeaders.reduce((sum, bytes) => sum + bytes, (key?.length ?? 0) + (value?.length ?? 0));
}

/** Returns the records that are refused, none of those that are refused only together. */
async function refusedOf(
  records: readonly PackedRecord[],
  isRefused: (some: readonly PackedRecord[]) => Promise<boolean>,
): Promise<readonly PackedRecord[]> {
  if (!(await isRefused(records))) return [];
  if (records.length === 1) return records;
  const half = records.length >> 1;
  const before = await refusedOf(records.slice(0, half), isRefused);
  return [...before, ...(await refusedOf(records.slice(half), isRefused))];
}

/** Tells if a topic refuses what is sent. A trial that was aborted for another reason, as after a refusal, is repeated. */
async function isRefusedAlone(member: GroupMember, send: () => Promise<void>): Promise<boolean> {
  for (let trials = 0; ; trials++) {
    try {
      await member.begin();
      await send();
      return await member.isRefused();
    } catch (error) {
      const pause = PAUSES_MILLISECONDS[trials];
      if (!(error instanceof TransactionAborted) || pause === undefined) throw error;
      await sleep(pause);
    }
  }
}

export class Narrowing {
  readonly #options: NarrowingOptions;
  #maxMessages = Number.POSITIVE_INFINITY;
  /** The fetched records that are emitted later. */
  #left: Fetched = NOTHING;
  /** The error of the transaction that was refused last, the last offset that it had of each partition, and whether it had one message. */
  #refusal: { error: RecordRefused; last: ReadonlyMap<number, number>; isAlone: boolean } | undefined;
  /** The records that are dropped, until they are passed. */
  #dropped: readonly PackedRecord[] = [];

  constructor(options: NarrowingOptions) {
    this.#options = options;
  }

  /** The number of messages in a transaction, at most. */
  get maxMessages(): number {
    return this.#maxMessages;
  }

  /** Fetches as many records as can be emitted now. */
  async fetch(member: GroupMember, maxRecords: number): Promise<Fetched> {
    const { records, ends } = this.#left.records.length > 0 ? this.#left : await member.fetch(maxRecords);
    const to = this.#cutIn(records);
    this.#left = to === records.length ? NOTHING : { records: records.slice(to), ends };
    return to === records.length ? { records, ends } : { records: records.slice(0, to), ends: NOTHING.ends };
  }

  /** Returns the number of records that can be emitted now. Those before the position of their partition are only observed again. */
  #cutIn(records: readonly KafkaRecord[]): number {
    if (this.#refusal === undefined) return records.length;
    let messages = 0;
    for (const [i, record] of records.entries()) {
      const { position = Number.POSITIVE_INFINITY } = this.#options.states.get(record.partition) ?? {};
      if (record.offset < position || isSameMessage(record, records[i + 1])) continue;
      messages++;
      if (messages === this.#maxMessages) return i + 1;
    }
    return records.length;
  }

  /** Forgets what was fetched of partitions that are revoked, or read again. */
  forget(partitions: Iterable<number>): void {
    const gone = new Set(partitions);
    const records = this.#left.records.filter(({ partition }) => !gone.has(partition));
    const ends = new Map([...this.#left.ends].filter(([partition]) => !gone.has(partition)));
    this.#left = { records, ends };
  }

  /** Tells if a record is dropped. */
  isDropped(record: PackedRecord): boolean {
    return this.#dropped.some((dropped) => isSameRecord(dropped, record));
  }

  /**
   * Writes what is emitted.
   * @returns false if a topic has refused it, and it is read again to find the record
   * @throws FirstseenError that names the record that is refused, if it is not dropped
   */
  async write(member: GroupMember, write: RefusableWrite): Promise<boolean> {
    try {
      await writeRepeatedly(member, write);
    } catch (error) {
      if (!(error instanceof RecordRefused)) throw error;
      try {
        await this.#refuse(error, member, write);
      } catch (problem) {
        // A trial has failed. What was refused is read again, and tried again.
        if (!(problem instanceof TransactionAborted || problem instanceof TransactionUnknown)) throw problem;
      }
      await reopen(member, write.held);
      return false;
    }
    this.#pass();
    return true;
  }

  /** Takes note that the records of a transaction were refused. They have to be read again. */
  async #refuse(
    error: RecordRefused,
    member: GroupMember,
    { records, send, onWarning }: RefusableWrite,
  ): Promise<void> {
    if (records.length === 0) throw error;
    const last = new Map(records.map(({ partition, offset }) => [partition, offset]));
    const messages = messagesIn(records);
    this.#refusal = { error, last, isAlone: messages === 1 };
    this.#maxMessages = Math.max(1, Math.floor(messages / 2));
    if (messages > 1) return;
    const refused = await this.#refusedOf(records, member, send);
    // What is dropped already is not the reason.
    if (refused.length === 0) throw this.#located(error, records);
    if (!this.#options.drops) {
      throw this.#located(error, refused).orRemedy(phrase`drop the record, with ${optionName('onError')} drop`);
    }
    this.#dropped = [...this.#dropped, ...refused];
    for (const [i, record] of refused.entries()) {
      if (refused.slice(0, i).some((before) => isSameRecord(before, record))) continue;
      const { code, data } = this.#located(error, [record]);
      // The message without its remedy, which is done.
      onWarning(`${problemText(new FirstseenError(code, data.problem))}; the record is dropped`);
    }
  }

  /** Returns the records of a message that are refused: a message that is not a container, as a whole. */
  async #refusedOf(
    records: readonly PackedRecord[],
    member: GroupMember,
    send: RefusableWrite['send'],
  ): Promise<readonly PackedRecord[]> {
    const sentRecords = records.filter((record) => !this.isDropped(record));
    if (send === undefined || this.#options.source === undefined || sentRecords.length === 0) return sentRecords;
    return refusedOf(sentRecords, (some) => isRefusedAlone(member, () => send(new Set(some))));
  }

  #located(error: RecordRefused, records: readonly PackedRecord[]): FirstseenError {
    const [first] = records as readonly [PackedRecord];
    const bytes = formatCounted(Math.max(...records.map(sizeOf)), 'byte');
    const size = records.length > 1 ? `records of up to ${bytes}` : bytes;
    return error.at(`${inputLocation(this.#options, first)} (${size})`);
  }

  /**
   * Takes note that a transaction was not refused.
   * @throws FirstseenError if all messages of the one that was refused last have passed since: they are too large only together
   */
  #pass(): void {
    if (this.#refusal === undefined) return;
    const { error, last, isAlone } = this.#refusal;
    const isLeft = (partition: number, offset: number) =>
      (this.#options.states.get(partition)?.position ?? Number.POSITIVE_INFINITY) <= offset;
    if ([...last].some(([partition, offset]) => isLeft(partition, offset))) return;
    this.#refusal = undefined;
    this.#maxMessages = Number.POSITIVE_INFINITY;
    this.#dropped = this.#dropped.filter(({ partition, offset }) => isLeft(partition, offset));
    if (!isAlone) throw error;
  }
}
