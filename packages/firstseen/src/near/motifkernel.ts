// Range motifs in the kernel, for one thread: the memory layout, and the steps of a batch. One thread and several threads take
// the same steps.

import {
  LAYOUT_CLASSIC,
  MOTIFS_ADDRESS_BITS_PARAMETER,
  MOTIFS_ARRAY_BYTES_PARAMETER,
  MOTIFS_BLOCK,
  MOTIFS_DIGEST_BYTES,
  MOTIFS_ENTRY_BITS_LOG_PARAMETER,
  MOTIFS_GROUP,
  MOTIFS_HASHES_PARAMETER,
  MOTIFS_OPENING_CONFIRMED,
  MOTIFS_OPENING_PARAMETER,
  MOTIFS_OPENING_THRESHOLD,
  MOTIFS_OPENING_TIED,
  MOTIFS_RECORD_BYTES_PARAMETER,
  MOTIFS_SETS_PARAMETER,
  MOTIFS_THRESHOLD_PARAMETER,
} from '../kernel/abi.js';
import { Kernel, type KernelOptions, wholeLines } from '../kernel/kernel.js';
import { arrayBytes, entryBitsLog, type MotifOpening, type MotifSettings, motifMemoryBytes } from './motifsettings.js';

const openingNumbers: Readonly<Record<MotifOpening, number>> = {
  threshold: MOTIFS_OPENING_THRESHOLD,
  tied: MOTIFS_OPENING_TIED,
  confirmed: MOTIFS_OPENING_CONFIRMED,
};

/** The addresses of a batch and of the results for its records. */
export interface BatchLayout {
  records: number;
  digests: number;
  /** By hash, `rowBytes` apart. */
  addresses: number;
  /** For each record, the first of the batch with the same digest. */
  firsts: number;
  answers: number;
  votes: number;
}

/** The addresses of one thread. */
interface ThreadLayout {
  workspace: number;
  /** Table of digests. */
  table: number;
  /** Its own copy of a row of parts. */
  parts: number;
  /** Its own copy of the answers. Thread 0 uses those of the batch. */
  answers: number;
  votes: number;
}

export interface MotifLayout {
  batches: BatchLayout[];
  threads: ThreadLayout[];
  /** Two rows with a part for each thread, used alternately, so that a fast thread does not overwrite what a slow one reads. */
  parts: [number, number];
  partBytes: number;
  /** Words that synchronize the threads. */
  control: number;
  rowBytes: number;
  /** Slots of a table of digests. */
  tableSlots: number;
  workspaceBytes: number;
  /** All of the above, behind the arrays. */
  regionBytes: number;
}

export const CONTROL_BYTES = 4096;

function workspaceBytes({ hashes, addressBits }: MotifSettings): number {
  return 8192 + hashes * (8 * addressBits + 256);
}

/** The layout for a number of batches in flight and a number of threads, from the byte `base` on. */
export function layOutMotifs(settings: MotifSettings, base: number, batches = 1, threads = 1): MotifLayout {
  const { recordBytes, hashes, batchRecords } = settings;
  let end = base;
  const take = (bytes: number): number => {
    const start = end;
    end += wholeLines(bytes);
    return start;
  };
  // The kernel reads and writes whole groups, wherever a stretch of records begins, and columns of 16 bytes.
  const rowRecords = batchRecords + MOTIFS_GROUP;
  const rowBytes = 4 * rowRecords;
  const tableSlots = 2 ** Math.ceil(Math.log2(batchRecords + 1) + 1);
  const partBytes = wholeLines(MOTIFS_BLOCK * (20 + 8 * Math.ceil(hashes / threads)) + 16);
  const control = take(CONTROL_BYTES);
  return {
    control,
    rowBytes,
    tableSlots,
    partBytes,
    workspaceBytes: workspaceBytes(settings),
    batches: Array.from({ length: batches }, () => ({
      records: take(rowRecords * recordBytes + 16),
      digests: take(batchRecords * MOTIFS_DIGEST_BYTES),
      addresses: take(hashes * rowBytes),
      firsts: take(4 * batchRecords),
      answers: take(batchRecords),
      votes: take(batchRecords),
    })),
    threads: Array.from({ length: threads }, () => ({
      workspace: take(workspaceBytes(settings)),
      table: take(4 * tableSlots),
      parts: take(partBytes * threads),
      answers: take(batchRecords),
      votes: take(batchRecords),
    })),
    parts: [take(partBytes * threads), take(partBytes * threads)],
    regionBytes: end - base,
  };
}

/** What a kernel for these settings has to hold. */
export function motifKernelSizes(
  settings: MotifSettings,
  batches = 1,
  threads = 1,
): Pick<KernelOptions, 'cellsBytes' | 'regionBytes'> {
  return {
    cellsBytes: motifMemoryBytes(settings),
    regionBytes: layOutMotifs(settings, 0, batches, threads).regionBytes,
  };
}

function writeParameters(kernel: Kernel, settings: MotifSettings): void {
  kernel.writeParameters({ layout: LAYOUT_CLASSIC, seed: settings.seed, isKeyed: false });
  kernel.setParameters([
    [MOTIFS_RECORD_BYTES_PARAMETER, settings.recordBytes],
    [MOTIFS_HASHES_PARAMETER, settings.hashes],
    [MOTIFS_ADDRESS_BITS_PARAMETER, settings.addressBits],
    [MOTIFS_SETS_PARAMETER, settings.sets],
    [MOTIFS_THRESHOLD_PARAMETER, settings.threshold],
    [MOTIFS_OPENING_PARAMETER, openingNumbers[settings.opening]],
    [MOTIFS_ENTRY_BITS_LOG_PARAMETER, entryBitsLog(settings)],
    [MOTIFS_ARRAY_BYTES_PARAMETER, arrayBytes(settings)],
  ]);
}

