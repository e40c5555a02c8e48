// Threads from dist/ for tests that run the sources, which have no module for threads that Node can run. It imports no source, because
// the sources wait for it.

import type { WorkerOptions } from 'node:worker_threads';

type Threads = typeof import('node:worker_threads');

/**
 * What `node:worker_threads` is mocked as: `vi.mock` calls a function that imports this one.
 * @param name that of the entry of the threads in dist/chunks
 */
export async function threadsOfDist(original: () => Promise<unknown>, name = 'thread'): Promise<Threads> {
  const actual = (await original()) as Threads;
  class Worker extends actual.Worker {
    constructor(_source: URL, options: WorkerOptions) {
      super(new URL(`../../dist/chunks/${name}.js`, import.meta.url), options);
    }
  }
  return { ...actual, Worker };
}
