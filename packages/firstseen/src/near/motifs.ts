// Range motifs of fixed-length binary records by Hamming distance in a stream (narang-2011), in one thread and without `node:`
// modules.

import { isBytes } from '../base/bytes.js';
import { checkAttached } from '../base/check.js';
import { formatCounted } from '../base/count.js';
import { Described } from '../base/description.js';
import { dispose } from '../base/dispose.js';
import { closedError, FirstseenError, invalidOption } from '../base/errors.js';
import { MOTIFS_DIGEST_BYTES } from '../kernel/abi.js';
import type { KernelOptions } from '../kernel/kernel.js';
import type { SnapshotSource } from '../snapshot/parts.js';
import type { SnapshotParts } from '../snapshot/snapshots.js';
import { type BatchLayout, blocksOf, MotifKernel } from './motifkernel.js';
import {
  type MotifOptions,
  type MotifSettings,
  motifMemoryBytes,
  NO_SET,
  resolveMotifSettings,
} from './motifsettings.js';
import { type MotifMemory, motifParts, readMotifHeader, readMotifParts } from './motifsnapshot.js';

/** One byte for each record. */
export interface MotifAnswers {
  /** The set of each record, from 0 in the order of opening; NO_SET for a record that was left out. */
  sets: Uint8Array;
  /**
   * The number of the k hashes that agreed with that set before the record joined it: at least t if it was recognized,
   * fewer if it opened the set or no set was nearer. With one set, t votes mean that the record is redundant.
   */
  votes: Uint8Array;
}

/** The counts of range motifs so far. */
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

/** The description of range motifs, for logs. */
export interface MotifDescription extends Omit<MotifStats, 'sizes'> {
  /** Bytes of a record. */
  recordBytes: number;
  /** Hashes of a record. */
  hashes: number;
  /** Sets that are open. */
  sets: number;
}

/** The sizes of the open sets. Every open set contains the record that opened it. */
function sizesOfOpened(sizes: Float64Array): number[] {
  const sets = sizes.subarray(0, NO_SET);
  return [...sets.subarray(0, sets.findLastIndex((size) => size > 0) + 1)];
}

/** Sets of records of one length that differ in few bits (docs/MOTIFS.md). `createMotifs` makes them. */
export class RangeMotifs extends Described {
  readonly #settings: MotifSettings;
  #open: MotifKernel | undefined;
  readonly #batch: BatchLayout;
  readonly #sizes = new Float64Array(NO_SET + 1);
  #records = 0;
  #repeats = 0;

  readonly #note: Uint8Array;

  private constructor(settings: MotifSettings, motifs: MotifKernel, note: Uint8Array) {
    super();
    this.#settings = settings;
    this.#note = note;
    this.#open = motifs;
    this.#batch = motifs.layout.batches[0] as BatchLayout;
  }

  /**
   * Creates range motifs without an open set.
   * @throws FirstseenError E_PARAMETER for an option out of range; E_MEMORY when the arrays are larger than WebAssembly can
   * address or the machine grants.
   * @internal
   */
  static async create(options: MotifOptions, kernel: Pick<KernelOptions, 'module'> = {}): Promise<RangeMotifs> {
    return RangeMotifs.ofSettings(resolveMotifSettings(options), kernel);
  }

  /**
   * As `create`, with resolved settings.
   * @internal
   */
  static async ofSettings(settings: MotifSettings, kernel: Pick<KernelOptions, 'module'>): Promise<RangeMotifs> {
    return new RangeMotifs(settings, await MotifKernel.create(settings, kernel), new Uint8Array(0));
  }