/** The index of a thread among the threads that share the work. */
export interface ThreadSeat {
  thread: number;
  threads: number;
  batches: number;
}

export class MotifKernel {
  readonly layout: MotifLayout;
  readonly kernel: Kernel;
  readonly #seat: ThreadSeat;
  readonly #settings: MotifSettings;
  readonly #firstArray: number;
  readonly #endArray: number;
  #turn = 0;

  private constructor(kernel: Kernel, settings: MotifSettings, seat: ThreadSeat) {
    const { thread, threads, batches } = seat;
    this.kernel = kernel;
    this.#seat = seat;
    this.#settings = settings;
    this.layout = layOutMotifs(settings, kernel.regionOffset, batches, threads);
    writeParameters(kernel, settings);
    const usedBytes = this.kernel.exports.motifsConfigure(this.#own.workspace);
    const isAgreed =
      this.kernel.exports.motifsPartBytes(Math.ceil(settings.hashes / threads)) === this.layout.partBytes;
    if (usedBytes > this.layout.workspaceBytes || !isAgreed) throw new Error('kernel memory map and host disagree');
    this.#firstArray = this.kernel.exports.motifsPartStart(thread, threads);
    this.#endArray = this.kernel.exports.motifsPartStart(thread + 1, threads);
  }

  /**
   * A kernel with its own memory, or one of several over a shared memory.
   * @throws FirstseenError E_MEMORY when the arrays are larger than WebAssembly can address or the machine grants.
   */
  static async create(
    settings: MotifSettings,
    options: Pick<KernelOptions, 'module' | 'memory'> = {},
    seat: ThreadSeat = { thread: 0, threads: 1, batches: 1 },
  ): Promise<MotifKernel> {
    const sizes = motifKernelSizes(settings, seat.batches, seat.threads);
    return new MotifKernel(await Kernel.create({ ...sizes, ...options }), settings, seat);
  }

  get #own(): ThreadLayout {
    return this.layout.threads[this.#seat.thread] as ThreadLayout;
  }

  /** The number of open sets. */
  get opened(): number {
    return this.kernel.exports.motifsOpened();
  }

  /**
   * Computes the digests and addresses of the records [from, to) of a batch. Addresses are written in whole groups from `from`
   * on, so threads that share a batch must take whole groups.
   */
  hash(batch: BatchLayout, from: number, to: number): void {
    const records = batch.records + from * this.#settings.recordBytes;
    this.kernel.exports.motifsDigest(records, to - from, batch.digests + from * MOTIFS_DIGEST_BYTES);
    this.kernel.exports.motifsHash(records, to - from, batch.addresses + 4 * from, this.layout.rowBytes);
  }

  /**
   * Does this thread's share of observing the records [from, to) of a batch, which must be hashed. The first record of the batch
   * has the number `batchIndex`; a batch begins at 0. Every thread calls this for the same records. `meet` returns when all
   * threads have reached the same point.
   */
  observe(batch: BatchLayout, from: number, to: number, batchIndex: number, meet: () => void = () => undefined): void {
    this.#findRepeats(batch, from, to);
    for (let first = from; first < to; first += MOTIFS_BLOCK) {
      const count = Math.min(MOTIFS_BLOCK, to - first);
      // By turns, so that a fast thread does not write over what a slow one still reads.
      this.#turn = 1 - this.#turn;
      const parts = this.layout.parts[this.#turn] as number;
      this.#count(batch, first, count, parts);
      meet();
      this.#decide(batch, first, count, parts, batchIndex);
      this.#apply(batch, first, count);
    }
  }

  /** Finds the exact repeats among the records whose digests belong to this thread. */
  #findRepeats(batch: BatchLayout, from: number, to: number): void {
    const { table } = this.#own;
    const { tableSlots } = this.layout;
    if (from === 0) this.kernel.bytes.fill(0, table, table + 4 * tableSlots);
    const { thread, threads } = this.#seat;
    this.kernel.exports.motifsRepeats(batch.digests, from, to, batch.firsts, table, tableSlots, thread, threads);
  }

  /** Counts a block in the arrays of this thread, and writes the counts to its part. */
  #count(batch: BatchLayout, first: number, count: number, parts: number): void {
    const part = parts + this.#seat.thread * this.layout.partBytes;
    const addresses = batch.addresses + 4 * first;
    this.kernel.exports.motifsCount(this.#firstArray, this.#endArray, addresses, this.layout.rowBytes, count, part);
  }

  /** Decides for the block from all parts. */
  #decide(batch: BatchLayout, first: number, count: number, parts: number, batchIndex: number): void {
    const { thread, threads } = this.#seat;
    const { partBytes } = this.layout;
    const { answers, votes } = thread === 0 ? batch : this.#own;
    const gathered = this.#own.parts;
    this.kernel.exports.motifsGather(gathered, parts, threads, partBytes);
    const { firsts } = batch;
    const { motifsDecide } = this.kernel.exports;
    motifsDecide(first, count, batchIndex, threads, gathered, partBytes, firsts, answers, votes);
  }

  /** Sets the bits of the block in the arrays of this thread. */
  #apply(batch: BatchLayout, first: number, count: number): void {
    const addresses = batch.addresses + 4 * first;
    this.kernel.exports.motifsApply(this.#firstArray, this.#endArray, addresses, this.layout.rowBytes, count);
  }
}
