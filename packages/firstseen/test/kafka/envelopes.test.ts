// Values as serializers write them: JSON after a byte order mark or a header of a schema registry, and what is no JSON.

import { expect, it } from 'vitest';
import type { FirstseenError } from '../../src/base/errors.js';
import { Detector } from '../../src/detectors/detector.js';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import { BatchReader } from '../../src/kafka/messages/batches.js';
import { jsonIn } from '../../src/kafka/messages/envelopes.js';
import { type KeyOptions, keyFinder } from '../../src/kafka/messages/keys.js';
import { SingleReader } from '../../src/kafka/messages/reader.js';
import { KeyScanner } from '../../src/kafka/messages/scanning.js';

const keys: KeyOptions = { place: 'value', format: 'ndjson', keys: ['id'], onError: 'fail' };
const object = '{"id":"user-1"}';
const after = (start: readonly number[], text = object) => Buffer.concat([Buffer.from(start), Buffer.from(text)]);
const mark = [0xef, 0xbb, 0xbf];

function recordOf(value: Uint8Array): KafkaRecord {
  return { partition: 0, offset: 1, timestamp: 2, key: Buffer.from('k'), headers: undefined, value };
}

const envelopes: readonly (readonly [string, Buffer])[] = [
  ['nothing', Buffer.from(object)],
  ['a byte order mark', after(mark)],
  ['white space', after([], ` \r\n${object}`)],
  ['a header of Confluent', after([0, 0, 0, 0, 7])],
  ['a header of Confluent, whose id has the byte of a brace', after([0, 0, 0, 0, 0x7b])],
  ['a header of Confluent with white space', after([0, 0, 1, 0, 0], `\n${object}`)],
  ['a header of Confluent and a byte order mark', after([0, 0, 0, 0, 7, ...mark])],
  ['a header of Apicurio', after([0, 0, 0, 0, 0, 0, 0, 0, 7])],
  ['a header of Apicurio, whose id has the byte of a brace', after([0, 0, 0, 0, 0, 0x7b, 0, 0, 7])],
  ['a header of AWS Glue', after([3, 0, ...new Array<number>(16).fill(9)])],
];

it.each(envelopes)('finds a key in JSON after %s', async (_name, value) => {
  expect(Buffer.from(keyFinder(keys)(recordOf(value)) as Uint8Array).toString()).toBe('"user-1"');
  const hashing = await Detector.create({ memory: '4KiB' });
  const fingerprint = hashing.fingerprint('"user-1"');
  const reader = new SingleReader({ keys, scanner: await KeyScanner.open(keys) });
  const { records } = reader.read([recordOf(value)], hashing, { topic: 'in' });
  expect([records.count, ...records.fingerprints]).toEqual([1, fingerprint]);
});

it('finds the key of the first line of a batch after a byte order mark', async () => {
  const batch: KeyOptions = { ...keys, isBatch: true };
  const hashing = await Detector.create({ memory: '4KiB' });
  const value = after(mark, `${object}\n{"id":"user-2"}\n`);
  const { records } = (await BatchReader.open(batch)).read([recordOf(value)], hashing, { topic: 'in' });
  const found = records.fingerprints.subarray(0, records.count);
  expect([...found]).toEqual(['"user-1"', '"user-2"'].map((key) => hashing.fingerprint(key)));
});

it('leaves other values as they are', () => {
  for (const value of [after([0, 0, 0, 0, 7], 'Obj'), after([0]), Buffer.alloc(0), after([3, 5])]) {
    expect(jsonIn(value)).toBe(value);
  }
  const whole: KeyOptions = { ...keys, format: 'lines', keys: [] };
  expect(keyFinder(whole)(recordOf(after(mark)))).toEqual(after(mark));
});

it.each([
  [
    after([0, 0, 0, 0, 7], '\u0006abc'),
    /begins with the bytes 00 00 00 00 07 06 61 62 63: a header of a schema regist.*keyFrom/,
  ],
  [
    after([0, 0, 0, 0, 7], '{abc'),
    /begins with the bytes 00 00 00 00 07 7b 61 62 63: a header of a schema regist.*Avro and Protobuf.*keyFrom/,
  ],
  [after([3, 0, ...new Array<number>(16).fill(9)], '{a'), /a header of AWS Glue, and no JSON after it.*keyFrom/],
  [after([0, 0, 0, 0, 7], '{"user":7}'), /the value begins with "\{\\"user\\":7\}"/],
  [after(mark, '{"id":'), /ends within a value.*the value begins with "\{\\"id\\":"/],
  [after([3, 5], 'x'), /begins with the bytes 03 05 78: a header of AWS Glue, and compressed/],
  [Buffer.from(`\ufeff${object}`, 'utf16le'), /begins with the bytes ff fe .*: UTF-16; .*write UTF-8/],
  [after([0x1f, 0x8b]), /gzip within the value.*compression\.type/],
  [Buffer.from(JSON.stringify(object)), /begins with .*a string, as of JSON that was written as JSON twice/],
  [Buffer.from('[1]'), /begins with "\[1\]": an array/],
  [Buffer.from('id=7'), /begins with "id=7"; .*keyFrom/],
  [Buffer.alloc(0), /the value is empty/],
  [Buffer.from('{"user":7}'), /begins with "\{\\"user\\":7\}"/],
  [Buffer.from('{"schema":{},"payload":{"id":7}}'), /payload\.id/],
])('says what a value begins with in which no key is found', (value, message) => {
  expect((keyFinder(keys)(recordOf(value)) as FirstseenError).message).toMatch(message);
});
