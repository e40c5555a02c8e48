// The threads that code under test begins.

import { Worker } from 'node:worker_threads';
import { vi } from 'vitest';

/** Notes the threads of crews that are begun until `restore` is called. A crew lets the process end without its threads. */
export function noteWorkers(): { workers: Worker[]; restore: () => void } {
  const workers: Worker[] = [];
  const { unref } = Worker.prototype;
  const spy = vi.spyOn(Worker.prototype, 'unref').mockImplementation(function (this: Worker) {
    workers.push(this);
    unref.call(this);
  });
  return { workers, restore: () => spy.mockRestore() };
}
