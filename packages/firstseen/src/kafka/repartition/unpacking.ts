// A client that unpacks the containers of a topic, so that their records are read as if they were in the topic themselves. A record has the
// offset of its container, and a container is read as a whole.

import type { FirstseenError } from '../../base/errors.js';
import type { Fetched, GroupMember, KafkaClient, KafkaRecord } from '../../io/kafka/contract.js';
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

/** Methods of an object, bound to it. */
function bound<Target, Name extends keyof Target>(target: Target, names: readonly Name[]): Pick<Target, Name> {
  const methodOf = (name: Name) => (target[name] as (...values: unknown[]) => unknown).bind(target);
  return Object.fromEntries(names.map((name) => [name, methodOf(name)])) as Pick<Target, Name>;
}

/** Records before a message that is not a container are given first; the next fetch fails. */
function unpackingMember(member: GroupMember, packed: PackedTopic): GroupMember {
  let expectedRecords = EXPECTED_RECORDS;
  let pendingFailure: FirstseenError | undefined;
  return {
    ...bound(member, [
      'changes',
      'committed',
      'start',
      'stop',
      'pause',
      'begin',
      'send',
      'commit',
      'isRefused',
      'abort',
      'close',
    ]),
    async fetch(most): Promise<Fetched> {
      if (pendingFailure) throw pendingFailure;
      const messages = await member.fetch(Math.max(1, Math.floor(most / expectedRecords)));
      const { records, failure } = unpack(messages.records, packed);
      if (failure === undefined) {
        if (records.length > 0) expectedRecords = Math.ceil(records.length / messages.records.length);
        return { records, ends: messages.ends };
      }
      if (records.length === 0) throw failure;
      pendingFailure = failure;
      // What was read up to an end may have the message that is refused.
      return { records, ends: new Map() };
    },
    seek(positions) {
      // All is read again, also the message that was refused.
      pendingFailure = undefined;
      return member.seek(positions);
    },
  };
}

/**
 * Returns a client that unpacks the containers of a topic, if it holds containers. What it reads may throw E_RECORD or E_STATE_DIFFERS, for a
 * message that is not a container of this group.
 */
export function unpacking(client: KafkaClient, topic: string, note: ContainerNote | undefined): KafkaClient {
  if (note === undefined) return client;
  const packed = { topic, note };
  return {
    ...bound(client, ['partitionsOf', 'topicId', 'bounds', 'offsetAt', 'memberNames', 'takesKeyless', 'makeCompacted']),
    async *records(source, ranges) {
      for await (const batch of client.records(source, ranges)) {
        const { records, failure } = source === topic ? unpack(batch, packed) : { records: batch, failure: undefined };
        if (failure) throw failure;
        yield records;
      }
    },
    join: async (joined) => unpackingMember(await client.join(joined), packed),
    close: () => client.close(),
  };
}

/** Returns the options for the keys of records in containers. Records in a container were let pass. */
export function unpackedKeys(keys: KeyOptions): KeyOptions {
  const { emptyKey } = keys;
  return { ...keys, missingKey: 'distinct', emptyKey: emptyKey === 'fail' ? 'distinct' : emptyKey, onError: 'pass' };
}
