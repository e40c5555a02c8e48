import { describe, expect, test } from 'vitest';
import type { FileNote, Source } from '../../../src/io/source.js';
import { processorsHere } from '../../../src/io/system/limits.js';
import { MAX_OWNERS } from '../../../src/kernel/abi.js';
import { layOutRegions } from '../../../src/run/regions.js';
import { checkThreads, threadsFor, threadsMatter } from '../../../src/run/threads.js';
import { MAX_THREADS } from '../../../src/threads/crew.js';
import { messagesOf } from './support.js';

const plain = { threads: 'auto', emit: 'distinct' } as const;
const options = { ...plain, isFollowing: false };

function sized(storedBytes: number, isFile = true, isCompressed = false): Source {
  const source = messagesOf('in', '');
  return { ...source, note: { ...(source.note as FileNote), storedBytes, isFile, isCompressed } };
}

const request = { options, sources: [sized(10 ** 9)], detectorBytes: 2 ** 29, canUseThreads: true, processors: 2 };

describe('auto', () => {
  test('takes as many threads as processors for a large input, but not more than four', () => {
    expect([1, 2, 3, 4, 64].map((processors) => threadsFor({ ...request, processors }))).toEqual([1, 2, 3, 4, 4]);
  });

  test('takes several threads from the sizes on from which they pay for the job', () => {
    const pays = { inputBytes: 1000, detectorBytes: 0 };
    const asked = { ...request, detectorBytes: 2 ** 20, pays };
    expect(threadsFor({ ...asked, sources: [sized(600), sized(400)] })).toBe(2);
    expect(threadsFor({ ...asked, sources: [sized(600), sized(399)] })).toBe(1);
  });

  test('takes one thread for a small detector', () => {
    expect(threadsFor({ ...request, detectorBytes: 2 ** 26 })).toBe(1);
  });

  test('takes several threads for a long compressed file, whatever the detector', () => {
    const asked = { ...request, detectorBytes: 2 ** 20 };
    const compressed = (storedBytes: number) => threadsFor({ ...asked, sources: [sized(storedBytes, true, true)] });
    expect([48 * 2 ** 20 - 1, 48 * 2 ** 20].map(compressed)).toEqual([1, 2]);
    expect(threadsFor({ ...asked, sources: [sized(48 * 2 ** 20, false, true)] })).toBe(1);
  });

  test('takes one thread for a small input, a pipe, and an input that is followed', () => {
    expect(threadsFor({ ...request, sources: [sized(1000), sized(2000)] })).toBe(1);
    expect(threadsFor({ ...request, sources: [sized(10 ** 9, false)] })).toBe(1);
    expect(threadsFor({ ...request, options: { ...options, isFollowing: true } })).toBe(1);
  });
});

test('threads matter to long files, and to inputs whose length is not known', () => {
  const mebibyte = 2 ** 20;
  expect(threadsMatter([sized(3 * mebibyte), sized(5 * mebibyte)], false)).toBe(true);
  expect(threadsMatter([sized(3 * mebibyte), sized(5 * mebibyte - 1)], false)).toBe(false);
  expect(threadsMatter([sized(0, false)], false)).toBe(true);
  expect(threadsMatter([sized(0)], true)).toBe(true);
});

test('a number of threads is taken for any input and any number of processors', () => {
  expect(threadsFor({ ...request, options: { ...options, threads: 7 }, sources: [sized(10)] })).toBe(7);
});

test.each([
  { canUseThreads: false },
  { options: { ...options, threads: 7, timeKey: 'at' } },
  { options: { ...options, threads: 7, emit: 'all' as const } },
])('work that cannot be divided takes one thread: %o', (changes) => {
  expect(threadsFor({ ...request, ...changes })).toBe(1);
});

test.each([0, 65, 1.5, 'two', undefined, null])('refuses %o', (value) => {
  expect(() => checkThreads(value)).toThrow(/threads/);
});

test('a quota of the control group limits the processors, but leaves one', () => {
  expect(processorsHere(1.9)).toBe(1);
  expect(processorsHere(0.2)).toBe(1);
  expect(processorsHere(10 ** 6)).toBeGreaterThanOrEqual(1);
});

test('the most threads leave most of the memory to a detector, and can all be owners', () => {
  expect(checkThreads(MAX_THREADS)).toBe(MAX_THREADS);
  expect(() => checkThreads(MAX_THREADS + 1)).toThrow(/threads/);
  const scan = { format: 'ndjson', fingerprint: 'xxh64', maxRecordBytes: 2 ** 20, paths: [['id']] } as const;
  const { end } = layOutRegions({ regionOffset: 0, scan, outputCount: 2, threads: MAX_THREADS });
  expect(end).toBeLessThan(2 ** 31);
  expect(MAX_THREADS).toBeLessThanOrEqual(MAX_OWNERS);
});
