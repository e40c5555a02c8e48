// Finds the record that an output refuses. The brokers refuse a transaction, and do not say which record of the input it is about. So the
// records are emitted again in smaller transactions, until the one that is refused is alone.

import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { Fetched, GroupMember, KafkaRecord, RecordRefused } from '../../io/kafka/contract.js';
import { locationOf } from '../messages/keys.js';

/** The position of a partition that a worker has. */
interface Place {
  readonly position: number;
}

export interface NarrowingOptions {
  /** The topic that is read. */
  input: string;
  states: ReadonlyMap<number, Place>;
  /** True if a message that is refused is dropped. */
  drops: boolean;
  /** True if a message is a container: its other records are not refused, so it is not dropped. */
  isContainer: boolean;
}

const NOTHING: Fetched = { records: [], ends: new Map() };

/** The number of messages in records: those of one container have one place. */
function messagesIn(records: readonly KafkaRecord[]): number {
  return records.filter((record, i) => !isSameMessage(record, records[i + 1])).length;
}

function isSameMessage(one: KafkaRecord, other: KafkaRecord | undefined): boolean {
  return one.partition === other?.partition && one.offset === other.offset;
}

/** The bytes that a record has in an output, besides those of its frame. */
function sizeOf({ key, value, headers = [] }: KafkaRecord): number {
  const names = headers.flatMap((header) => Object.entries(header));
  const inHeaders = names.reduce((sum, [name, bytes]) => sum + Buffer.byteLength(name) + bytes.length, 0);
  return (key?.length ?? 0) + (value?.length ?? 0) + inHeaders;
}

export class Narrowing {
  readonly #options: NarrowingOptions;
  /** The number of messages in a transaction, at most. */
  #maxMessages = Number.POSITIVE_INFINITY;
  /** The fetched records that are emitted later. */
  #left: Fetched = NOTHING;
  /** The error of the transaction that was refused last, and the last offset that it had of each partition. */
  #refusal: { error: RecordRefused; last: ReadonlyMap<number, number> } | undefined;
  /** The message that is dropped. */
  #dropped: KafkaRecord | undefined;

  constructor(options: NarrowingOptions) {
    this.#options = options;
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

  /** Tells if a message is dropped. */
  isDropped(record: KafkaRecord): boolean {
    return this.#dropped !== undefined && isSameMessage(record, this.#dropped);
  }

  /**
   * Takes note that the records of a transaction were refused. They have to be read again.
   * @returns what to warn of
   * @throws FirstseenError that names the message, if it was alone
   */
  refuse(error: RecordRefused, records: readonly KafkaRecord[]): string | undefined {
    const [first] = records;
    if (first === undefined) throw error;
    const last = new Map(records.map(({ partition, offset }) => [partition, offset]));
    this.#refusal = { error, last };
    const messages = messagesIn(records);
    this.#maxMessages = Math.max(1, Math.floor(messages / 2));
    if (messages > 1) return undefined;
    const located = this.#located(error, records);
    const { drops, isContainer } = this.#options;
    if (isContainer) throw located;
    if (!drops) throw located.orRemedy(phrase`drop the record, with ${optionName('onError')} drop`);
    // The transaction was refused without the message, so the message is not the reason.
    if (this.isDropped(first)) throw located;
    this.#dropped = first;
    // The message without its remedy, which is done.
    const { message } = new FirstseenError(located.code, located.data.problem);
    return `${message}; the record is dropped`;
  }

  #located(error: RecordRefused, records: readonly KafkaRecord[]): FirstseenError {
    const bytes = formatCounted(Math.max(...records.map(sizeOf)), 'byte');
    const size = records.length > 1 ? `records of up to ${bytes}` : bytes;
    return error.at(`${locationOf(this.#options.input, records[0] as KafkaRecord)} (${size})`);
  }

  /**
   * Takes note that a transaction was not refused.
   * @throws FirstseenError if all messages of the one that was refused last have passed since: they are too large only together
   */
  pass(): void {
    if (this.#refusal === undefined) return;
    const { error, last } = this.#refusal;
    const { states } = this.#options;
    const isLeft = ([partition, offset]: readonly [number, number]) =>
      (states.get(partition)?.position ?? Number.POSITIVE_INFINITY) <= offset;
    if ([...last].some(isLeft)) return;
    const wasAlone = this.#dropped !== undefined;
    this.#refusal = undefined;
    this.#dropped = undefined;
    if (!wasAlone) throw error;
  }
}
