// Threads over the memory of one detector. The work is divided among seats: a seat is a copy of everything that has a fixed address
// in the memory of one thread. Cells and regions are common. Every thread has an instance of the kernel for every seat, so any
// thread can do what is to be done at a seat, and none waits while there is work left. The caller's thread works too.
//
// Seat 0 is that of the caller, where no task is done. The next ones form two banks, so that batches can be finished in one bank
// while others are begun in the other. At the last ones, elements of batches in any bank are observed.

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { DYNAMIC_OFFSET, PARAMETERS_OFFSET, SECRET_BYTES, SECRET_OFFSET } from '../kernel/abi.js';
import { Kernel, wholeCacheLines } from '../kernel/kernel.js';
import { equalKeyIn } from '../kernel/keytext.js';
import { FunctionTable, type Task, Tasks, taskBytes } from './tasks.js';
import type { CrewMember } from './worker.js';
import { CrewWorkers } from './workers.js';

/** Seats of a bank for each thread. With several, threads that the system interrupts leave work to the others. */
const SEATS_PER_THREAD = 4;
/** Seats for each thread at which elements are observed. */
const OBSERVERS_PER_THREAD = 2;
const SEAT_BYTES = wholeCacheLines(DYNAMIC_OFFSET);

/** The maximum number of threads. With more, their seats leave a detector little of what WebAssembly can address. */
export const MAX_THREADS = 32;

/** The time for which the caller's thread is blocked before it lets its event loop run. */
const BLOCK_MILLISECONDS = 20;
/** Between two looks whether all threads have begun. */
const READY_MILLISECONDS = 1;

/** The number of banks of seats. */
export const BANKS = 2;

/** The number of seats of all banks. */
export function bankSeatsOf(threads: number): number {
  return threads === 1 ? 0 : BANKS * threads * SEATS_PER_THREAD;
}

/** The number of seats of a crew, with that of the caller. */
export function seatsOf(threads: number): number {
  return 1 + bankSeatsOf(threads) + threads * OBSERVERS_PER_THREAD;
}

/** Bytes of memory for the seats other than the first, and for the tasks; none for one thread. */
export function crewBytes(threads: number): number {
  if (threads === 1) return 0;
  const seats = seatsOf(threads);
  return (seats - 1) * SEAT_BYTES + wholeCacheLines(taskBytes(seats));
}

/** Tasks that were posted together. */
export interface Posted {
  /** The number of the first one. */
  first: number;
  tasks: readonly Task[];
}

export interface CrewOptions {
  /** The kernel of the first seat, over a shared memory. */
  kernel: Kernel;
  /** The options that the kernel was made of. */
  made: CrewMember['kernel'];
  threads: number;
  /** Address of `crewBytes` bytes of the memory, which must be zero. */
  offset: number;
  /** The threads, if they have begun. */
  workers?: CrewWorkers | undefined;
}

export class Crew {
  /**
   * The kernel of each seat, with the memory of the seat. Its functions run in the thread of the caller: those that use only memory
   * may be called, those that use what another call left in an instance may not.
   */
  readonly kernels: readonly Kernel[];
  /** The distance by which the memory of each seat is moved. */
  readonly bases: readonly number[];
  /** The seats of each bank. */
  readonly banks: readonly (readonly number[])[];
  /** The seats at which elements are observed. */
  readonly observers: readonly number[];
  readonly #tasks: Tasks;
  readonly #workers: CrewWorkers;

  private constructor(kernels: readonly Kernel[], member: CrewMember, threads: number, workers: CrewWorkers) {
    const tables = kernels.map(({ exports }) => new FunctionTable(exports));
    const seats = kernels.map((_, seat) => seat);
    const inBanks = bankSeatsOf(threads);
    this.kernels = kernels;
    this.bases = member.bases;
    this.banks = Array.from({ length: BANKS }, (_, bank) =>
      seats.slice(1 + (bank * inBanks) / BANKS, 1 + ((bank + 1) * inBanks) / BANKS),
    );
    this.observers = seats.slice(1 + inBanks);
    this.#tasks = new Tasks(member.kernel.memory, member.tasks, tables);
    this.#workers = workers;
    workers.join(member);
  }

