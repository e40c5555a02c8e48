// Turns of tasks, with two threads played by one: what each does and when is fixed.

import { expect, test } from 'vitest';
import { FunctionTable, ResultOf, Tasks, taskBytes } from '../../../src/threads/tasks.js';

const SEATS = 2;

function twoThreads() {
  const bytes = taskBytes(SEATS);
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65_536), maximum: 16, shared: true });
  const calls: string[] = [];
  const tasksOf = (thread: string) => {
    const functions = {
      mark: (number: number) => void calls.push(`${thread}${number}`),
      double: (number: number) => 2 * number,
    };
    return new Tasks(
      memory,
      0,
      Array.from({ length: SEATS }, () => new FunctionTable(functions)),
    );
  };
  return { main: tasksOf('main '), worker: tasksOf('worker '), calls };
}

const marks = (...numbers: number[]) => numbers.map((number) => [{ name: 'mark', parameters: [number] }]);

test('each task of a turn is made once, and results are arguments of later calls', () => {
  const { main, worker, calls } = twoThreads();
  main.begin([
    [
      { name: 'double', parameters: [4] },
      { name: 'double', parameters: [new ResultOf(0)] },
    ],
    ...marks(7),
  ]);
  worker.waitForTurn();
  worker.work();
  main.work();
  expect(main.waitForDone(2, 1)).toBe(true);
  expect(main.results(0, 2)).toEqual([8, 16]);
  expect(calls).toEqual(['worker 7']);
});

test('tells which task is done, also in the next turn, and calls back after each', () => {
  const { main, worker, calls } = twoThreads();
  main.begin(marks(1, 2));
  worker.waitForTurn();
  const doneAfter: boolean[][] = [];
  worker.work(() => doneAfter.push([main.isDone(0), main.isDone(1)]));
  expect(doneAfter).toEqual([
    [true, false],
    [true, true],
  ]);
  expect(calls).toEqual(['worker 1', 'worker 2']);
  main.begin(marks(3, 4));
  expect([main.isDone(0), main.waitForTask(1, 1)]).toEqual([false, false]);
  main.work();
  expect(main.waitForTask(1, 1)).toBe(true);
});

test('in a turn of all, every thread makes every task', () => {
  const { main, worker, calls } = twoThreads();
  main.begin(marks(1, 2), true);
  worker.waitForTurn();
  main.work();
  expect(main.waitForDone(2, 1)).toBe(false);
  worker.work();
  expect(main.waitForDone(2, 1)).toBe(true);
  expect(calls).toEqual(['main 1', 'main 2', 'worker 1', 'worker 2']);
});

test.each([true, false])('a thread that is late for a turn does nothing in the next one, of all: %s', (byAll) => {
  const { main, worker, calls } = twoThreads();
  main.begin(marks(1));
  worker.waitForTurn();
  main.work();
  expect(main.waitForDone(1, 1)).toBe(true);
  main.begin(marks(2, 3), byAll);
  worker.work();
  expect(calls).toEqual(['main 1']);
  worker.waitForTurn();
  worker.work();
  main.work();
  expect(main.waitForDone(2, 1)).toBe(true);
  expect(calls).toEqual(['main 1', 'worker 2', 'worker 3', ...(byAll ? ['main 2', 'main 3'] : [])]);
});
