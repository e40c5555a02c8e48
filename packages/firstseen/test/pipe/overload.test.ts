// Detectors that are watched, and pieces of detectors.

import { expect, test } from 'vitest';
import { create, save } from '../../src/index.js';
import { split } from '../../src/partitions.js';
import { answersTo, bodyOf, frame, jsonOf, keysOf, kinds } from './support/client.js';

function numbers(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${from + i}`);
}

test('a detector that is past its plan refuses whole batches', async () => {
  const options = { algorithm: 'bloom', memory: '1KiB', fpr: 0.001, onOverload: 'fail' };
  const { answers } = await answersTo([
    frame(kinds.create, { options }),
    ...numbers(0, 20).map((_, i) => frame(kinds.observe, keysOf(numbers(i * 200, 200)))),
    frame(kinds.stats, { load: false }),
  ]);
  const answered = answers.slice(1, -1);
  const refused = answered.filter(({ kind }) => kind === kinds.error);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(20);
  expect(refused.map((answer) => jsonOf(answer).code)).toEqual(refused.map(() => 'E_OVERLOAD'));
  expect(jsonOf(answers.at(-1)).observed).toBe(200 * (20 - refused.length));
  expect(jsonOf(answers.at(-1)).overload).toMatchObject({ evidence: 'predicted' });
});

test('a piece of a detector refuses a batch with a key of another piece', async () => {
  const whole = await create({ memory: '4KiB', partitions: 4 });
  const { value: piece } = await split(whole, 4).next();
  const snapshot = await save(piece as Awaited<ReturnType<typeof create>>);
  const { answers } = await answersTo([
    ...[frame(kinds.load, {}), frame(kinds.bytes, snapshot), frame(kinds.bytes)],
    frame(kinds.observe, keysOf(numbers(0, 50))),
    frame(kinds.test, keysOf(numbers(0, 50))),
    frame(kinds.stats, { load: false }),
  ]);
  expect(answers.map(({ kind }) => kind)).toEqual([kinds.load, kinds.error, kinds.error, kinds.stats]);
  expect(jsonOf(answers[1])).toMatchObject({ code: 'E_PARTITION' });
  expect(jsonOf(answers[3])).toMatchObject({ observed: 0 });
  expect(bodyOf(answers[3]).length).toBeGreaterThan(0);
});
