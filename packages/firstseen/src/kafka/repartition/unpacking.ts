// A client that unpacks the containers of a topic, so that their records are read as if they were in the topic themselves. A record has the
// offset of its container, and a container is read as a whole.

import type { FirstseenError } from '../../base/errors.js';
import type {
  Bounds,
  Fetched,
  GroupChange,
  GroupMember,
  KafkaClient,
  KafkaRecord,
  RecordContent,
  RecordRange,
} from '../../io/kafka/contract.js';
import { type KeyOptions, locationOf } from '../messages/keys.js';
import { type ContainerNote, decodeContainer } from './containers.js';

interface PackedTopic {
  topic: string;
  note: ContainerNote;
}

/** Records of a container, before any was read. */
const EXPECTED_RECORDS = 2000;

interface Unpacked {
  records: KafkaRecord[];
  /** Why the next message cannot be unpacked. */
  failure?: FirstseenError;
}

function unpack(messages: readonly KafkaRecord[], { topic, note }: PackedTopic): Unpacked {
  const records: KafkaRecord[] = [];
  for (const message of messages) {
    try {
      for (const record of decodeContainer(message, note)) records.push(record);
    } catch (error) {
      return { records, failure: (error as FirstseenError).at(locationOf(topic, message)) };
    }
  }
  return { records };
}

class UnpackingMember implements GroupMember {
  readonly #member: GroupMember;
  readonly #packed: PackedTopic;
  #expected = EXPECTED_RECORDS;
  #failure: FirstseenError | undefined;

  constructor(member: GroupMember, packed: PackedTopic) {
    this.#member = member;
    this.#packed = packed;
  }

  /** Records before a message that is not a container are given first; the next call fails. */
  async fetch(most: number): Promise<Fetched> {
    if (this.#failure) throw this.#failure;
    const messages = await this.#member.fetch(Math.max(1, Math.floor(most / this.#expected)));
    const { records, failure } = unpack(messages.records, this.#packed);
    if (failure === undefined) {
      if (records.length > 0) this.#expected = Math.ceil(records.length / messages.records.length);
      return { records, ends: messages.ends };
    }
    if (records.length === 0) throw failure;
    this.#failure = failure;
    // What was read up to an end may have the message that is refused.
    return { records, ends: new Map() };
  }

  changes(): readonly GroupChange[] {
    return this.#member.changes();
  }

  committed(partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.#member.committed(partitions);
  }

  start(positions: ReadonlyMap<number, number>): void {
    this.#member.start(positions);
  }

  stop(partitions: readonly number[]): void {
    this.#member.stop(partitions);
  }

  seek(positions: ReadonlyMap<number, number>): Promise<void> {
    // All is read again, also the message that was refused.
    this.#failure = undefined;
    return this.#member.seek(positions);
  }

  pause(partitions: ReadonlySet<number>): void {
    this.#member.pause(partitions);
  }

  begin(): Promise<void> {
    return this.#member.begin();
  }

  send(topic: string, partition: number, record: RecordContent): Promise<void> | undefined {
    return this.#member.send(topic, partition, record);
  }

  commit(offsets: ReadonlyMap<number, number>): Promise<void> {
    return this.#member.commit(offsets);
  }

  abort(): Promise<void> {
    return this.#member.abort();
  }

  close(): Promise<void> {
    return this.#member.close();
  }
}

class UnpackingClient implements KafkaClient {
  readonly #client: KafkaClient;
  readonly #packed: PackedTopic;

  constructor(client: KafkaClient, packed: PackedTopic) {
    this.#client = client;
    this.#packed = packed;
  }

  partitionsOf(topic: string): Promise<number | undefined> {
    return this.#client.partitionsOf(topic);
  }

  topicId(topic: string): Promise<string | undefined> {
    return this.#client.topicId(topic);
  }

  bounds(topic: string, partition: number): Promise<Bounds> {
    return this.#client.bounds(topic, partition);
  }

  offsetAt(topic: string, partition: number, time: number): Promise<number | undefined> {
    return this.#client.offsetAt(topic, partition, time);
  }

  memberNames(): Promise<readonly string[]> {
    return this.#client.memberNames();
  }

  takesKeyless(topic: string): Promise<boolean> {
    return this.#client.takesKeyless(topic);
  }

  makeCompacted(topic: string, partitions: number): Promise<void> {
    return this.#client.makeCompacted(topic, partitions);
  }

  /** @throws FirstseenError E_RECORD or E_STATE_DIFFERS for a message that is not a container of this group */
  async *records(topic: string, ranges: readonly RecordRange[]): AsyncGenerator<readonly KafkaRecord[]> {
    for await (const batch of this.#client.records(topic, ranges)) {
      if (topic !== this.#packed.topic) {
        yield batch;
        continue;
      }
      const { records, failure } = unpack(batch, this.#packed);
      if (failure) throw failure;
      yield records;
    }
  }

  async join(topic: string): Promise<GroupMember> {
    return new UnpackingMember(await this.#client.join(topic), this.#packed);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** A client that unpacks the containers of a topic, if it holds containers. */
export function unpacking(client: KafkaClient, topic: string, note: ContainerNote | undefined): KafkaClient {
  return note === undefined ? client : new UnpackingClient(client, { topic, note });
}

/** Returns the options for the keys of records in containers. Records in a container were let pass. */
export function unpackedKeys(keys: KeyOptions): KeyOptions {
  const { emptyKey } = keys;
  return { ...keys, missingKey: 'distinct', emptyKey: emptyKey === 'fail' ? 'distinct' : emptyKey, onError: 'pass' };
}