  /**
   * Range motifs that go on from a snapshot.
   * @throws FirstseenError E_SNAPSHOT when it is not a complete, intact snapshot of range motifs; E_MEMORY when they take more.
   * @internal
   */
  static async read(
    source: SnapshotSource,
    maxBytes: number,
    kernel: Pick<KernelOptions, 'module'> = {},
  ): Promise<RangeMotifs> {
    const header = await readMotifHeader(source, maxBytes, kernel.module);
    const { settings, registers, note } = header;
    const restored = new RangeMotifs(settings, await MotifKernel.create(settings, kernel), note);
    restored.#restoreCounts(registers);
    await readMotifParts(source, header, restored.#memory());
    restored.#motifs.setOpened(restored.stats().sizes.length);
    restored.#motifs.restoreBatch(restored.#batch, restored.#inBatch);
    return restored;
  }

  /** Everything that decides the answers. */
  get settings(): MotifSettings {
    return this.#settings;
  }

  /** The note of the snapshot from which they were loaded; empty for new ones. */
  get note(): Uint8Array {
    return this.#note;
  }

  get #motifs(): MotifKernel {
    if (this.#open) return this.#open;
    throw closedError('the range motifs were closed', 'dispose of them after their last use');
  }

  /** @internal */
  get kernelModule(): WebAssembly.Module | undefined {
    return this.#motifs.kernel.module;
  }

  /** Releases the memory. Later calls that need it throw E_CLOSED; `stats` does not. */
  close(): void {
    this.#open = undefined;
  }

  /** As `close`, for `using`. */
  [dispose](): void {
    this.close();
  }

  /** @internal */
  snapshotParts(note: Uint8Array): SnapshotParts {
    return motifParts({ settings: this.settings, registers: this.registers(), note }, this.#memory());
  }

  /** @internal */
  registers(): BigUint64Array {
    const sizes = this.#sizes.subarray(0, this.settings.sets);
    return BigUint64Array.from([this.#records, this.#repeats, ...sizes, this.#sizes[NO_SET] as number], BigInt);
  }

  #restoreCounts(registers: BigUint64Array): void {
    const [records, repeats, ...sizes] = Array.from(registers, Number);
    this.#records = records as number;
    this.#repeats = repeats as number;
    this.#sizes[NO_SET] = sizes.pop() as number;
    this.#sizes.set(sizes);
  }

  /** Records of the current batch. */
  get #inBatch(): number {
    return this.#records % this.settings.batchRecords;
  }

  /** The memory that a snapshot has: the arrays, and the digests and sets of the records of the current batch. */
  #memory(): MotifMemory {
    const { kernel } = this.#motifs;
    const { digests, answers } = this.#batch;
    const count = this.#inBatch;
    return {
      kernel,
      arrays: kernel.cells,
      digests: kernel.bytes.subarray(digests, digests + count * MOTIFS_DIGEST_BYTES),
      sets: kernel.bytes.subarray(answers, answers + count),
    };
  }

  /**
   * Takes consecutive whole records and answers for each. The answers do not depend on how the records are divided into calls. A
   * call with few records costs as much as one with 64.
   * @throws FirstseenError E_RECORD when the bytes end within a record; E_PARAMETER for what is not bytes, or is detached.
   */
  observe(records: Uint8Array): MotifAnswers {
    if (!isBytes(records)) {
      const remedy = 'pass the bytes of whole records';
      throw invalidOption({ option: 'records', given: records, expected: 'a Uint8Array', remedy });
    }
    checkAttached(records, 'records', 'E_PARAMETER');
    const { recordBytes, batchRecords } = this.settings;
    const count = records.length / recordBytes;
    if (!Number.isInteger(count)) {
      const problem = `${formatCounted(records.length, 'byte')} are not whole records of ${formatCounted(recordBytes, 'byte')}`;
      throw new FirstseenError('E_RECORD', problem, { remedy: 'pass whole records' });
    }
    const answers = { sets: new Uint8Array(count), votes: new Uint8Array(count) };
    for (let done = 0; done < count; ) {
      const from = this.#inBatch;
      const partRecords = Math.min(count - done, batchRecords - from);
      const part = records.subarray(done * recordBytes, (done + partRecords) * recordBytes);
      this.#observePart(part, from, from + partRecords);
      this.#copyAnswers(answers, done, from, partRecords);
      done += partRecords;
    }
    return answers;
  }

  /** A short description for logs. */
  toJSON(): MotifDescription {
    const { recordBytes, hashes } = this.#settings;
    const { sizes, ...stats } = this.stats();
    return { recordBytes, hashes, sets: sizes.length, ...stats };
  }

  /** Returns the counts so far. */
  stats(): MotifStats {
    return {
      records: this.#records,
      sizes: sizesOfOpened(this.#sizes),
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
