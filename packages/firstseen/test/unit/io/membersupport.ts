// A member of a group over a package that answers as librdkafka does.

import { EventEmitter } from 'node:events';
import { PendingChanges } from '../../../src/io/kafka/changes.js';
import { Member } from '../../../src/io/kafka/member.js';
import type { MemberOptions } from '../../../src/io/kafka/memberoptions.js';
import type { RdConsumer, RdError, RdProducer, TopicPartition } from '../../../src/io/kafka/rdkafka.js';

export function rdError(code: number, flags: Partial<RdError> = {}): RdError {
  return Object.assign(new Error(`error ${code}`), { code, ...flags });
}

export type Callback = (error: RdError | null, value?: unknown) => void;

export const place = { topic: 'in', partition: 0 };

/** Changes of one partition. @param told codes of the client, and whether its partitions were lost */
export function changesOf(...told: [code: number, isLost: boolean][]): PendingChanges {
  const changes = new PendingChanges();
  for (const [code, isLost] of told) {
    const consumer = {
      incrementalAssign: () => undefined,
      incrementalUnassign: () => undefined,
      assignmentLost: () => isLost,
    };
    changes.note(consumer, rdError(code), [place]);
  }
  return changes;
}

/** A member whose producer fails as a test says, once for each error, or never answers. */
export function memberWith(
  failures: Partial<Record<string, RdError[] | 'never'>>,
  changes = new PendingChanges(),
  more: Partial<RdConsumer> = {},
  takeover: () => void = () => undefined,
  options: Partial<Pick<MemberOptions, 'signal' | 'bounds' | 'unassigned' | 'onWarning'>> = {},
) {
  const calls: string[] = [];
  const sent: unknown[][] = [];
  const offsetsSent: TopicPartition[] = [];
  const nextOf = (name: string) => {
    const errors = failures[name];
    return (Array.isArray(errors) && errors.shift()) || null;
  };
  const answer = (name: string, callback: Callback) => {
    calls.push(name);
    if (failures[name] !== 'never') callback(nextOf(name), []);
  };
  const events = new EventEmitter();
  const producer = {
    beginTransaction: (callback: Callback) => answer('begin', callback),
    sendOffsetsToTransaction: (places: TopicPartition[], _consumer: unknown, _time: number, callback: Callback) => {
      offsetsSent.push(...places);
      answer('offsets', callback);
    },
    flush: (_time: number, callback: Callback) => answer('flush', callback),
    commitTransaction: (_time: number, callback: Callback) => answer('commit', callback),
    disconnect: (callback: Callback) => answer('disconnect', callback),
    abortTransaction: (_time: number, callback: Callback) => answer('abort', callback),
    produce: (...values: unknown[]) => {
      const failure = nextOf('produce');
      if (failure) throw failure;
      sent.push(values);
    },
  } as unknown as RdProducer;
  const newProducer = async () => {
    calls.push('new');
    return producer;
  };
  const consumer = {
    on: (event: string, listener: () => void) => events.on(event, listener),
    disconnect: (callback: Callback) => answer('leave', callback),
    consume: (_most: number, callback: Callback) => answer('consume', callback),
    committed: (places: TopicPartition[], _time: number, callback: Callback) => {
      calls.push('committed');
      const failure = nextOf('committed');
      if (failure) callback(failure);
      else callback(null, places);
    },
    ...more,
  } as unknown as RdConsumer;
  const endTransactionsOfGone = async (places: readonly TopicPartition[]) => {
    calls.push(`end ${places.map(({ partition }) => partition)}`);
    takeover();
  };
  const isThere = async () => failures.topic !== 'never';
  const looks = { bounds: async () => ({ low: 0, high: 0 }), unassigned: async () => [], onWarning: () => undefined };
  const given = { topic: 'in', group: 'group', consumer, producer, newProducer, changes, ...looks, ...options };
  return {
    member: new Member({ ...given, endTransactionsOfGone, isThere, transactionalId: 'group/one' }),
    calls,
    sent,
    offsetsSent,
    log: (fac: string, message: string) => events.emit('event.log', { fac, message }),
  };
}
