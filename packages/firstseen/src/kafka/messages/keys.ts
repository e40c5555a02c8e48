// The keys of the records of a topic.

import { FirstseenError, phrase } from '../../base/errors.js';
import { MAX_KEY_BYTES } from '../../detectors/host.js';
import { policyRemedy } from '../../framing/exceptions.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import { headerPairs } from '../../io/kafka/headers.js';
import { DROPPED, keyMaker, PASSED, type Unkeyed } from '../../records/keyof.js';
import type { KeySchemeOptions } from '../../records/keyscheme.js';
import type { ErrorPolicy, KeyPolicyOptions } from '../../records/policies.js';
import { hasRegistryHeader, jsonIn, startOf } from './envelopes.js';

/** The part of a record that has its key. */
export type KeyPlace = 'value' | 'key' | { header: string };

export interface KeyOptions extends KeyPolicyOptions {
  place: KeyPlace;
  format: 'lines' | 'ndjson' | 'u64';
  /** True if a value holds many records. */
  isBatch?: boolean;
  /** Paths in JSON; none for all of the place. */
  keys: readonly string[];
  onError: ErrorPolicy;
}

/**
 * Returns the scheme by which keys are made, as snapshots record it. A key that is not in the value is made by the same
 * rules.
 */
export function schemeOf({ format, keys }: KeyOptions): KeySchemeOptions {
  return format === 'ndjson' ? { format, keys } : {};
}

/** A tombstone: it is passed on, and is not a record that repeats another one. */
export const TOMBSTONE: unique symbol = Symbol('tombstone');

/** The key of a record, what a policy decides, or why the record is refused. */
export type KeyFound = Uint8Array | Unkeyed | typeof TOMBSTONE | FirstseenError;

/** The bytes that have the key; null if the record has none. */
export function bytesAt({ key, value, headers }: KafkaRecord, place: KeyPlace): Uint8Array | null {
  if (place === 'value') return value;
  if (place === 'key') return key;
  // Of several headers of a name, the last one counts, as for clients of Kafka.
  const lastPair = headerPairs(headers).findLast(([name]) => name === place.header);
  return lastPair?.[1] ?? null;
}

/** The text that has the key: JSON without what serializers write before it. */
export function textAt(record: KafkaRecord, { place, keys }: Pick<KeyOptions, 'place' | 'keys'>): Uint8Array | null {
  const bytes = bytesAt(record, place);
  return bytes === null || keys.length === 0 ? bytes : jsonIn(bytes);
}

/** An error about a key that is not found in JSON, with what the JSON begins with. */
function notFoundIn(record: KafkaRecord, options: KeyOptions, error: FirstseenError): FirstseenError {
  const { place, keys } = options;
  const whole = bytesAt(record, place);
  if (keys.length === 0 || whole === null) return error;
  // Avro or Protobuf may begin with the byte of a brace.
  const bytes = error.code === 'E_RECORD' && hasRegistryHeader(whole) ? whole : jsonIn(whole);
  const { text, remedy } = startOf(bytes, typeof place === 'string' ? place : 'header');
  const { code, problem, details } = error.data;
  const detailed = new FirstseenError(code, phrase`${problem}: ${text}`, { ...details, cause: error });
  return remedy === undefined ? detailed : detailed.orRemedy(remedy);
}

function placeText(place: KeyPlace): string {
  return typeof place === 'string' ? `a ${place}` : `the header ${place.header}`;
}

/** The place of a record in messages. */
export function locationOf(topic: string, { partition, offset }: Pick<KafkaRecord, 'partition' | 'offset'>): string {
  return `${topic}, partition ${partition}, offset ${offset}`;
}

/** A record that may come from a container. */
export interface PackedRecord extends KafkaRecord {
  sourcePartition?: number;
  sourceOffset?: number;
}

/** The place of a record in the input of a worker: that from which its container has it. */
export function inputLocation(
  { input, source = input }: { input: string; source?: string | undefined },
  record: PackedRecord,
): string {
  const { sourcePartition: partition = record.partition, sourceOffset: offset = record.offset } = record;
  return locationOf(source, { partition, offset });
}

/** Records by their partitions, each in their order. */
export function byPartition(records: readonly KafkaRecord[]): Map<number, KafkaRecord[]> {
  const lists = new Map<number, KafkaRecord[]>();
  for (const record of records) {
    const list = lists.get(record.partition);
    if (list) list.push(record);
    else lists.set(record.partition, [record]);
  }
  return lists;
}

function missing({ place, missingKey }: KeyOptions): KeyFound {
  if (missingKey === 'drop') return DROPPED;
  if (missingKey === 'distinct') return PASSED;
  return new FirstseenError('E_KEY_MISSING', `the record does not have ${placeText(place)}`, {
    option: 'missingKey',
    remedy: policyRemedy('KEY_MISSING'),
  });
}

function invalid({ onError }: KeyOptions, error: FirstseenError): KeyFound {
  if (onError === 'fail') return error.orRemedy(policyRemedy('INVALID'));
  return onError === 'pass' ? PASSED : DROPPED;
}

/** A record that is invalid, as the policy has it. */
export function invalidRecord(options: KeyOptions, problem: string): KeyFound {
  return invalid(options, new FirstseenError('E_RECORD', problem, { remedy: 'correct what writes such records' }));
}

/** The codes of records that are invalid, and of keys that no detector takes. */
const codesOfInvalid: readonly string[] = ['E_RECORD', 'E_KEY'];

/**
 * Returns a function that finds the keys of records. It throws nothing: an error is its answer, because a record that
 * was emitted before must not stop the replay.
 * @throws FirstseenError E_USAGE or E_PARAMETER for keys that cannot be
 */
export function keyFinder(options: KeyOptions): (record: KafkaRecord) => KeyFound {
  const { place: _place, format: formatName, keys, onError: _onError, isBatch: _isBatch, ...policies } = options;
  // Integers are bytes.
  const format = formatName === 'u64' ? 'lines' : formatName;
  const keyIn = keyMaker(keys, { format, ...policies });
  const tooLong = () =>
    new FirstseenError('E_RECORD', `the key is longer than ${MAX_KEY_BYTES} bytes`, {
      remedy: 'choose a shorter key',
    });
  return (record) => {
    if (record.value === null) return TOMBSTONE;
    const bytes = textAt(record, options);
    if (bytes === null) return missing(options);
    try {
      const key = keyIn(bytes);
      return key instanceof Uint8Array && key.length > MAX_KEY_BYTES ? invalid(options, tooLong()) : key;
    } catch (error) {
      if (!(error instanceof FirstseenError)) throw error;
      const detailed = notFoundIn(record, options, error);
      return codesOfInvalid.includes(error.code) ? invalid(options, detailed) : detailed;
    }
  };
}
