// Every kind of reply in the bytes of both versions of the protocol.

import { expect, test } from 'vitest';
import { Double, ErrorReply, OK, type Reply, replyOfData, Status, Verbatim } from '../../../src/serve/resp/replies.js';
import { type ProtocolVersion, ReplyWriter } from '../../../src/serve/resp/writer.js';

function written(version: ProtocolVersion, write: (writer: ReplyWriter) => void): string {
  const writer = new ReplyWriter();
  writer.version = version;
  write(writer);
  return Buffer.from(writer.take(), 'latin1').toString();
}

const replies: [name: string, reply: Reply, version2: string, version3: string][] = [
  ['a status', OK, '+OK\r\n', '+OK\r\n'],
  ['an error', new ErrorReply('ERR no'), '-ERR no\r\n', '-ERR no\r\n'],
  ['an error of two lines', new ErrorReply('ERR a\r\nb'), '-ERR a  b\r\n', '-ERR a  b\r\n'],
  ['an integer', -12, ':-12\r\n', ':-12\r\n'],
  ['an integer of 64 bits', 2n ** 63n - 1n, ':9223372036854775807\r\n', ':9223372036854775807\r\n'],
  ['true', true, ':1\r\n', '#t\r\n'],
  ['false', false, ':0\r\n', '#f\r\n'],
  ['null', null, '$-1\r\n', '_\r\n'],
  ['a text', 'né\r\n', '$5\r\nné\r\n\r\n', '$5\r\nné\r\n\r\n'],
  ['an empty text', '', '$0\r\n\r\n', '$0\r\n\r\n'],
  ['bytes', Uint8Array.of(13, 10, 65), '$3\r\n\r\nA\r\n', '$3\r\n\r\nA\r\n'],
  ['a double', new Double(0.1), '$3\r\n0.1\r\n', ',0.1\r\n'],
  ['a small double', new Double(1e-7), '$4\r\n1e-7\r\n', ',1e-7\r\n'],
  ['infinity', new Double(Number.POSITIVE_INFINITY), '$3\r\ninf\r\n', ',inf\r\n'],
  ['negative infinity', new Double(Number.NEGATIVE_INFINITY), '$4\r\n-inf\r\n', ',-inf\r\n'],
  ['no number', new Double(Number.NaN), '$3\r\nnan\r\n', ',nan\r\n'],
  ['text for people', new Verbatim('a\nb'), '$3\r\na\nb\r\n', '=7\r\ntxt:a\nb\r\n'],
  ['an empty list', [], '*0\r\n', '*0\r\n'],
  ['a list', [1, 'a', [null]], '*3\r\n:1\r\n$1\r\na\r\n*1\r\n$-1\r\n', '*3\r\n:1\r\n$1\r\na\r\n*1\r\n_\r\n'],
  ['a map', new Map<string, Reply>([['a', true]]), '*2\r\n$1\r\na\r\n:1\r\n', '%1\r\n$1\r\na\r\n#t\r\n'],
  ['a status of letters outside ASCII', new Status('é'), '+é\r\n', '+é\r\n'],
];

test.each(replies)('%s', (_, reply, version2, version3) => {
  expect(written(2, (writer) => writer.write(reply))).toBe(version2);
  expect(written(3, (writer) => writer.write(reply))).toBe(version3);
});

test('answers for verdicts', () => {
  const verdicts = Uint8Array.of(1, 0, 1, 0);
  expect(written(2, (writer) => writer.verdicts(verdicts, 1, 2, 0))).toBe(':1\r\n:0\r\n');
  expect(written(3, (writer) => writer.verdicts(verdicts, 1, 3, 1))).toBe('#f\r\n#t\r\n#f\r\n');
  const words = ['+no\r\n', '+yes\r\n'].map((text) => Buffer.from(text));
  expect(written(2, (writer) => writer.words(verdicts, 2, 2, words))).toBe('+yes\r\n+no\r\n');
});

test('data becomes maps, lists and numbers, and what is undefined is left out', () => {
  const data = { a: 1, b: 0.5, c: [true, null], d: undefined, e: { f: 2n ** 60n } };
  const text = written(3, (writer) => writer.write(replyOfData(data)));
  expect(text).toBe(
    '%4\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n,0.5\r\n$1\r\nc\r\n*2\r\n#t\r\n_\r\n$1\r\ne\r\n%1\r\n$1\r\nf\r\n:1152921504606846976\r\n',
  );
});

test('replies that are larger than the buffer, and what is taken is not changed later', () => {
  const writer = new ReplyWriter();
  const long = 'é'.repeat(100_000);
  writer.write([long, long]);
  const first = writer.take();
  writer.write('other');
  expect(writer.length).toBe(11);
  expect(writer.take()).toBe('$5\r\nother\r\n');
  expect(Buffer.from(first, 'latin1').toString()).toBe(`*2\r\n$200000\r\n${long}\r\n$200000\r\n${long}\r\n`);
  writer.write(1);
  writer.write(2);
  writer.cutTo(4);
  expect(writer.take()).toBe(':1\r\n');
});
