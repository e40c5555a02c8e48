// Offsets of a group that differ from its pointers.

import { expect, it } from 'vitest';
import { offsetsBeside } from '../../src/kafka/pointers/pointers.js';

/** A member that says what is committed, and notes for which partitions it is asked. */
function memberWith(offsets: ReadonlyMap<number, number>) {
  const calls: number[][] = [];
  const committed = (partitions: readonly number[]) => {
    calls.push([...partitions]);
    return Promise.resolve(new Map(partitions.map((partition) => [partition, offsets.get(partition) ?? -1])));
  };
  return { member: { committed }, calls };
}

const pointers = new Map([
  [0, { position: 40 }],
  [1, { position: 7 }],
]);

it('are read again, because a transaction may have ended before the pointers were read', async () => {
  const { member, calls } = memberWith(new Map([[0, 40]]));
  const before = new Map([
    [0, 20],
    [1, 7],
    [2, -1],
  ]);
  expect(await offsetsBeside(member, before, pointers)).toEqual(new Map([...before, [0, 40]]));
  expect(calls).toEqual([[0]]);
});

it('are not read again where they are those of the pointers', async () => {
  const { member, calls } = memberWith(new Map());
  const same = new Map([[0, 40]]);
  expect(await offsetsBeside(member, same, pointers)).toBe(same);
  expect(calls).toEqual([]);
});
