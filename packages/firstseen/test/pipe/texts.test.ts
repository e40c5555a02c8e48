// Near-duplicates, passages and plans: the answers are those of the library.

import { describe, expect, test } from 'vitest';
import { createNear, createPassages } from '../../src/near.js';
import { answersTo, bodyOf, frame, jsonOf, keysOf, kinds } from './support/client.js';

const words = Array.from({ length: 60 }, (_, i) => `word${i}`);
const first = words.join(' ');
const nearFirst = [...words.slice(0, -1), 'other'].join(' ');
const second = words.toReversed().join(' ');
const texts = [first, second, nearFirst, 'a short text', second];

/** The answer for documents: similarities, numbers and verdicts. */
function nearAnswers(body: Buffer) {
  const count = body.length / 17;
  const at = <Item>(read: (i: number) => Item) => Array.from({ length: count }, (_, i) => read(i));
  return {
    similarities: at((i) => body.readDoubleLE(8 * i)),
    numbers: at((i) => Number(body.readBigInt64LE(8 * (count + i)))),
    verdicts: [...body.subarray(16 * count)],
  };
}

describe('near-duplicates', () => {
  test('have the verdict, the similarity, and the number of the document that was kept', async () => {
    const near = await createNear({ memory: '1MiB' });
    const expected = texts.map((text) => near.observe(text));
    const { answers } = await answersTo([
      frame(kinds.create, { type: 'near', options: { memory: '1MiB' } }),
      frame(kinds.observe, keysOf(texts)),
      frame(kinds.test, keysOf([nearFirst, 'something else'])),
      frame(kinds.stats),
    ]);
    const observed = nearAnswers(bodyOf(answers[1]));
    expect(observed.verdicts).toEqual([0, 0, 1, 0, 1]);
    expect(observed.verdicts).toEqual(expected.map(({ verdict }) => Number(verdict === 'duplicate')));
    expect(observed.similarities).toEqual(expected.map(({ similarity = Number.NaN }) => similarity));
    expect(observed.numbers).toEqual([-1, -1, 0, -1, 1]);
    expect(nearAnswers(bodyOf(answers[2])).numbers).toEqual([0, -1]);
    expect(jsonOf(answers[3])).toEqual(near.stats());
  });

  test.each([
    ['explain', { verify: false, explain: 10 }, [-1, -1, 0, -1, 1]],
    ['sets', { verify: false, sets: 5 }, [0, 1, 0, 2, 1]],
    ['all documents that are added', { add: 'all' }, [-1, -1, 0, -1, 1]],
    ['neither', { verify: false }, [-1, -1, -1, -1, -1]],
  ])('with %s', async (_name, more, numbers) => {
    const { answers } = await answersTo([
      frame(kinds.create, { type: 'near', options: { memory: '1MiB', ...more } }),
      frame(kinds.observe, keysOf(texts)),
    ]);
    expect(nearAnswers(bodyOf(answers[1])).numbers).toEqual(numbers);
  });

  test('all documents of a frame are observed, or none', async () => {
    const bits = { lsh: 'bits', documentBytes: 8, similarity: 0.9, memory: '64KiB' };
    const { answers } = await answersTo([
      frame(kinds.create, { type: 'near', options: bits }),
      frame(kinds.observe, keysOf(['12345678', '1234567'])),
      frame(kinds.stats),
      frame(kinds.create, { type: 'near', options: { algorithm: 'exact', memory: '1KiB' } }, 1, 2),
      frame(kinds.observe, keysOf(Array.from({ length: 40 }, (_, i) => `text ${i}`)), 1, 2),
      frame(kinds.stats, '', 1, 2),
      frame(kinds.observe, keysOf(['x'.repeat(2 ** 24 + 1), 'y'], { form: 1 }), 1, 2),
      frame(kinds.observe, keysOf([first], { form: 2 }), 1, 2),
    ]);
    expect(jsonOf(answers[1])).toMatchObject({ code: 'E_RECORD' });
    expect(jsonOf(answers[2])).toMatchObject({ observed: 0 });
    expect(jsonOf(answers[4])).toMatchObject({ code: 'E_FULL' });
    expect(jsonOf(answers[5])).toMatchObject({ observed: 0 });
    expect(jsonOf(answers[6])).toMatchObject({ code: 'E_RECORD' });
    expect(jsonOf(answers[7])).toMatchObject({ code: 'E_FRAME' });
  });
});

