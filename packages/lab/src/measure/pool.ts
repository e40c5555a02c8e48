// Runs several tasks at once, each in its own thread, as many as cores and memory allow.

import { Worker } from 'node:worker_threads';
import { FirstseenError } from 'firstseen';
import type { Measurement } from '../contract.js';
import type { Task } from './tasks.js';
import type { WorkerMessage } from './worker.js';

export interface TaskRun {
  onProgress: (elements: number) => void;
  signal: AbortSignal;
}

/** Runs a task; resolves to a measurement for each of its specs. */
export type TaskRunner = (task: Task, run: TaskRun) => Promise<Measurement[]>;

export interface PoolOptions {
  jobs: number;
  /** The memory for all tasks that run at once. A task that needs more runs alone. */
  memoryBytes: number;
  /** Called after each task, before the next one starts. */
  onDone: (measurements: Measurement[]) => Promise<void>;
  /** Called with the completed work and the total work. */
  onProgress?: ((done: number, all: number) => void) | undefined;
  signal?: AbortSignal | undefined;
  runTask?: TaskRunner | undefined;
}

function errorOf(message: WorkerMessage & { kind: 'refused' | 'failed' }): Error {
  if (message.kind === 'failed')
    return message.error instanceof Error ? message.error : new Error(String(message.error));
  const { code, problem, details } = message.data;
  return new FirstseenError(code, problem, details);
}

/** Runs a task in a worker, which ends with it. */
const runInWorker: TaskRunner = ({ specs }, { onProgress, signal }) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: specs });
    const stop = () => {
      reject(signal.reason);
      void worker.terminate();
    };
    signal.addEventListener('abort', stop, { once: true });
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'progress') onProgress(message.elements);
      else if (message.kind === 'done') resolve(message.measurements);
      else reject(errorOf(message));
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop);
      // This has no effect after an answer.
      reject(new Error('a worker thread of the laboratory ended without an answer'));
    });
  });

/** Adds up the progress of the tasks. The returned function is called with the completed share of one task. */
function progressOf(tasks: readonly Task[], onProgress: PoolOptions['onProgress']) {
  const all = tasks.reduce((sum, { work }) => sum + work, 0);
  const workByTask = new Map<Task, number>();
  return (task: Task, share: number) => {
    workByTask.set(task, share * task.work);
    onProgress?.(
      [...workByTask.values()].reduce((sum, work) => sum + work, 0),
      all,
    );
  };
}

/** Starts each task when there is room for it, until an abort. Resolves when all started tasks have ended. */
async function inParallel(
  tasks: readonly Task[],
  { jobs, memoryBytes }: PoolOptions,
  signal: AbortSignal,
  runOne: (task: Task) => Promise<void>,
): Promise<void> {
  const waiting = [...tasks];
  const running = new Map<Task, Promise<void>>();
  const hasRoom = (task: Task) =>
    running.size === 0 ||
    (running.size < jobs && [task, ...running.keys()].reduce((sum, each) => sum + each.memoryBytes, 0) <= memoryBytes);
  const startWaiting = () => {
    for (let task = waiting[0]; task && !signal.aborted && hasRoom(task); task = waiting[0]) {
      const startedTask = task;
      waiting.shift();
      running.set(
        startedTask,
        runOne(startedTask).finally(() => running.delete(startedTask)),
      );
    }
  };
  for (startWaiting(); running.size > 0; startWaiting()) await Promise.race(running.values());
}

/**
 * Starts tasks in order, several at once.
 * @throws the first error of a task, after the others have stopped; or the signal's reason.
 */
export async function runTasks(tasks: readonly Task[], options: PoolOptions): Promise<void> {
  const { onDone, runTask = runInWorker } = options;
  const failure = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failure.signal]) : failure.signal;
  const report = progressOf(tasks, options.onProgress);
  await inParallel(tasks, options, signal, async (task) => {
    try {
      const onProgress = (elements: number) => report(task, elements / task.lengthElements);
      await onDone(await runTask(task, { onProgress, signal }));
      report(task, 1);
    } catch (error) {
      failure.abort(error);
    }
  });
  signal.throwIfAborted();
}
