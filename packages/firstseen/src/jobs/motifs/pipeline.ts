// Range motifs on several threads with one shared memory (narang-2011, section 5). Every thread takes part in every phase of a
// batch: it computes digests and addresses of groups of records that no other thread has claimed, finds the repeats in its share of
// the digests, counts in its share of the k arrays, and decides from the counts of all threads. The groups balance the work: a
// thread that waits for the others hashes groups of the next batch.
// Three batches are in flight: the host fills one and reads the answers of another while the threads work on the third.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { checkWhole } from '../../check.js';
import { regionOffset, sharedMemory } from '../../kernel/kernel.js';
import { type BatchLayout, layOutMotifs, type MotifLayout, motifKernelSizes } from '../../near/motifkernel.js';
import type { MotifSettings } from '../../near/motifsettings.js';
import { sharedKernel } from '../../threads/sharedkernel.js';
import { Control } from './control.js';
import type { WorkerData } from './worker.js';

/** One being filled, one in work, one whose answers are read. */
const BATCHES = 3;
const MOST_THREADS = 64;

/** The answers for the records of a batch. The views are valid until the next batch is requested. */
export interface AnsweredBatch {
  records: Uint8Array;
  count: number;
  sets: Uint8Array;
  votes: Uint8Array;
  /** Exact repeats of another record of the batch. */
  repeats: number;
}

/** Fills the target from its start with whole records; resolves to their number. Only the last batch before 0 may be partial. */
export type FillRecords = (target: Uint8Array) => Promise<number>;

/** The number of threads; by default the number of processors of the machine. */
export function resolveThreads(threads?: number): number {
  return checkWhole('threads', threads ?? Math.min(availableParallelism(), MOST_THREADS), {
    least: 1,
    most: MOST_THREADS,
  });
}

export class MotifPipeline {
  readonly #settings: MotifSettings;
  readonly #bytes: Uint8Array;
  readonly #layout: MotifLayout;
  readonly #control: Control;
  readonly #workers: Worker[];
  #answered = 0;
  #failure: unknown;
  /** Wakes the caller that waits for a batch. */
  #wake: () => void = () => undefined;

  private constructor(settings: MotifSettings, memory: WebAssembly.Memory, workers: Worker[]) {
    const threads = workers.length;
    this.#settings = settings;
    this.#bytes = new Uint8Array(memory.buffer);
    const base = regionOffset(motifKernelSizes(settings, BATCHES, threads));
    this.#layout = layOutMotifs(settings, base, BATCHES, threads);
    this.#control = new Control(memory, this.#layout.control, threads);
    this.#workers = workers;
    for (const worker of workers) this.#listen(worker);
  }

  /** @throws FirstseenError E_MEMORY when the arrays are larger than what WebAssembly can address or the machine grants. */
  static async open(settings: MotifSettings, threads: number): Promise<MotifPipeline> {
    const memory = sharedMemory(motifKernelSizes(settings, BATCHES, threads));
    const module = await sharedKernel();
    const workers = Array.from({ length: threads }, (_, thread) => {
      const workerData: WorkerData = { settings, module, memory, seat: { thread, threads, batches: BATCHES } };
      return new Worker(new URL('./worker.js', import.meta.url), { workerData });
    });
    return new MotifPipeline(settings, memory, workers);
  }

  /**
   * The answered batches, in order, until `fill` has no more records. It may be called only once. An error of `fill` is thrown after
   * the batches before it.
   */
  async *batches(fill: FillRecords): AsyncGenerator<AnsweredBatch, void, undefined> {
    const counts: number[] = [];
    let end: { failure?: unknown } | undefined;
    for (let taken = 0; ; taken++) {
      while (!end && counts.length < taken + BATCHES) {
        const slot = counts.length % BATCHES;
        const filled = await this.#filled(slot, fill);
        if (typeof filled === 'number') counts.push(filled);
        else end = filled;
      }
      if (taken === counts.length) break;
      await this.#answer(taken);
      yield this.#batchAt(taken % BATCHES, counts[taken] as number);
    }
    if (end && 'failure' in end) throw end.failure;
  }

  /** Terminates the threads. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  /** Fills a batch and passes it to the threads; returns its number of records, or how the records ended. */
  async #filled(slot: number, fill: FillRecords): Promise<number | { failure?: unknown }> {
    try {
      const count = await fill(this.#recordsAt(slot));
      if (count === 0) return {};
      this.#control.submit(slot, count);
      return count;
    } catch (failure) {
      return { failure };
    }
  }

  #listen(worker: Worker): void {
    worker.on('message', (batch: number) => {
      this.#answered = batch + 1;
      this.#wake();
    });
    worker.on('error', (error) => {
      this.#failure ??= error;
      this.#wake();
    });
  }

  async #answer(batch: number): Promise<void> {
    while (this.#answered <= batch) {
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #recordsAt(slot: number): Uint8Array {
    const { records } = this.#layout.batches[slot] as BatchLayout;
    const { batchRecords, recordBytes } = this.#settings;
    return this.#bytes.subarray(records, records + batchRecords * recordBytes);
  }

  #batchAt(slot: number, count: number): AnsweredBatch {
    const { answers, votes, firsts } = this.#layout.batches[slot] as BatchLayout;
    const firstRecords = new Uint32Array(this.#bytes.buffer, firsts, count);
    return {
      records: this.#recordsAt(slot).subarray(0, count * this.#settings.recordBytes),
      count,
      sets: this.#bytes.subarray(answers, answers + count),
      votes: this.#bytes.subarray(votes, votes + count),
      repeats: firstRecords.reduce((repeats, first, i) => repeats + (first === i ? 0 : 1), 0),
    };
  }
}
