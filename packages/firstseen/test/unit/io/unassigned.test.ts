// Partitions that the group gives to none of its members.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RdConsumer, RdGroup, TopicPartition } from '../../../src/io/kafka/rdkafka.js';
import { unassignedPartitions } from '../../../src/io/kafka/unassigned.js';
import { type Callback, memberWith, rdError } from './membersupport.js';

const STABLE = 3;

/** A member that was given partitions of a topic. */
const memberOf = (groupInstanceId: string, partitions: number[], topic = 'in') => ({
  groupInstanceId,
  assignment: { topicPartitions: partitions.map((partition) => ({ topic, partition })) },
});

/** What the member `b` finds in a topic of 4 partitions. @param committed partitions of which the group has offsets */
function foundBy(group: RdGroup | 'never', own = 1, committed: number[] = []): Promise<readonly number[]> {
  const describe = async () => (group === 'never' ? expect.unreachable('the group is asked for') : group);
  const finder = {
    committed: (places: TopicPartition[], _time: number, callback: Callback) =>
      callback(
        null,
        places.map((place) => ({ ...place, ...(committed.includes(place.partition) && { offset: 7 }) })),
      ),
  } as unknown as RdConsumer;
  const names = { group: 'group', instance: 'b', topic: 'in' };
  const look = { describe, properties: {}, ...names, finder, partitionsOf: async () => 4, timeoutMilliseconds: 1 };
  return unassignedPartitions(look, own);
}

const members = [memberOf('c', [1]), memberOf('b', [0]), memberOf('d', [2, 3], 'other')];

it.each([
  ['those that nobody has', { state: STABLE, members }, 1, [], [2, 3]],
  ['none of which the group has offsets: another member may give them up', { state: STABLE, members }, 1, [3], [2]],
  ['none while the group shares its partitions anew', { state: 1, members }, 1, [], []],
  ['none if it has all itself, and asks for no group', 'never', 4, [], []],
  ['none if the group has offsets of all, and asks for no group', 'never', 1, [0, 1, 2, 3], []],
  ['none if another member is the first to find them', { state: STABLE, members: [memberOf('a', [0])] }, 1, [], []],
  ['none if all are given to somebody', { state: STABLE, members: [memberOf('b', [0, 1, 2, 3])] }, 1, [], []],
] as const)('finds %s', async (_what, group, own, committed, found) => {
  expect(await foundBy(group, own, [...committed])).toEqual(found);
});

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** What a member does that finds these partitions one time after the other, every 20 seconds. */
async function doneBy(finds: (number[] | Error)[]): Promise<string[]> {
  const done: string[] = [];
  const consumer = {
    subscribe: (topics: string[]) => done.push(`subscribe ${topics}`),
    unsubscribe: () => done.push('unsubscribe'),
    incrementalAssign: () => undefined,
  };
  const unassigned = async (own: number) => {
    const found = finds.shift() ?? [];
    done.push(`look with ${own}`);
    if (found instanceof Error) throw found;
    return found;
  };
  const onWarning = (message: string) => done.push(message);
  const { member } = memberWith({}, undefined, consumer as never, undefined, { unassigned, onWarning });
  member.start(new Map([[0, 0]]));
  while (finds.length > 0 && done.length < 20) {
    await vi.advanceTimersByTimeAsync(20_000);
    await member.fetch(10);
  }
  await member.fetch(10);
  return done;
}

const look = 'look with 1';
const joinsAgain = (which: string) => [
  expect.stringMatching(new RegExp(`^the group group gives the partition${which} of in to no worker, as when`)),
  ...['unsubscribe', 'subscribe in'],
];

it('leaves the group and joins it again if two looks have found the same', async () => {
  expect(await doneBy([[2, 3], [3]])).toEqual([look, look, ...joinsAgain(' 3')]);
  expect(await doneBy([[], [2, 3], [2, 3]])).toEqual([look, look, look, ...joinsAgain('s 2, 3')]);
});

it('leaves the group as it is if one look alone has found them', async () => {
  expect(await doneBy([[2], [], [2], [3], [], [3]])).toEqual([look, look, look, look, look, look]);
  expect(await doneBy([[2], rdError(-185), [2]])).toEqual([look, look, look]);
});

it('waits for longer each time that it has not helped', async () => {
  const done = await doneBy([[2], [2], [2], [2], []]);
  expect(done).toEqual([look, look, ...joinsAgain(' 2'), look, look, ...joinsAgain(' 2'), look]);
  expect(performance.now()).toBe(200_000);
});
