// How a member joins its group again after its name was taken from it.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type GroupMember, type KafkaClient, NameTaken } from '../../src/io/kafka/contract.js';
import { workAsMember } from '../../src/kafka/group/group.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What a step of a member does: it works for a time, its name was taken, or a signal asks the worker to stop. */
type Step = number | 'taken' | 'stop' | 'stop, taken';

/** Works by steps. @returns what happened, in order */
async function workBy(steps: Step[]): Promise<string[]> {
  const happened: string[] = [];
  const controller = new AbortController();
  const note = (what: string) => void happened.push(what);
  const member = { close: async () => note('close') } as unknown as GroupMember;
  const client = {
    join: async () => {
      note('join');
      return member;
    },
  } as unknown as KafkaClient;
  const open = async () => undefined;
  const keep = async () => false;
  const held = { states: new Map(), isOpen: true, open, close: () => note('leave'), keep };
  const onWarning = () => note('warn');
  const step = async () => {
    const next = steps.shift() ?? 'stop';
    if (typeof next === 'number') await vi.advanceTimersByTimeAsync(next);
    else {
      if (next.startsWith('stop')) controller.abort();
      if (next.endsWith('taken')) throw new NameTaken('E_KAFKA', 'the name is taken');
    }
  };
  const membership = { client, topic: 'in', held, signal: controller.signal, onWarning };
  await workAsMember(membership, step).catch((error: Error) => note(error.message));
  return happened;
}

const seconds = (count: number): number[] => Array.from({ length: count }, () => 1000);
const again = ['join', 'warn', 'leave', 'close'];
const ends = ['join', 'leave', 'close', 'the name is taken'];

it('joins again after the first loss, however early', async () => {
  expect(await workBy(['taken', 'stop'])).toEqual([...again, 'join', 'leave', 'close']);
});

it('ends when the name is taken again within a minute of work', async () => {
  expect(await workBy([...seconds(100), 'taken', ...seconds(59), 'taken'])).toEqual([...again, ...ends]);
});

it('joins again when the name is taken after a minute of work', async () => {
  const steps: Step[] = ['taken', ...seconds(60), 'taken', ...seconds(60), 'taken', 'taken'];
  expect(await workBy(steps)).toEqual([...again, ...again, ...again, ...ends]);
});

it('does not count the time in which partitions are opened: two workers would alternate', async () => {
  expect(await workBy(['taken', 3_600_000, 'taken'])).toEqual([...again, ...ends]);
});

it('does not join again when it is to stop', async () => {
  const left = ['join', 'leave', 'close'];
  expect(await workBy(['stop, taken'])).toEqual(left);
  expect(await workBy(['taken', 'stop, taken'])).toEqual([...again, ...left]);
});
