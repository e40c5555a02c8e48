// Range motifs on several threads over one memory (narang-2011, section 5). Every thread takes part in every phase of a batch:
// it reads digests and addresses off groups of records that no other has taken, finds the repeats among its share of the digests,
// counts in its share of the k arrays, and decides for every record from the counts of all. The groups make the work even: a
// thread that waits for the others takes those of the next batch.
// Batches in flight: the host fills one and takes the answers of another while the threads work on a third.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { checkWhole } from '../../check.js';
import { compileKernel, regionOffset, sharedMemory } from '../../kernel/kernel.js';
import { type BatchLayout, layOutMotifs, type MotifLayout, motifKernelSizes } from '../../near/motifkernel.js';
import type { MotifSettings } from '../../near/motifsettings.js';
import { Control } from './control.js';
import { sharedKernelBase64 } from './module.js';
import type { WorkerData } from './worker.js';

/** One being filled, one at work, one whose answers are taken. */
const BATCHES = 3;
const MOST_THREADS = 64;

/** What becomes of the records of a batch. The views are valid until the next batch is asked for. */
export interface AnsweredBatch {
  records: Uint8Array;
  count: number;
  sets: Uint8Array;
  votes: Uint8Array;
  /** Exact repeats of another record of the batch. */
  repeats: number;
}

/** Fills the target from its front with whole records; resolves to how many, fewer than fit only once, and then to 0. */
export type FillRecords = (target: Uint8Array) => Promise<number>;

/** As many threads as the machine has processors, unless it was said. */
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
  /** Lets go of whoever waits for a batch. */
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
    const module = await compileKernel(sharedKernelBase64);
    const workers = Array.from({ length: threads }, (_, thread) => {
      const workerData: WorkerData = { settings, module, memory, seat: { thread, threads, batches: BATCHES } };
      return new Worker(new URL('./worker.js', import.meta.url), { workerData });
    });
    return new MotifPipeline(settings, memory, workers);
  }

  /**
   * The batches in order, answered, until there is nothing more to fill them with. To be called once. What `fill` throws is
   * thrown when the batches before it are taken.
   */
  async *batches(fill: FillRecords): AsyncGenerator<AnsweredBatch, void, undefined> {
    const counts: number[] = [];
    let end: { failure?: unknown } | undefined;
    for (let taken = 0; ; taken++) {
      while (!end && counts.length < taken + BATCHES) {
        const place = counts.length % BATCHES;
        const filled = await this.#filled(place, fill);
        if (typeof filled === 'number') counts.push(filled);
        else end = filled;
      }
      if (taken === counts.length) break;
      await this.#answer(taken);
      yield this.#batchAt(taken % BATCHES, counts[taken] as number);
    }
    if (end && 'failure' in end) throw end.failure;
  }

  /** Ends the threads, wherever they are. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  /** Fills a batch and hands it to the threads: how many records it has, or how the records ended. */
  async #filled(place: number, fill: FillRecords): Promise<number | { failure?: unknown }> {
    try {
      const count = await fill(this.#recordsAt(place));
      if (count === 0) return {};
      this.#control.submit(place, count);
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

  #recordsAt(place: number): Uint8Array {
    const { records } = this.#layout.batches[place] as BatchLayout;
    const { batchRecords, recordBytes } = this.#settings;
    return this.#bytes.subarray(records, records + batchRecords * recordBytes);
  }

  #batchAt(place: number, count: number): AnsweredBatch {
    const { answers, votes, firsts } = this.#layout.batches[place] as BatchLayout;
    const firstRecords = new Uint32Array(this.#bytes.buffer, firsts, count);
    return {
      records: this.#recordsAt(place).subarray(0, count * this.#settings.recordBytes),
      count,
      sets: this.#bytes.subarray(answers, answers + count),
      votes: this.#bytes.subarray(votes, votes + count),
      repeats: firstRecords.reduce((repeats, first, i) => repeats + (first === i ? 0 : 1), 0),
    };
  }
}
