// Runs of the comparison with rivals, side by side in threads.

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

const workerUrl = new URL('rivalworker.mjs', import.meta.url);

/**
 * The results of tasks, in their order. A thread takes the next task when it has done one.
 * @param {readonly object[]} tasks
 */
export async function runAll(tasks) {
  const results = [];
  let next = 0;
  const work = async () => {
    const worker = new Worker(workerUrl);
    while (next < tasks.length) {
      const task = next++;
      worker.postMessage(tasks[task]);
      [results[task]] = await once(worker, 'message');
    }
    await worker.terminate();
  };
  const threads = Math.min(tasks.length, availableParallelism());
  await Promise.all(Array.from({ length: threads }, work));
  return results;
}
