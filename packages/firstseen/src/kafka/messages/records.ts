// The records of messages, in columns: one for each message, or many.

import type { FirstseenError } from '../../base/errors.js';
import type { Detector } from '../../detectors/detector.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';

/** The part of a detector that makes fingerprints. */
export type Hashing = Pick<Detector, 'settings' | 'fingerprint'>;

/** The kinds of records in a message. */
export const kinds = { keyed: 0, passed: 1, dropped: 2, unknown: 3 } as const;

/** The records of messages, in their order. */
export interface MessageRecords {
  count: number;
  /** The numbers of their messages. */
  owners: Uint32Array;
  /** The start and the end of each record in the value of its message. */
  starts: Uint32Array;
  ends: Uint32Array;
  kinds: Uint8Array;
  /** Of those that have a key. */
  fingerprints: BigUint64Array;
}

/** The records of messages up to the first message that is refused. */
export interface ReadMessages {
  records: MessageRecords;
  /** The number of those messages. */
  taken: number;
  /** Why the next message is refused. */
  failure?: FirstseenError;
}

export interface ReadOptions {
  /** That of the messages, for errors. */
  topic: string;
  /** True if the messages were emitted before: none is refused. */
  isReplay?: boolean;
}

/** A reader of messages, which finds their records, and hashes their keys. A message that is passed as it is has no records. */
export interface Reads {
  /** The records are valid until the next call. */
  read(messages: readonly KafkaRecord[], hashing: Hashing, options: ReadOptions): ReadMessages;
}

export function emptyRecords(capacity: number): MessageRecords {
  return {
    count: 0,
    owners: new Uint32Array(capacity),
    starts: new Uint32Array(capacity),
    ends: new Uint32Array(capacity),
    kinds: new Uint8Array(capacity),
    fingerprints: new BigUint64Array(capacity),
  };
}

/** The keys of records: the numbers of their messages, and their fingerprints. */
export interface Keyed {
  owners: Uint32Array;
  fingerprints: BigUint64Array;
  count: number;
}

/** The records that have a key. Arrays are shared where all records have one. */
export function keyedOf({ count, owners, kinds: ofRecords, fingerprints }: MessageRecords): Keyed {
  let isKeyed = true;
  for (let i = 0; i < count && isKeyed; i++) isKeyed = ofRecords[i] === kinds.keyed;
  if (isKeyed) return { owners, fingerprints, count };
  const keyed: Keyed = { owners: new Uint32Array(count), fingerprints: new BigUint64Array(count), count: 0 };
  for (let i = 0; i < count; i++) {
    if (ofRecords[i] !== kinds.keyed) continue;
    keyed.owners[keyed.count] = owners[i] as number;
    keyed.fingerprints[keyed.count++] = fingerprints[i] as bigint;
  }
  return keyed;
}

/** The numbers of the records of each message: those of message `i` are from the number at `i` up to the one after it. */
export function firstsOf({ owners, count }: MessageRecords, messages: number): Uint32Array {
  const firsts = new Uint32Array(messages + 1);
  for (let message = 0, i = 0; message < messages; firsts[++message] = i) {
    while (i < count && owners[i] === message) i++;
  }
  return firsts;
}

/**
 * A message with some of its records, in their order; undefined without any. It is the message itself if it keeps all of them.
 * @param from the number of its first record, and up to which its records are
 */
export function partOf(
  message: KafkaRecord,
  { starts, ends }: MessageRecords,
  { from, to }: { from: number; to: number },
  isWanted: (record: number) => boolean,
): { message: KafkaRecord; size: number } | undefined {
  const value = message.value as Uint8Array;
  const runs: [number, number][] = [];
  let [size, bytes] = [0, 0];
  for (let i = from; i < to; i++) {
    if (!isWanted(i)) continue;
    const [start, end] = [starts[i] as number, ends[i] as number];
    const last = runs.at(-1);
    if (last?.[1] === start) last[1] = end;
    else runs.push([start, end]);
    bytes += end - start;
    size++;
  }
  if (size === 0) return undefined;
  if (size === to - from) return { message, size };
  return { message: { ...message, value: joined(value, runs, bytes) }, size };
}

/** The runs of a value, one after the other. */
function joined(value: Uint8Array, runs: readonly [number, number][], bytes: number): Uint8Array {
  const part = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const [start, end] of runs) {
    part.set(value.subarray(start, end), at);
    at += end - start;
  }
  return part;
}
