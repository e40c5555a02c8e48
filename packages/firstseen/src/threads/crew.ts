// Threads over the memory of one detector. The work is divided among seats: a seat is a copy of everything that has a fixed address
// in the memory of one thread. Cells and regions are common. Every thread has an instance of the kernel for every seat, so any
// thread can do what is to be done at a seat, and none waits while there is work left. The caller's thread works too.

import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { FirstseenError } from '../errors.js';
import { DYNAMIC_OFFSET } from '../kernel/abi.js';
import { Kernel, wholeLines } from '../kernel/kernel.js';
import { type Call, FunctionTable, Tasks, taskBytes } from './tasks.js';
import type { CrewMember } from './worker.js';

/** With several seats for each thread, threads that the system interrupts leave work to the others. */
const SEATS_PER_THREAD = 4;
const SEAT_BYTES = wholeLines(DYNAMIC_OFFSET);

/** How long the caller's thread is blocked before it lets its event loop run. */
const BLOCK_MILLISECONDS = 20;
/** Between two looks whether all threads have begun. */
const READY_MILLISECONDS = 1;

/** The number of seats of a crew; one thread has one. */
export function seatsOf(threads: number): number {
  return threads === 1 ? 1 : threads * SEATS_PER_THREAD;
}

/** Bytes of memory for the seats besides the first, and for the tasks. */
export function crewBytes(threads: number): number {
  const seats = seatsOf(threads);
  return (seats - 1) * SEAT_BYTES + wholeLines(taskBytes(seats));
}

export interface CrewOptions {
  /** The kernel of the first seat, over a shared memory. */
  kernel: Kernel;
  /** What it was made of. */
  made: CrewMember['kernel'];
  threads: number;
  /** Address of `crewBytes` bytes of the memory, which must be zero. */
  offset: number;
}

export class Crew {
  /**
   * The kernel of each seat, with the memory of the seat. Its functions run in the thread of the caller: those that use only memory
   * may be called, those that use what another call left in an instance may not.
   */
  readonly kernels: readonly Kernel[];
  /** By how far the memory of each seat is moved. */
  readonly bases: readonly number[];
  readonly #tasks: Tasks;
  readonly #workers: readonly Worker[];
  #failure: FirstseenError | undefined;
  #isClosed = false;

  private constructor(kernels: readonly Kernel[], member: CrewMember, threads: number) {
    const tables = kernels.map(({ exports }) => new FunctionTable(exports));
    this.kernels = kernels;
    this.bases = member.bases;
    this.#tasks = new Tasks(member.kernel.memory, member.tasks, tables);
    const url = new URL('./thread.js', import.meta.url);
    this.#workers = Array.from({ length: threads - 1 }, () => new Worker(url, { workerData: member }));
    for (const worker of this.#workers) this.#listen(worker);
  }

  static async start({ kernel, made, threads, offset }: CrewOptions): Promise<Crew> {
    const seats = seatsOf(threads);
    const bases = Array.from({ length: seats }, (_, seat) => (seat === 0 ? 0 : offset + (seat - 1) * SEAT_BYTES));
    const create = (threadBase: number) => (threadBase === 0 ? kernel : Kernel.create({ ...made, threadBase }));
    const member = { kernel: made, bases, tasks: offset + (seats - 1) * SEAT_BYTES };
    return new Crew(await Promise.all(bases.map(create)), member, threads);
  }

  /** Waits until all threads have begun. Before that, nothing may be run. @throws as `run`. */
  async ready(): Promise<void> {
    while (this.#tasks.readyThreads < this.#workers.length) {
      if (this.#failure) throw this.#failure;
      await sleep(READY_MILLISECONDS);
    }
  }

  /**
   * Makes the calls for each seat, one after the other, in any thread; resolves to the results for each seat.
   * @throws FirstseenError E_THREAD when a thread has ended.
   */
  async run(calls: readonly (readonly Call[])[]): Promise<number[][]> {
    this.#tasks.begin(calls);
    this.#tasks.work();
    await this.#done(calls.length);
    return calls.map(({ length }, seat) => this.#tasks.results(seat, length));
  }

  /**
   * Makes the calls for each seat as `run` does. As soon as those of a seat are made, `finish` gets its number, in this thread and in
   * the order of the seats, while other threads make the calls of other seats.
   * @throws as `run`.
   */
  async runInOrder(calls: readonly (readonly Call[])[], finish: (seat: number) => void): Promise<void> {
    let next = 0;
    const finishDone = () => {
      while (next < calls.length && this.#tasks.isDone(next)) finish(next++);
    };
    this.#tasks.begin(calls);
    this.#tasks.work(finishDone);
    for (finishDone(); next < calls.length; finishDone()) {
      await this.#until(() => this.#tasks.waitForTask(next, BLOCK_MILLISECONDS));
    }
  }

  /** Makes the calls for each seat in every thread, for what the instances keep. @throws as `run`. */
  async runInAll(calls: readonly (readonly Call[])[]): Promise<void> {
    this.#tasks.begin(calls, true);
    this.#tasks.work();
    await this.#done(this.#workers.length + 1);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #done(parts: number): Promise<void> {
    return this.#until(() => this.#tasks.waitForDone(parts, BLOCK_MILLISECONDS));
  }

  async #until(wait: () => boolean): Promise<void> {
    while (!wait()) {
      // The event loop tells whether a thread has ended.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#failure) throw this.#failure;
    }
  }

  #listen(worker: Worker): void {
    const fail = (problem: string, cause?: unknown) => {
      if (this.#isClosed) return;
      this.#failure ??= new FirstseenError('E_THREAD', `a thread ended before its work was done: ${problem}`, {
        remedy: 'run the same command again, with fewer threads if memory is short',
        ...(cause === undefined ? {} : { cause }),
      });
    };
    worker.on('error', (error) => fail(error.message, error));
    worker.on('exit', (code) => fail(`exit code ${code}`));
    worker.unref();
  }
}
