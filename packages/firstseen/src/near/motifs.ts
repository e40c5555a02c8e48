// Range motifs of fixed-length binary records by Hamming distance in a stream (narang-2011), in one thread and without `node:`
// modules.

import { formatCounted } from '../count.js';
import { FirstseenError } from '../errors.js';
import type { KernelOptions } from '../kernel/kernel.js';
import { type BatchLayout, blocksOf, MotifKernel } from './motifkernel.js';
import {
  type MotifOptions,
  type MotifSettings,
  motifMemoryBytes,
  NO_SET,
  resolveMotifSettings,
} from './motifsettings.js';

/** One byte for each record. */
export interface MotifAnswers {
  /** The set of each record, from 0 in the order of opening; NO_SET for a record that was left out. */
  sets: Uint8Array;
  /**
   * How many of the k hashes agreed with that set before the record joined it: at least t if it was recognized, fewer if it
   * opened the set or no set was nearer. With one set, t votes mean that the record is redundant.
   */
  votes: Uint8Array;
}

/** What range motifs have done so far. */
export interface MotifStats {
  /** Records so far. */
  records: number;
  /** Records of each set, in the order of opening. */
  sizes: number[];
  /** Records without a set. */
  leftOut: number;
  /** Exact repeats of another record of the same batch. */
  repeats: number;
  /** Bytes of the arrays. */
  memoryBytes: number;
}

/** Sets of records of one length that differ in few bits (docs/MOTIFS.md). `createMotifs` makes them. */
export class RangeMotifs {
  /** Everything that decides the answers. */
  readonly settings: MotifSettings;
  readonly #motifs: MotifKernel;
  readonly #batch: BatchLayout;
  readonly #sizes = new Float64Array(NO_SET + 1);
  #records = 0;
  #repeats = 0;

  private constructor(settings: MotifSettings, motifs: MotifKernel) {
    this.settings = settings;
    this.#motifs = motifs;
    this.#batch = motifs.layout.batches[0] as BatchLayout;
  }

  /**
   * Creates range motifs without an open set.
   * @throws FirstseenError E_PARAMETER for an option out of range; E_MEMORY when the arrays are larger than WebAssembly can
   * address or the machine grants.
   * @internal
   */
  static async create(options: MotifOptions, kernel: Pick<KernelOptions, 'module'> = {}): Promise<RangeMotifs> {
    const settings = resolveMotifSettings(options);
    return new RangeMotifs(settings, await MotifKernel.create(settings, kernel));
  }

  /**
   * Takes consecutive whole records and answers for each. The answers do not depend on how the records are divided into calls. A
   * call with few records costs as much as one with 64.
   * @throws FirstseenError E_RECORD when the bytes end within a record.
   */
  observe(records: Uint8Array): MotifAnswers {
    const { recordBytes, batchRecords } = this.settings;
    const count = records.length / recordBytes;
    if (!Number.isInteger(count)) {
      const problem = `${formatCounted(records.length, 'byte')} are not whole records of ${formatCounted(recordBytes, 'byte')}`;
      throw new FirstseenError('E_RECORD', problem, { remedy: 'pass whole records' });
    }
    const answers = { sets: new Uint8Array(count), votes: new Uint8Array(count) };
    for (let done = 0; done < count; ) {
      const from = this.#records % batchRecords;
      const taken = Math.min(count - done, batchRecords - from);
      const part = records.subarray(done * recordBytes, (done + taken) * recordBytes);
      this.#observePart(part, from, from + taken);
      this.#copyAnswers(answers, done, from, taken);
      done += taken;
    }
    return answers;
  }

  /** What was done so far. */
  stats(): MotifStats {
    return {
      records: this.#records,
      sizes: [...this.#sizes.subarray(0, this.#motifs.opened)],
      leftOut: this.#sizes[NO_SET] as number,
      repeats: this.#repeats,
      memoryBytes: motifMemoryBytes(this.settings),
    };
  }

  /** Observes records as the records [from, to) of the current batch. */
  #observePart(records: Uint8Array, from: number, to: number): void {
    const batch = this.#batch;
    this.#motifs.kernel.bytes.set(records, batch.records + from * this.settings.recordBytes);
    for (const block of blocksOf(batch, { from, to, batchIndex: this.#records - from })) this.#motifs.observe(block);
    this.#records += to - from;
  }

  #copyAnswers(answers: MotifAnswers, to: number, from: number, count: number): void {
    const { bytes } = this.#motifs.kernel;
    const { answers: sets, votes, firsts } = this.#batch;
    answers.sets.set(bytes.subarray(sets + from, sets + from + count), to);
    answers.votes.set(bytes.subarray(votes + from, votes + from + count), to);
    const firstRecords = new Uint32Array(bytes.buffer, firsts, from + count);
    for (let i = from; i < from + count; i++) {
      const set = bytes[sets + i] as number;
      this.#sizes[set] = (this.#sizes[set] as number) + 1;
      if (firstRecords[i] !== i) this.#repeats++;
    }
  }
}
