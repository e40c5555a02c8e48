// Containers: messages that hold many records of one partition, as `--repartition` writes them to its topic. docs/decisions/111-repartition.md
// has the format.

import { FirstseenError } from '../../base/errors.js';
import type { Headers, KafkaRecord, RecordContent } from '../../io/kafka/contract.js';
import { headerPairs } from '../../io/kafka/headers.js';
import { isSameCut } from '../pointers/sameoptions.js';

/**
 * The note of a container: its group, and the scheme that decides in which partition a key is. Containers of other
 * groups are passed over; those of this group with another scheme are refused.
 */
export interface ContainerNote {
  group: string;
  scheme: string;
  /** Groups that this one has taken over from, whose containers are its own. */
  earlier?: readonly string[];
}

/** A record in a container: its partition and offset are those of the container. */
export interface PackedRecord extends KafkaRecord {
  /** The partition and the offset of the record in the topic that was read. */
  sourcePartition: number;
  sourceOffset: number;
}

const MAGIC = Buffer.from('FSKC');
const VERSION = 1;
/** Containers are not longer, unless they have one record. Brokers take 1 MB by default. */
const MAX_BYTES = 2 ** 19;
/** A number takes at most so many bytes: 53 bits, of which each byte has 7. */
const NUMBER_BYTES = 8;
/** Partition, offset, time, lengths of key and value, number of headers. */
const NUMBERS_OF_RECORD = 6;

class Writer {
  readonly bytes: Buffer;
  length = 0;

  constructor(maxBytes: number) {
    this.bytes = Buffer.allocUnsafe(maxBytes);
  }

  /** Seven bits in each byte, the lowest first; the highest bit says that more follow. */
  number(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.bytes[this.length++] = (rest % 0x80) | 0x80;
    this.bytes[this.length++] = rest;
  }

  /** The length and one more, and the bytes; 0 for null. */
  part(part: Uint8Array | null): void {
    this.number(part === null ? 0 : part.length + 1);
    if (part !== null) this.raw(part);
  }

  raw(part: Uint8Array): void {
    this.bytes.set(part, this.length);
    this.length += part.length;
  }

  get written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

class Reader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined || factor > 2 ** 49) throw broken('ends within a number');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  raw(length: number): Buffer {
    const end = this.at + length;
    if (end > this.#bytes.length) throw broken('is too short');
    const part = this.#bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  part(): Buffer | null {
    const length = this.number();
    return length === 0 ? null : this.raw(length - 1);
  }
}

function broken(problem: string): FirstseenError {
  return new FirstseenError(
    'E_RECORD',
    `the message is not a container of records, or of another version: it ${problem}`,
    {
      remedy: 'let nothing else write to this topic, and use the version of firstseen that wrote it',
    },
  );
}

function noteBytes({ group, scheme }: ContainerNote): Buffer {
  return Buffer.from(JSON.stringify([group, scheme]));
}

/** The bytes that a record takes at most. */
function maxBytesOf({ key, value, headers }: RecordContent): number {
  let bytes = NUMBERS_OF_RECORD * NUMBER_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  if (headers === undefined) return bytes;
  for (const [name, header] of headerPairs(headers)) {
    bytes += 2 * NUMBER_BYTES + Buffer.byteLength(name) + header.length;
  }
  return bytes;
}

function writeRecord(writer: Writer, { partition, offset, timestamp, key, value, headers }: KafkaRecord): void {
  writer.number(partition);
  writer.number(offset);
  // A record without a time has -1.
  writer.number(timestamp + 1);
  writer.part(key);
  writer.part(value);
  const pairs = headerPairs(headers);
  writer.number(pairs.length);
  for (const [name, header] of pairs) {
    writer.part(Buffer.from(name));
    writer.part(header);
  }
}

/** A container with records, in their order. @param maxBytes what they take at most */
function encodeContainer(note: Buffer, records: readonly KafkaRecord[], maxBytes: number): Buffer {
  const writer = new Writer(MAGIC.length + 1 + 2 * NUMBER_BYTES + note.length + maxBytes);
  writer.raw(MAGIC);
  writer.number(VERSION);
  writer.part(note);
  writer.number(records.length);
  for (const record of records) writeRecord(writer, record);
  return writer.written;
}

/** Containers with all records, in their order. */
export function* containersOf(note: ContainerNote, records: readonly KafkaRecord[]): Generator<Buffer> {
  const noted = noteBytes(note);
  for (let from = 0; from < records.length; ) {
    let [to, bytes] = [from, 0];
    for (; to < records.length; to++) {
      const more = maxBytesOf(records[to] as KafkaRecord);
      if (to > from && bytes + more > MAX_BYTES) break;
      bytes += more;
    }
    yield encodeContainer(noted, records.slice(from, to), bytes);
    from = to;
  }
}

function readHeaders(reader: Reader): Headers | undefined {
  const count = reader.number();
  if (count === 0) return undefined;
  const headers: Record<string, Uint8Array>[] = [];
  for (let i = 0; i < count; i++) {
    const name = (reader.part() ?? Buffer.alloc(0)).toString();
    headers.push({ [name]: reader.part() ?? Buffer.alloc(0) });
  }
  return headers;
}

function readRecord(reader: Reader, { partition, offset }: KafkaRecord): PackedRecord {
  return {
    ...{ partition, offset },
    sourcePartition: reader.number(),
    sourceOffset: reader.number(),
    timestamp: reader.number() - 1,
    key: reader.part(),
    value: reader.part(),
    headers: readHeaders(reader),
  };
}

/** @throws FirstseenError E_STATE_DIFFERS for a container of the group that was cut by another scheme */
function isOwn(itsNote: Buffer, { group, scheme, earlier = [] }: ContainerNote): boolean {
  let other: unknown;
  try {
    other = JSON.parse(itsNote.toString());
  } catch {
    throw broken('has a note that is not JSON');
  }
  const [otherGroup, otherScheme] = Array.isArray(other) ? other : [];
  if (otherGroup !== group && !earlier.includes(otherGroup)) return false;
  if (isSameCut(String(otherScheme), scheme)) return true;
  throw new FirstseenError(
    'E_STATE_DIFFERS',
    `the group ${otherGroup} has partitioned records by ${otherScheme}, not by ${scheme}`,
    {
      remedy: 'give the same options, or another group and another topic',
    },
  );
}

/**
 * The records of a container, in their order; none of a container of another group.
 * @throws FirstseenError E_RECORD for what is not a container, E_STATE_DIFFERS for one of another scheme
 */
export function decodeContainer(message: KafkaRecord, note: ContainerNote): PackedRecord[] {
  if (message.value === null) throw broken('has no value');
  const reader = new Reader(message.value);
  if (!MAGIC.equals(reader.raw(MAGIC.length))) throw broken('does not begin as one');
  const version = reader.number();
  if (version !== VERSION) throw broken(`has the version ${version}`);
  const itsNote = reader.part();
  if (itsNote === null || !isOwn(itsNote, note)) return [];
  const records = Array.from({ length: reader.number() }, () => readRecord(reader, message));
  if (!reader.isAtEnd) throw broken('is too long');
  return records;
}
