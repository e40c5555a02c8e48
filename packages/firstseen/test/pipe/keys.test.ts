// Frames of keys: the answers are those of the library.

import { describe, expect, test } from 'vitest';
import { create } from '../../src/index.js';
import { answersTo, bodyOf, frame, integersOf, jsonOf, keysOf, kinds } from './support/client.js';

const options = { memory: '64KiB' };
const made = frame(kinds.create, { options });
const words = ['a', 'b', 'a', 'über', '', 'b', 'c', ''];

async function verdictsOf(...bodies: Uint8Array[]): Promise<number[][]> {
  const { answers, error } = await answersTo([made, ...bodies.map((body) => frame(kinds.observe, body))]);
  expect(error).toBeUndefined();
  return answers.slice(1).map(({ body }) => [...body]);
}

test('hello says what is spoken', async () => {
  const { hello, answers, error } = await answersTo([]);
  expect([hello.kind, hello.request, hello.detector]).toEqual([0, 0, 0]);
  expect(jsonOf(hello)).toMatchObject({
    program: 'firstseen',
    protocol: 1,
    version: '1.2.3',
    maxBodyBytes: 67_108_864,
  });
  expect(jsonOf(hello).kinds).toEqual(expect.objectContaining({ create: 1, observe: 5, error: 255 }));
  expect(answers).toEqual([]);
  expect(error).toBeUndefined();
});

test('keys are answered in order, in all forms', async () => {
  const expected = [0, 0, 1, 0, 0, 1, 0, 1];
  expect(await verdictsOf(keysOf(words))).toEqual([expected]);
  expect(await verdictsOf(keysOf(words, { form: 1 }))).toEqual([expected]);
  expect(await verdictsOf(keysOf(words, { first: 77 }))).toEqual([expected]);
  expect(await verdictsOf(keysOf(words, { form: 1, first: 2 ** 40 }))).toEqual([expected]);
  expect(await verdictsOf(keysOf([]))).toEqual([[]]);
});

test('integers are the keys that they are in the library', async () => {
  const detector = await create(options);
  const keys = [1n, 2n, 1n, 2n ** 64n - 1n, 0n, 2n ** 53n, 2n ** 64n - 1n];
  const many = Array.from({ length: 20_000 }, (_, i) => BigInt(i % 15_000));
  const [first, second, text] = await verdictsOf(integersOf(keys), integersOf(many), keysOf(['1', '2']));
  expect(first).toEqual([...detector.observeMany(keys)]);
  expect(second).toEqual([...detector.observeMany(many)]);
  expect(text).toEqual([0, 0]);
});

test('a large batch has the verdicts of the library', async () => {
  const detector = await create({ memory: '16KiB', seed: 7 });
  const keys = Array.from({ length: 50_000 }, (_, i) => `https://example.org/${(i * 7919) % 30_000}`);
  const { answers } = await answersTo([
    frame(kinds.create, { options: { memory: '16KiB', seed: '7' } }),
    frame(kinds.observe, keysOf(keys)),
    frame(kinds.test, keysOf(keys.slice(0, 100))),
  ]);
  expect(Buffer.compare(bodyOf(answers[1]), detector.observeMany(keys))).toBe(0);
  expect([...bodyOf(answers[2])]).toEqual([...detector.testMany(keys.slice(0, 100))]);
});

test('records are keyed as the options of the detector say', async () => {
  const records = ['{"user":{"id":1},"t":1}', '{"t":2,"user":{"id":2}}', '{"user":{"id":1},"t":3}'];
  const { answers } = await answersTo([
    frame(kinds.create, { options: { ...options, keys: ['user.id'] } }),
    frame(kinds.observe, keysOf(records, { form: 3 }), 2),
    frame(kinds.observe, keysOf(records, { form: 4 }), 3),
    frame(kinds.observe, keysOf(['{"user":{"id":5}}', '{}'], { form: 3 }), 4),
    frame(kinds.test, keysOf(['{"user":{"id":5}}'], { form: 3 }), 5),
  ]);
  expect(answers.slice(1).map(({ kind, request }) => [kind, request])).toEqual([
    [5, 2],
    [5, 3],
    [255, 4],
    [6, 5],
  ]);
  expect([...bodyOf(answers[1])]).toEqual([0, 0, 1]);
  expect([...bodyOf(answers[2])]).toEqual([1, 1, 1]);
  expect(jsonOf(answers[3])).toMatchObject({ code: 'E_KEY_MISSING' });
  // The record before the one that was refused was not observed.
  expect([...bodyOf(answers[4])]).toEqual([0]);
});

describe('nothing of a batch is done when one key is refused', () => {
  test.each([
    ['a key that is too long', {}, keysOf(['new', 'x'.repeat(2 ** 20 + 1)]), 'E_KEY', keysOf(['new'])],
    [
      ...['a key that is not an integer', { fingerprint: 'identity' }, keysOf(['5', 'x'])],
      ...['E_KEY', integersOf([5n])],
    ],
  ] as [string, object, Buffer, string, Buffer][])('%s', async (_name, more, batch, code, part) => {
    const { answers, error } = await answersTo([
      frame(kinds.create, { options: { ...options, ...more } }),
      frame(kinds.observe, batch),
      frame(kinds.observe, part),
    ]);
    expect(error).toBeUndefined();
    expect(jsonOf(answers[1])).toMatchObject({ code });
    expect([...bodyOf(answers[2])]).toEqual([0]);
  });

  test.each([{}, { partitions: 4 }])('keys for which an exact detector with %j has no room', async (more) => {
    const exact = frame(kinds.create, { options: { algorithm: 'exact', memory: '4KiB', ...more } });
    const some = Array.from({ length: 60 }, (_, i) => `${i}`);
    const all = Array.from({ length: 4000 }, (_, i) => `${i}`);
    const { answers } = await answersTo([
      exact,
      frame(kinds.observe, keysOf(some)),
      frame(kinds.observe, keysOf(all)),
      frame(kinds.stats),
      frame(kinds.observe, keysOf([...some, ...some])),
      frame(kinds.test, keysOf(all)),
    ]);
    expect(jsonOf(answers[2])).toMatchObject({ code: 'E_FULL', remedy: expect.stringContaining('memory') });
    expect(jsonOf(answers[3])).toMatchObject({ observed: 60 });
    expect(bodyOf(answers[4]).every((verdict) => verdict === 1)).toBe(true);
    expect(bodyOf(answers[5]).filter((verdict) => verdict === 1)).toHaveLength(60);
  });
});
