// Claims in batches.

import { expect, test } from 'vitest';
import { answersTo, bodyOf, frame, integersOf, jsonOf, keysOf, kinds } from './support/client.js';

const made = frame(kinds.create, {
  options: { algorithm: 'exact', memory: '64KiB' },
  claims: { lease: '10m', pending: 100 },
});

/** The body of a request about claims. */
function claiming(asked: object, keys: Buffer): Buffer {
  const json = Buffer.from(JSON.stringify(asked));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, keys]);
}

/** The verdicts on claimed keys, and the times after which they are free. */
function claimed(body: Buffer): { verdicts: number[]; remaining: number[] } {
  const count = body.length / 9;
  return {
    remaining: Array.from({ length: count }, (_, i) => body.readDoubleLE(8 * i)),
    verdicts: [...body.subarray(8 * count)],
  };
}

test('keys are claimed, committed and aborted by their tokens', async () => {
  const { answers, error } = await answersTo([
    made,
    frame(kinds.claim, claiming({ token: 't1' }, keysOf(['a', 'b', 'c']))),
    frame(kinds.claim, claiming({ token: 't2', lease: '1h' }, keysOf(['a', 'd']))),
    frame(kinds.observe, keysOf(['a', 'e', 'd'])),
    frame(kinds.commit, claiming({ token: 't1' }, keysOf(['a', 'd', 'x']))),
    frame(kinds.abort, claiming({ token: 't1' }, keysOf(['b', 'a']))),
    frame(kinds.extend, claiming({ token: 't1' }, keysOf(['c', 'b']))),
    frame(kinds.claim, claiming({ token: 't3' }, keysOf(['a', 'b', 'c', 'd', 'e']))),
    frame(kinds.stats, { load: false }),
    frame(kinds.clear),
    frame(kinds.claim, claiming({ token: 't4' }, keysOf(['a', 'c']))),
  ]);
  expect(error).toBeUndefined();
  expect(claimed(bodyOf(answers[1]))).toEqual({ verdicts: [0, 0, 0], remaining: [0, 0, 0] });
  const second = claimed(bodyOf(answers[2]));
  expect(second.verdicts).toEqual([2, 0]);
  expect(second.remaining[0]).toBeGreaterThan(500_000);
  expect(second.remaining[0]).toBeLessThanOrEqual(600_000);
  expect([...bodyOf(answers[3])]).toEqual([2, 0, 2]);
  expect([...bodyOf(answers[4])]).toEqual([1, 0, 0]);
  expect([...bodyOf(answers[5])]).toEqual([1, 0]);
  expect([...bodyOf(answers[6])]).toEqual([1, 0]);
  expect(claimed(bodyOf(answers[7])).verdicts).toEqual([1, 0, 2, 2, 1]);
  expect(jsonOf(answers[8]).claims).toMatchObject({ pending: 3, committed: 1, aborted: 1 });
  expect(claimed(bodyOf(answers[10])).verdicts).toEqual([0, 0]);
});

test('integers and records can be claimed', async () => {
  const { answers } = await answersTo([
    made,
    frame(kinds.claim, claiming({ token: 't' }, integersOf([1n, 2n ** 64n - 1n]))),
    frame(kinds.claim, claiming({ token: 'u' }, integersOf([2n ** 64n - 1n, 5n]))),
    frame(kinds.create, { options: { keys: ['id'] }, claims: {} }, 1, 2),
    frame(kinds.claim, claiming({ token: 't' }, keysOf(['{"id":1}', '{"id":2}'], { form: 3 })), 1, 2),
    frame(kinds.commit, claiming({ token: 't' }, keysOf(['{"id":2,"x":1}'], { form: 3 })), 1, 2),
    frame(kinds.test, keysOf(['{"id":1}', '{"id":2}'], { form: 3 }), 1, 2),
  ]);
  expect(claimed(bodyOf(answers[2])).verdicts).toEqual([2, 0]);
  expect([...bodyOf(answers[5])]).toEqual([1]);
  expect([...bodyOf(answers[6])]).toEqual([0, 1]);
});

test('all keys of a frame are claimed, or none', async () => {
  const many = Array.from({ length: 101 }, (_, i) => `${i}`);
  const { answers } = await answersTo([
    made,
    frame(kinds.claim, claiming({ token: 't' }, keysOf(many))),
    frame(kinds.claim, claiming({ token: 'u' }, keysOf(many.slice(1)))),
  ]);
  expect(jsonOf(answers[1])).toMatchObject({ code: 'E_CLAIMS_FULL' });
  expect(claimed(bodyOf(answers[2])).verdicts).toEqual(many.slice(1).map(() => 0));
});

test.each([
  [claiming({}, keysOf(['a'])), 'E_PARAMETER'],
  [claiming({ token: '' }, keysOf(['a'])), 'E_PARAMETER'],
  [claiming({ token: 't', other: 1 }, keysOf(['a'])), 'E_PARAMETER'],
  [claiming({ token: 't', lease: 'long' }, keysOf(['a'])), 'E_PARAMETER'],
  [claiming({ token: 't' }, keysOf(['a']).subarray(0, 9)), 'E_FRAME'],
  [Buffer.from([9, 0, 0]), 'E_FRAME'],
  [Buffer.from([9, 0, 0, 0, 1]), 'E_FRAME'],
])('a request that is wrong is refused: %j', async (body, code) => {
  const { answers } = await answersTo([made, frame(kinds.claim, body), frame(kinds.commit, body)]);
  expect(jsonOf(answers[1])).toMatchObject({ code });
});

test('a detector without claims has none', async () => {
  const { answers } = await answersTo([
    frame(kinds.create, {}),
    frame(kinds.claim, claiming({ token: 't' }, keysOf(['a']))),
    frame(kinds.create, { type: 'near' }, 1, 2),
    frame(kinds.claim, claiming({ token: 't' }, keysOf(['a'])), 1, 2),
  ]);
  expect(jsonOf(answers[1])).toMatchObject({ code: 'E_USAGE', remedy: expect.stringContaining('claims') });
  expect(jsonOf(answers[3])).toMatchObject({ code: 'E_USAGE', message: expect.stringContaining('near-duplicates') });
});
