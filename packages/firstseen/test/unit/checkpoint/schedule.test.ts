import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CheckpointSchedule } from '../../../src/checkpoint/schedule.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const never = new Promise<void>(() => undefined);

test('a checkpoint is due one period after the previous one', () => {
  const schedule = new CheckpointSchedule(30_000, undefined);
  vi.advanceTimersByTime(29_999);
  expect(schedule.isDue).toBe(false);
  vi.advanceTimersByTime(1);
  expect(schedule.isDue).toBe(true);
  schedule.saved();
  expect(schedule.isDue).toBe(false);
});

test('a run without a state has no checkpoints', () => {
  const schedule = new CheckpointSchedule(Number.POSITIVE_INFINITY, undefined);
  vi.advanceTimersByTime(1e12);
  expect(schedule.isDue).toBe(false);
});

test('waiting ends when input arrives', async () => {
  expect(await new CheckpointSchedule(30_000, undefined).waitFor(Promise.resolve(), true)).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('waiting ends at the next checkpoint if the run can be saved', async () => {
  const waiting = new CheckpointSchedule(30_000, undefined).waitFor(never, true);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await waiting).toBe(false);
});

test('waiting sets no timer if only an abort can end it', async () => {
  const stop = new AbortController();
  const waiting = new CheckpointSchedule(30_000, stop.signal).waitFor(never, false);
  expect(vi.getTimerCount()).toBe(0);
  stop.abort();
  expect(await waiting).toBe(false);
  expect(await new CheckpointSchedule(30_000, stop.signal).waitFor(Promise.resolve(), true)).toBe(false);
});
