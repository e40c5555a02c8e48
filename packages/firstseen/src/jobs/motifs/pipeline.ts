// Takes records through range motifs in batches, on one thread or several. Three batches are in flight: one is filled, one is hashed,
// and one is observed.

import { MAX_MEMORY_BYTES } from '../../kernel/kernel.js';
import { type BatchLayout, blocksOf, MotifKernel } from '../../near/motifkernel.js';
import type { MotifSettings } from '../../near/motifsettings.js';
import { BATCHES, type FilledBatch, Filling, type FillRecords } from './filling.js';
import { SharedMotifs, sharedMotifBytes } from './sharing.js';

/** The answers for the records of a batch. The views are valid until the next batch is requested. */
export interface AnsweredBatch {
  records: Uint8Array;
  count: number;
  sets: Uint8Array;
  votes: Uint8Array;
  /** Exact repeats of another record of the batch. */
  repeats: number;
}

/** The number of records that have an equal one before them in the batch. */
function repeatsIn(firstRecords: Uint32Array): number {
  let repeats = 0;
  for (let i = 0; i < firstRecords.length; i++) if (firstRecords[i] !== i) repeats++;
  return repeats;
}

export class MotifPipeline {
  readonly #settings: MotifSettings;
  readonly #motifs: MotifKernel;
  readonly #shared: SharedMotifs | undefined;

  private constructor(settings: MotifSettings, motifs: MotifKernel, shared?: SharedMotifs) {
    this.#settings = settings;
    this.#motifs = motifs;
    this.#shared = shared;
  }

  /** Tells if the memory of this number of threads fits into what WebAssembly can address. */
  static fits(settings: MotifSettings, threads: number): boolean {
    return threads === 1 || sharedMotifBytes(settings, threads, BATCHES) <= MAX_MEMORY_BYTES;
  }

  /**
   * @throws FirstseenError E_MEMORY when the arrays are larger than what WebAssembly can address or the machine grants, E_THREAD when
   * a thread has ended.
   */
  static async open(settings: MotifSettings, threads: number): Promise<MotifPipeline> {
    if (threads === 1) return new MotifPipeline(settings, await MotifKernel.create(settings, { batches: BATCHES }));
    const shared = await SharedMotifs.start(settings, threads, BATCHES);
    return new MotifPipeline(settings, shared.motifs, shared);
  }

  /**
   * The answered batches, in order, until `fill` has no more records. It may be called only once. An error of `fill` is thrown after
   * the batches before it.
   * @throws FirstseenError E_THREAD when a thread has ended.
   */
  async *batches(fill: FillRecords): AsyncGenerator<AnsweredBatch, void, undefined> {
    const filling = new Filling(
      (slot) => fill(this.#recordsAt(slot)),
      (batch) => this.#shared?.tellFilled(batch),
    );
    let batch = await filling.next();
    let nextBatch = filling.next();
    while (batch) {
      const next = await nextBatch;
      nextBatch = filling.next();
      await this.#observe(batch, next, () => filling.pause());
      yield this.#answered(batch);
      batch = next;
    }
    filling.check();
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.#shared?.close();
  }

  async #observe(batch: FilledBatch, next: FilledBatch | undefined, pause: () => Promise<void>): Promise<void> {
    if (this.#shared) return this.#shared.observe(batch, next, pause);
    const { count, index } = batch;
    for (const block of blocksOf(this.#layoutOf(batch.slot), { from: 0, to: count, batchIndex: index })) {
      this.#motifs.observe(block);
      await pause();
    }
  }

  #layoutOf(slot: number): BatchLayout {
    return this.#motifs.layout.batches[slot] as BatchLayout;
  }

  #recordsAt(slot: number): Uint8Array {
    const { records } = this.#layoutOf(slot);
    const { batchRecords, recordBytes } = this.#settings;
    return this.#motifs.kernel.bytes.subarray(records, records + batchRecords * recordBytes);
  }

  #answered({ slot, count }: FilledBatch): AnsweredBatch {
    const { bytes } = this.#motifs.kernel;
    const { answers, votes, firsts } = this.#layoutOf(slot);
    const firstRecords = new Uint32Array(bytes.buffer, firsts, count);
    return {
      records: this.#recordsAt(slot).subarray(0, count * this.#settings.recordBytes),
      count,
      sets: bytes.subarray(answers, answers + count),
      votes: bytes.subarray(votes, votes + count),
      repeats: repeatsIn(firstRecords),
    };
  }
}
