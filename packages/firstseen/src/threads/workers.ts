// The threads of a crew other than that of the caller. They can begin before there is a kernel, because that takes the most time.

import { Worker } from 'node:worker_threads';
import type { FirstseenError } from '../base/errors.js';
import { threadEnded } from '../base/threadended.js';
import type { CrewMember } from './worker.js';

export class CrewWorkers {
  readonly #workers: readonly Worker[];
  #failure: FirstseenError | undefined;
  #isClosed = false;

  /** @param threads the number of threads of the crew, with that of the caller */
  constructor(threads: number) {
    const url = new URL('./thread.js', import.meta.url);
    this.#workers = Array.from({ length: threads - 1 }, () => new Worker(url));
    for (const worker of this.#workers) this.#listen(worker);
  }

  get count(): number {
    return this.#workers.length;
  }

  /** Gives the threads their kernels. */
  join(member: CrewMember): void {
    for (const worker of this.#workers) worker.postMessage(member);
  }

  /** @throws FirstseenError E_THREAD when a thread has ended. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #listen(worker: Worker): void {
    const fail = (problem: string, cause?: unknown) => {
      if (this.#isClosed) return;
      this.#failure ??= threadEnded(`: ${problem}`, cause);
    };
    worker.on('error', (error) => fail(error.message, error));
    worker.on('exit', (code) => fail(`exit code ${code}`));
    worker.unref();
  }
}
