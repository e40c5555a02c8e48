// Runs of the comparison with rivals, in threads that stay.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const workerUrl = new URL('rivalworker.mjs', import.meta.url);

export class RivalPool {
  #workers;
  /** The results of tasks that were done: questions share some. */
  #results = new Map();

  constructor(threads) {
    this.#workers = Array.from({ length: threads }, () => new Worker(workerUrl));
  }

  /**
   * The results of tasks, in their order. Equal tasks are done once. A thread takes the next task when it has done one.
   * @param {readonly object[]} tasks
   */
  async runAll(tasks) {
    const byKey = new Map(tasks.map((task) => [JSON.stringify(task), task]));
    const left = [...byKey].filter(([key]) => !this.#results.has(key));
    let next = 0;
    const work = async (worker) => {
      while (next < left.length) {
        const [key, task] = left[next++];
        worker.postMessage(task);
        const [result] = await once(worker, 'message');
        this.#results.set(key, result);
      }
    };
    await Promise.all(this.#workers.map(work));
    return tasks.map((task) => this.#results.get(JSON.stringify(task)));
  }

  async end() {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