/** The answer for texts. */
function passageAnswers(body: Buffer, count: number) {
  let at = 16 * count;
  return Array.from({ length: count }, (_, i) => {
    const [spans = 0, passages, characters, seenCharacters] = [0, 1, 2, 3].map((j) =>
      body.readUInt32LE(16 * i + 4 * j),
    );
    const seenSpans = Array.from({ length: spans }, (_span, j) => ({
      share: body.readDoubleLE(at + 16 * j),
      start: body.readUInt32LE(at + 16 * j + 8),
      end: body.readUInt32LE(at + 16 * j + 12),
    }));
    at += 16 * spans;
    return { spans: seenSpans, passages, seen: spans, characters, seenCharacters };
  });
}

describe('passages', () => {
  const lines = ['one line\nanother line\n', 'été line\none line\n', '', 'another line\nété line\nthird\n'];

  test('have the spans of the library', async () => {
    const passages = await createPassages({ by: 'line', memory: '64KiB' });
    const expected = lines.map((text) => passages.observe(text)).map(({ rest: _rest, ...answer }) => answer);
    const { answers } = await answersTo([
      frame(kinds.create, { type: 'passages', options: { by: 'line', memory: '64KiB' } }),
      frame(kinds.observe, keysOf(lines)),
      frame(kinds.test, keysOf(['third\nnew\n'])),
      frame(kinds.stats),
    ]);
    expect(passageAnswers(bodyOf(answers[1]), 4)).toEqual(expected);
    expect(expected[3]?.spans).toHaveLength(2);
    expect(passageAnswers(bodyOf(answers[2]), 1)[0]?.spans).toEqual([{ start: 0, end: 6, share: 1 }]);
    expect(jsonOf(answers[3])).toEqual(passages.stats());
  });

  test('all texts of a frame are observed, or none', async () => {
    const few = Array.from({ length: 20 }, (_, i) => `line ${i}\n`);
    const many = Array.from({ length: 500 }, (_, i) => `line ${i}\n`);
    const { answers } = await answersTo([
      frame(kinds.create, { type: 'passages', options: { by: 'line', algorithm: 'exact', memory: '1KiB' } }),
      frame(kinds.observe, keysOf([few.join('')])),
      frame(kinds.observe, keysOf(many)),
      frame(kinds.stats),
      frame(kinds.test, keysOf([many.join('')])),
      frame(kinds.observe, keysOf(few)),
    ]);
    expect(jsonOf(answers[2])).toMatchObject({ code: 'E_FULL' });
    expect(jsonOf(answers[3])).toEqual({ texts: 1, passages: 21, seen: 0 });
    expect(passageAnswers(bodyOf(answers[4]), 1)[0]?.seen).toBe(20);
    expect(passageAnswers(bodyOf(answers[5]), 20).every(({ seen }) => seen === 1)).toBe(true);
  });
});

test('a plan is that of the library', async () => {
  // The fewest candidates: a plan takes seconds.
  const options = { memory: '1KiB', fpr: 0.5, distinctElements: 10, lengthElements: 10 };
  const { answers } = await answersTo([
    frame(kinds.plan, options, 5),
    frame(kinds.plan, { fpr: 2 }),
    frame(kinds.plan, { stream: {} }),
  ]);
  expect(answers[0]).toMatchObject({ kind: kinds.plan, request: 5 });
  expect(jsonOf(answers[0])).toMatchObject({ memoryBytes: 1024, recommended: { algorithm: expect.any(String) } });
  expect(jsonOf(answers[1])).toMatchObject({ code: 'E_PARAMETER', option: 'fpr' });
  expect(jsonOf(answers[2])).toMatchObject({ code: 'E_PARAMETER', option: 'stream' });
});