  static async start({ kernel, made, threads, offset, workers }: CrewOptions): Promise<Crew> {
    const seats = seatsOf(threads);
    const bases = Array.from({ length: seats }, (_, seat) => (seat === 0 ? 0 : offset + (seat - 1) * SEAT_BYTES));
    const create = (threadBase: number) =>
      threadBase === 0 ? kernel : Kernel.create({ ...made, threadBase, equalKeyIn });
    const member = { kernel: made, bases, tasks: offset + (seats - 1) * SEAT_BYTES };
    return new Crew(await Promise.all(bases.map(create)), member, threads, workers ?? new CrewWorkers(threads));
  }

  /** @throws FirstseenError E_THREAD when a thread has ended. */
  check(): void {
    this.#workers.check();
  }

  /** Waits until all threads have begun. Before that, nothing may be posted. @throws as `check`. */
  async ready(): Promise<void> {
    while (this.#tasks.preparedThreads < this.#workers.count) {
      this.check();
      await sleep(READY_MILLISECONDS);
    }
  }

  /**
   * Gives tasks to the threads; any thread may do any of them. No two tasks in progress may be at the same seat. @throws as
   * `check`.
   */
  post(tasks: readonly Task[]): Posted {
    this.check();
    return { first: this.#tasks.post(tasks), tasks };
  }

  /** Waits until tasks are done; resolves to the results of the calls of each task. @throws as `check`. */
  async finish(posted: Posted): Promise<number[][]> {
    const results: number[][] = [];
    for (const i of posted.tasks.keys()) results.push(await this.finishTask(posted, i));
    return results;
  }

  /** Waits until task number `i` of those posted is done, and does tasks meanwhile; resolves to its results. @throws as `check`. */
  async finishTask({ first, tasks }: Posted, i: number): Promise<number[]> {
    const isDone = () => this.#tasks.isDone(first + i);
    while (!isDone() && this.#tasks.work()) {
      // Its task may be the one that is waited for.
    }
    await this.#wait(isDone);
    return this.#tasks.results(first + i, tasks[i]?.calls.length ?? 0);
  }

  /** Does a task that no other thread has taken; false if there is none. */
  work(): boolean {
    return this.#tasks.work();
  }

  /** Posts tasks and waits for them. @throws as `check`. */
  run(tasks: readonly Task[]): Promise<number[][]> {
    return this.finish(this.post(tasks));
  }

  /** Gives each seat the parameters, the registers and the secret of the first. No task may be in progress. */
  copySettings(): void {
    const bytes = this.kernels[0]?.bytes;
    for (const base of this.bases.slice(1)) {
      bytes?.copyWithin(base + PARAMETERS_OFFSET, PARAMETERS_OFFSET, SECRET_OFFSET + SECRET_BYTES);
    }
  }

  /**
   * Lets every thread make calls that set up what its instances of the kernel keep. No task may be in progress. @throws as `check`.
   */
  async prepare(preparations: readonly Task[]): Promise<void> {
    this.#tasks.beginToPrepare(preparations);
    await this.#wait(() => this.#tasks.preparedThreads === this.#workers.count);
  }

  close(): Promise<void> {
    return this.#workers.close();
  }

  /**
   * Waits for the other threads, and lets the event loop run now and then.
   * @param wait waits for this number of milliseconds at most; false if that was not enough
   * @throws as `check`
   */
  async waitWith(wait: (milliseconds: number) => boolean): Promise<void> {
    while (!wait(BLOCK_MILLISECONDS)) {
      // The event loop shows whether a thread has ended.
      await nextTurn();
      this.check();
    }
  }

  #wait(isDone: () => boolean): Promise<void> {
    return this.waitWith((milliseconds) => this.#tasks.waitUntil(isDone, milliseconds));
  }
}
