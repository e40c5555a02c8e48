// The bytes of frames: cut anywhere, and wrong.

import { expect, test } from 'vitest';
import { FrameBuffer } from '../../src/pipe/frames.js';
import { answersTo, bodyOf, frame, jsonOf, keysOf, kinds } from './support/client.js';

const conversation = Buffer.concat([
  frame(kinds.create, { options: { memory: '1KiB' } }),
  frame(kinds.observe, keysOf(['a', 'bc', 'a']), 2),
  frame(kinds.stats, { load: false }, 3),
  frame(kinds.close, '', 4),
]);

function pieces(bytes: Buffer, length: number): Buffer[] {
  const count = Math.ceil(bytes.length / length);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * length, (i + 1) * length));
}

/** The frames that a buffer finds in chunks. */
function foundIn(chunks: readonly Uint8Array[]): object[] {
  const buffer = new FrameBuffer();
  const frames: object[] = [];
  for (const chunk of chunks) {
    buffer.room().set(chunk);
    buffer.filled(chunk.length);
    for (let next = buffer.next(); next; next = buffer.next()) frames.push({ ...next, body: Buffer.from(next.body) });
  }
  return frames;
}

test('frames that are cut at any byte are the same frames', () => {
  const whole = foundIn([conversation]);
  expect(whole).toHaveLength(4);
  for (let at = 1; at < conversation.length; at++) {
    expect(foundIn([conversation.subarray(0, at), conversation.subarray(at)])).toEqual(whole);
  }
});

test('bytes that come one by one have the same answers', async () => {
  const whole = await answersTo([conversation]);
  expect(whole.answers.map(({ kind, request }) => [kind, request])).toEqual([
    [1, 1],
    [5, 2],
    [11, 3],
    [14, 4],
  ]);
  expect([...bodyOf(whole.answers[1])]).toEqual([0, 0, 1]);
  expect(await answersTo(pieces(conversation, 1))).toEqual(whole);
});

test('an input that ends in a frame is told, with the number of its request', async () => {
  const { answers, error } = await answersTo([
    conversation.subarray(0, -20),
    frame(kinds.observe, keysOf(['x']), 9).subarray(0, -1),
  ]);
  expect(error).toMatchObject({ code: 'E_FRAME' });
  expect(String(error)).toContain('the input ends after');
  expect(answers.at(-1)?.kind).toBe(255);
  const short = await answersTo([frame(kinds.close, '', 8).subarray(0, 5)]);
  expect(short.answers.map(({ kind, request }) => [kind, request])).toEqual([[255, 0]]);
  expect(jsonOf(short.answers[0])).toMatchObject({
    code: 'E_FRAME',
    message: expect.stringContaining('5 bytes of a frame'),
  });
});

test('a frame that is too long ends the pipe, with the number of its request', async () => {
  const long = frame(kinds.observe, '', 7);
  long.writeUInt32LE(2 ** 26 + 1, 0);
  const { answers, error } = await answersTo([conversation, long, conversation]);
  expect(error).toMatchObject({ code: 'E_FRAME', message: expect.stringContaining('67,108,865 bytes') });
  expect(answers).toHaveLength(5);
  expect(answers[4]).toMatchObject({ kind: 255, request: 7 });
});

test.each([
  ['an unknown kind', frame(77, '', 5)],
  ['a kind that only the child writes', frame(kinds.hello, '', 5)],
  ['bytes of no load', frame(kinds.bytes, 'x', 5)],
  ['what is reserved', Buffer.from(frame(kinds.stats, '', 5)).fill(1, 6, 7)],
  ['JSON that is none', frame(kinds.stats, '{', 5)],
  ['JSON that is not an object', frame(kinds.stats, '[]', 5)],
  ['text that is not UTF-8', frame(kinds.stats, Uint8Array.of(0x22, 0xff, 0x22), 5)],
  ['keys without a count', frame(kinds.observe, Uint8Array.of(0, 0, 0, 0), 5)],
  ['an unknown form of keys', frame(kinds.observe, keysOf(['a'], { form: 9 }), 5)],
  ['offsets that are cut', frame(kinds.observe, keysOf(['a', 'b']).subarray(0, 15), 5)],
  ['a count that is too large', frame(kinds.observe, Uint8Array.of(0, 0, 0, 0, 255, 255, 255, 255), 5)],
  ['keys that are cut', frame(kinds.observe, keysOf(['a', 'bc']).subarray(0, -1), 5)],
  ['bytes after the keys', frame(kinds.observe, Buffer.concat([keysOf(['a']), Buffer.from('x')]), 5)],
  ['integers that are cut', frame(kinds.observe, Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 1), 5)],
  ['offsets that fall', frame(kinds.observe, withOffset(keysOf(['ab', 'cd', 'ef']), 1, 5), 5)],
  ['an offset before the first', frame(kinds.observe, withOffset(keysOf(['ab', 'cd'], { first: 9 }), 1, 3), 5)],
])('%s is refused, and the next frame is answered', async (_name, wrong) => {
  const { answers, error } = await answersTo([frame(kinds.create, {}), wrong, frame(kinds.observe, keysOf(['a']), 6)]);
  expect(error).toBeUndefined();
  expect(answers.map(({ kind, request }) => [kind, request])).toEqual([
    [1, 1],
    [255, 5],
    [5, 6],
  ]);
  expect(jsonOf(answers[1])).toMatchObject({ code: 'E_FRAME', remedy: expect.any(String) });
  expect([...bodyOf(answers[2])]).toEqual([0]);
});

function withOffset(keys: Buffer, index: number, offset: number): Buffer {
  keys.writeUInt32LE(offset, 8 + 4 * index);
  return keys;
}

test('the buffer grows for a long frame, and moves what is cut to its front', () => {
  const buffer = new FrameBuffer();
  const long = frame(kinds.observe, Buffer.alloc(3_000_000, 7), 3);
  const all = Buffer.concat([long, long, frame(kinds.close), long]);
  const lengths: number[] = [];
  for (let at = 0; at < all.length; ) {
    const room = buffer.room();
    expect(room.length).toBeGreaterThanOrEqual(2 ** 16);
    const bytes = all.copy(room, 0, at, at + 65_536);
    buffer.filled(bytes);
    at += bytes;
    for (let next = buffer.next(); next; next = buffer.next()) lengths.push(next.body.length);
  }
  expect(lengths).toEqual([3_000_000, 3_000_000, 0, 3_000_000]);
  expect(buffer.partialBytes).toBe(0);
});
