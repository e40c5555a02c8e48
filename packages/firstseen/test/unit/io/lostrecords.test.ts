// Records that are removed before they are read, where the client does not say so.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Bounds, KafkaRecord } from '../../../src/io/kafka/contract.js';
import { type RangeReading, readRanges } from '../../../src/io/kafka/ranges.js';
import type { RdMessage } from '../../../src/io/kafka/rdkafka.js';
import { memberWith, rdError } from './membersupport.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const message = (partition: number, offset: number) =>
  ({ topic: 'in', partition, offset, key: null, value: Buffer.from('v'), timestamp: 1 }) as unknown as RdMessage;

type RangeCallback = Parameters<RangeReading['reader']['consume']>[1];

/** A consumer that returns these batches, and then nothing. */
function giving(batches: RdMessage[][]) {
  return (_most: number, callback: RangeCallback) => callback(null, batches.shift() ?? []);
}

/** A member that reads partitions from their begins. */
function memberOver(batches: RdMessage[][], bounds: (partition: number) => Promise<Bounds>) {
  const consumer = {
    consume: giving(batches),
    incrementalAssign: () => undefined,
    incrementalUnassign: () => undefined,
  };
  const { member } = memberWith({}, undefined, consumer as never, undefined, { bounds });
  member.start(new Map([0, 1].map((partition) => [partition, 0])));
  return member;
}

/** Fetches every second. @returns the message of an error */
async function fetchFor(member: ReturnType<typeof memberOver>, seconds: number): Promise<string | undefined> {
  for (let i = 0; i < seconds; i++) {
    try {
      await member.fetch(10);
    } catch (error) {
      return (error as Error).message;
    }
    await vi.advanceTimersByTimeAsync(1000);
  }
  return undefined;
}

it.each([
  [{ low: 50, high: 60 }, 'partition 1 begins at the offset 50, and was read up to 3'],
  [{ low: 0, high: 2 }, 'partition 1 ends at the offset 2, and was read up to 3'],
])('ends when a partition has %o, and was read up to 3, although the client says nothing', async (bounds, problem) => {
  // The other partition goes on.
  const batches = [
    [message(0, 0), ...[0, 1, 2].map((offset) => message(1, offset))],
    ...Array.from({ length: 30 }, (_, i) => [message(0, i + 1)]),
  ];
  const member = memberOver(batches, async (partition) => (partition === 1 ? bounds : { low: 0, high: 100 }));
  expect(await fetchFor(member, 10)).toBe(undefined);
  expect(await fetchFor(member, 5)).toContain(
    `the topic in cannot be read by the group group: ${problem}; the topic was re-created`,
  );
});

it('goes on when the records are there, and asks about all partitions in turn', async () => {
  const asked: number[] = [];
  const member = memberOver([], async (partition) => {
    asked.push(partition);
    return { low: 0, high: 9 };
  });
  expect(await fetchFor(member, 25)).toBe(undefined);
  expect(asked).toEqual([0, 1, 0, 1]);
});

it('does not ask about partitions that it has given up, or reads from elsewhere', async () => {
  const asked: number[] = [];
  const member = memberOver([], async (partition) => {
    asked.push(partition);
    return { low: 5, high: 9 };
  });
  member.stop([0]);
  await vi.advanceTimersByTimeAsync(9000);
  member.start(new Map([[1, 5]]));
  expect(await fetchFor(member, 9)).toBe(undefined);
  expect(asked).toEqual([]);
  expect(await fetchFor(member, 9)).toBe(undefined);
  expect(asked).toEqual([1]);
});

it('waits for what the client has fetched already', async () => {
  const batches = Array.from({ length: 20 }, (_, i) => Array.from({ length: 10 }, (_, j) => message(0, 10 * i + j)));
  batches.push([message(1, 0)]);
  const member = memberOver(batches, async () => ({ low: 1, high: 1000 }));
  expect(await fetchFor(member, 25)).toBe(undefined);
});

it('goes on while brokers do not answer', async () => {
  const member = memberOver([], () => Promise.reject(rdError(-185)));
  expect(await fetchFor(member, 30)).toBe(undefined);
});

it('ends a range whose records are removed while it is read', async () => {
  const batches = [[message(0, 0), message(0, 1)]];
  const consume = giving(batches);
  const reader = {
    assign: () => undefined,
    unassign: () => undefined,
    consume: (most: number, callback: RangeCallback) => {
      vi.advanceTimersByTime(1000);
      consume(most, callback);
    },
  };
  const read: KafkaRecord[] = [];
  const reading = { reader, topic: 'in', takeEnds: () => new Map(), bounds: async () => ({ low: 5, high: 9 }) };
  const all = async () => {
    for await (const records of readRanges(reading, [{ partition: 0, from: 0, to: 9 }])) read.push(...records);
  };
  await expect(all()).rejects.toMatchObject({
    code: 'E_KAFKA',
    message: expect.stringContaining(
      'the topic in cannot be read: partition 0 begins at the offset 5, and was read up to 2',
    ),
    remedy: expect.stringMatching(/^the topic was re-created/),
  });
  expect(read).toHaveLength(2);
});

it('says what it means that a range is not in the topic any more', async () => {
  const consume = (_most: number, callback: RangeCallback) => callback(rdError(-140), []);
  const reader = { assign: () => undefined, unassign: () => undefined, consume };
  const reading = { reader, topic: 'in', takeEnds: () => new Map(), bounds: async () => ({ low: 5, high: 9 }) };
  const first = readRanges(reading, [{ partition: 0, from: 0, to: 9 }]).next();
  await expect(first).rejects.toMatchObject({ remedy: expect.stringMatching(/^the topic was re-created/) });
});
