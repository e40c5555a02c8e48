// Tasks, with two threads played by one: what each does and when is fixed.

import { expect, test } from 'vitest';
import { BANKS, bankSeatsOf, MAX_THREADS, seatsOf } from '../../../src/threads/crew.js';
import { type Call, FunctionTable, ResultOf, type Task, Tasks, taskBytes } from '../../../src/threads/tasks.js';

const SEATS = 2;

function twoThreads() {
  const bytes = taskBytes(SEATS);
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65_536), maximum: 16, shared: true });
  const calls: string[] = [];
  const tasksOf = (thread: string) => {
    const functions = (seat: number) => ({
      mark: (number: number) => void calls.push(`${thread}${number} at ${seat}`),
      double: (number: number) => 2 * number,
    });
    return new Tasks(
      memory,
      0,
      Array.from({ length: SEATS }, (_, seat) => new FunctionTable(functions(seat))),
    );
  };
  return { main: tasksOf('main '), worker: tasksOf('worker '), calls, memory };
}

const marks = (...numbers: number[]) =>
  numbers.map((number): Task => ({ seat: number % SEATS, calls: [{ name: 'mark', parameters: [number] }] }));

test('each task is made once, in the order of posting, and results are arguments of later calls', () => {
  const { main, worker, calls } = twoThreads();
  const first = main.post([
    {
      seat: 0,
      calls: [
        { name: 'double', parameters: [4] },
        { name: 'double', parameters: [new ResultOf(0)] },
      ],
    },
    ...marks(7, 8),
  ]);
  worker.waitForWork();
  expect([worker.work(), main.isDone(first), main.isDone(first + 1)]).toEqual([true, true, false]);
  expect([worker.work(), main.work(), main.work(), worker.work()]).toEqual([true, true, false, false]);
  expect(main.waitUntil(() => main.isDone(first + 2), 1)).toBe(true);
  expect(main.results(first, 2)).toEqual([8, 16]);
  expect(calls).toEqual(['worker 7 at 1', 'main 8 at 0']);
});

test('tasks may be posted while others are in progress, but not more than there is room for', () => {
  const { main, worker, calls } = twoThreads();
  main.post(marks(1, 2));
  main.post(marks(3, 4));
  expect(() => main.post(marks(5))).toThrow('too many tasks');
  worker.work();
  main.post(marks(5));
  while (worker.work());
  expect(calls.map((call) => call.slice(7, 8))).toEqual(['1', '2', '3', '4', '5']);
});

test('numbers of tasks wrap around', () => {
  const { main, worker, memory } = twoThreads();
  const words = new Int32Array(memory.buffer, 0, taskBytes(SEATS) / Int32Array.BYTES_PER_ELEMENT);
  // The numbers posted and taken, and for each slot the task that it had last, which is 2^31 - 2 or less.
  const before = 2 ** 31 - 2;
  for (const word of [0, 16]) words[word] = before;
  for (let slot = 0; slot < 2 * SEATS; slot++) words[(6 + slot) * 16] = before - ((before - 1 - slot) & 3);
  const first = main.post(marks(1, 2, 3, 4));
  while (worker.work());
  expect([0, 1, 2, 3].map((i) => main.isDone((first + i) | 0))).toEqual([true, true, true, true]);
  expect(main.isDone((first + 4) | 0)).toBe(false);
});

test('every thread prepares, also one that is late', () => {
  const { main, worker, calls } = twoThreads();
  main.beginToPrepare(marks(1, 2));
  expect(main.waitUntil(() => main.preparedThreads === 1, 1)).toBe(false);
  worker.prepare();
  expect(main.waitUntil(() => main.preparedThreads === 1, 1)).toBe(true);
  expect(calls).toEqual(['main 2 at 0', 'main 1 at 1', 'worker 2 at 0', 'worker 1 at 1']);
  main.beginToPrepare(marks(3));
  worker.prepare();
  worker.prepare();
  expect(calls.slice(4)).toEqual(['main 3 at 1', 'worker 3 at 1']);
});

test('a thread that is late for a task leaves it to the others', () => {
  const { main, worker, calls } = twoThreads();
  const first = main.post(marks(1));
  worker.waitForWork();
  expect([main.work(), worker.work()]).toEqual([true, false]);
  main.post(marks(2));
  expect([worker.work(), main.isDone(first + 1)]).toEqual([true, true]);
  expect(calls).toEqual(['main 1 at 1', 'worker 2 at 0']);
});

/** A call with so many parameters. */
function call(parameters: number): Call {
  return { name: 'double', parameters: Array.from({ length: parameters }, () => 1) };
}

test.each(Array.from({ length: MAX_THREADS - 1 }, (_, i) => i + 2))(
  'a task of %i threads has room for its share of 128 partitions in all batches of a bank',
  (threads) => {
    const seats = seatsOf(threads);
    const bytes = taskBytes(seats);
    const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65_536), maximum: 2000, shared: true });
    const tables = Array.from({ length: seats }, () => new FunctionTable({ double: (number: number) => 2 * number }));
    const tasks = new Tasks(memory, 0, tables);
    const observers = seats - 1 - bankSeatsOf(threads);
    const batches = Array.from({ length: bankSeatsOf(threads) / BANKS }, () => call(3));
    const partitions = Array.from({ length: Math.ceil(128 / observers) }, () => [
      call(1),
      call(0),
      ...batches,
      call(1),
    ]);
    const calls = partitions.flat();
    const first = tasks.post([{ seat: seats - 1, calls }]);
    expect(tasks.work()).toBe(true);
    const results = tasks.results(first, calls.length);
    expect(results).toHaveLength(calls.length);
    expect(results.at(-1)).toBe(2);
    const tooMany = { seat: seats - 1, calls: Array.from({ length: 20 }, () => calls).flat() };
    expect(() => tasks.post([tooMany])).toThrow('do not fit');
  },
);
