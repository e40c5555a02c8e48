// What serializers write before JSON: a byte order mark, or the id of a schema in a registry. No JSON begins so. What is left of a value that
// is no JSON is told by what it begins with.

import { optionName, type Phrase, phrase, shownValue } from '../../base/errors.js';

const BRACE = 0x7b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** White space of JSON. */
const SPACES = [0x20, 0x09, 0x0a, 0x0d];
/** The first byte of what serializers of Confluent and Apicurio write, and the sizes of their headers: ids have 4 or 8 bytes. */
const REGISTRY_MAGIC = 0;
const CONFLUENT_BYTES = 5;
const APICURIO_BYTES = 9;
/** The first bytes of what serializers of AWS Glue write without compression, and the size of their header: an id has 16 bytes. */
const GLUE_MAGIC = [3, 0];
const GLUE_BYTES = 18;
/** Bytes and characters of a value that a message shows. */
const SHOWN_BYTES = 12;
const SHOWN_CHARACTERS = 40;

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return startsWith(bytes, BYTE_ORDER_MARK) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

function isObject(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => !SPACES.includes(byte));
  return first === BRACE;
}

/** The headers that a value may have, by its first bytes. An id of 8 bytes is small, so an id of 4 bytes would be 0 there, which none is. */
function headerSizes(bytes: Uint8Array): readonly number[] {
  if (bytes[0] === REGISTRY_MAGIC) {
    return startsWith(bytes, [0, 0, 0, 0, 0]) ? [APICURIO_BYTES] : [CONFLUENT_BYTES];
  }
  return startsWith(bytes, GLUE_MAGIC) ? [GLUE_BYTES] : [];
}

/** Tells whether a value begins as serializers with a schema registry begin it. */
export function hasRegistryHeader(bytes: Uint8Array): boolean {
  return headerSizes(bytes).length > 0;
}

/** The JSON in a value, without what a serializer has written before it; the value itself if nothing of that is known. */
export function jsonIn(bytes: Uint8Array): Uint8Array {
  const first = bytes[0];
  if (first === BRACE) return bytes;
  if (first === BYTE_ORDER_MARK[0]) return withoutMark(bytes);
  for (const size of headerSizes(bytes)) {
    const rest = withoutMark(bytes.subarray(size));
    if (isObject(rest)) return rest;
  }
  return bytes;
}

const notJson = phrase`take the key from elsewhere by ${optionName('keyFrom')}, key or header:NAME; or leave out ${optionName('keys')}, so that all of it is compared`;

/** First bytes of what is not JSON, with what they tell. */
const kinds: readonly { start: readonly number[]; text: string; remedy: Phrase }[] = [
  {
    start: [REGISTRY_MAGIC],
    text: 'a header of a schema registry, and no JSON after it, as Avro and Protobuf are written',
    remedy: notJson,
  },
  { start: GLUE_MAGIC, text: 'a header of AWS Glue, and no JSON after it', remedy: notJson },
  { start: [3, 5], text: 'a header of AWS Glue, and compressed data', remedy: notJson },
  { start: [0xff, 0xfe], text: 'UTF-16', remedy: phrase`write UTF-8` },
  { start: [0xfe, 0xff], text: 'UTF-16', remedy: phrase`write UTF-8` },
  {
    start: [0x1f, 0x8b],
    text: 'gzip within the value',
    remedy: phrase`let the producer compress by its compression.type, which clients of Kafka undo`,
  },
  {
    start: [0x28, 0xb5, 0x2f, 0xfd],
    text: 'zstd within the value',
    remedy: phrase`let the producer compress by its compression.type, which clients of Kafka undo`,
  },
  { start: [0x5b], text: 'an array', remedy: phrase`write an object for each message` },
  {
    start: [0x22],
    text: 'a string, as of JSON that was written as JSON twice',
    remedy: phrase`correct the serializer of the producer, which gets a text in place of an object`,
  },
];

const wrapped = /^\{"schema":.*"payload":/s;
const plain = /^[\x20-\x7e\s]*$/;

/** The description of the bytes that a value begins with, and the remedy for them. */
export interface ValueStart {
  text: string;
  remedy: Phrase | undefined;
}

/** Tells what bytes begin with. @param where what has them: `value` */
export function startOf(bytes: Uint8Array, where: string): ValueStart {
  if (bytes.length === 0) return { text: `the ${where} is empty`, remedy: undefined };
  const kind = kinds.find(({ start }) => startsWith(bytes, start));
  const characters = Buffer.from(bytes.subarray(0, SHOWN_CHARACTERS)).toString('latin1');
  const shown = plain.test(characters)
    ? shownValue(characters)
    : `the bytes ${Buffer.from(bytes.subarray(0, SHOWN_BYTES))
        .toString('hex')
        .replace(/(..)(?!$)/g, '$1 ')}`;
  const text = `the ${where} begins with ${shown}${kind ? `: ${kind.text}` : ''}`;
  if (kind) return { text, remedy: kind.remedy };
  if (wrapped.test(Buffer.from(bytes).toString('latin1')))
    return { text, remedy: phrase`give the path within its payload, such as ${optionName('keys')} payload.id` };
  return { text, remedy: bytes[0] === BRACE ? undefined : notJson };
}
