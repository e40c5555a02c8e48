import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Checkpoints } from '../../../src/checkpoint/checkpoints.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const never = new Promise<void>(() => undefined);

test('a checkpoint is due one period after the previous one', () => {
  const checkpoints = new Checkpoints(30, undefined);
  vi.advanceTimersByTime(29_999);
  expect(checkpoints.isDue).toBe(false);
  vi.advanceTimersByTime(1);
  expect(checkpoints.isDue).toBe(true);
  checkpoints.saved();
  expect(checkpoints.isDue).toBe(false);
});

test('a run without a state has no checkpoints', () => {
  const checkpoints = new Checkpoints(Number.POSITIVE_INFINITY, undefined);
  vi.advanceTimersByTime(1e12);
  expect(checkpoints.isDue).toBe(false);
});

test('waiting ends when input arrives', async () => {
  expect(await new Checkpoints(30, undefined).waitFor(Promise.resolve(), true)).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('waiting ends at the next checkpoint if the run can be saved', async () => {
  const waiting = new Checkpoints(30, undefined).waitFor(never, true);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await waiting).toBe(false);
});

test('waiting sets no timer if only an abort can end it', async () => {
  const stop = new AbortController();
  const waiting = new Checkpoints(30, stop.signal).waitFor(never, false);
  expect(vi.getTimerCount()).toBe(0);
  stop.abort();
  expect(await waiting).toBe(false);
  expect(await new Checkpoints(30, stop.signal).waitFor(Promise.resolve(), true)).toBe(false);
});
