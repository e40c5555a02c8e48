// Range motifs in the kernel: the memory layout, and the steps of a block. One thread and several threads take the same steps.

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
import { Kernel, type KernelOptions, wholeCacheLines } from '../kernel/kernel.js';
import { wholeKernel } from '../kernel/wholekernel.js';
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

export interface MotifLayout {
  batches: readonly BatchLayout[];
  /** The address of the tables that all instances of the kernel read. */
  tables: number;
  /** A workspace for each instance. */
  workspaces: readonly number[];
  /** Table of the digests of a batch. */
  digestTable: number;
  part: number;
  partBytes: number;
  rowBytes: number;
  /** Slots of a table of digests. */
  tableSlots: number;
  /** The end of all of the above, which is after the arrays. */
  end: number;
}

function tableBytes({ hashes, addressBits }: MotifSettings): number {
  return 4096 + 8 * hashes * addressBits;
}

function workspaceBytes({ hashes }: MotifSettings): number {
  return 4096 + 256 * hashes;
}

/** The layout from the byte `base` on, for a number of batches in flight and of instances of the kernel. */
export function layOutMotifs(settings: MotifSettings, base: number, batches = 1, instances = 1): MotifLayout {
  const { recordBytes, hashes, batchRecords } = settings;
  let end = base;
  const take = (bytes: number): number => {
    const start = end;
    end += wholeCacheLines(bytes);
    return start;
  };
  // The kernel reads and writes whole groups, wherever a stretch of records begins, and columns of 16 bytes.
  const rowRecords = batchRecords + MOTIFS_GROUP;
  const rowBytes = 4 * rowRecords;
  const tableSlots = 2 ** Math.ceil(Math.log2(batchRecords + 1) + 1);
  const partBytes = motifPartBytes(hashes);
  return {
    rowBytes,
    tableSlots,
    partBytes,
    batches: Array.from({ length: batches }, () => ({
      records: take(rowRecords * recordBytes + 16),
      digests: take(batchRecords * MOTIFS_DIGEST_BYTES),
      addresses: take(hashes * rowBytes),
      firsts: take(4 * batchRecords),
      answers: take(batchRecords),
      votes: take(batchRecords),
    })),
    tables: take(tableBytes(settings)),
    workspaces: Array.from({ length: instances }, () => take(workspaceBytes(settings))),
    digestTable: take(4 * tableSlots),
    part: take(partBytes),
    end,
  };
}

/** Bytes of the counts of a block in this number of arrays. */
export function motifPartBytes(arrays: number): number {
  return wholeCacheLines(MOTIFS_BLOCK * (20 + 8 * arrays) + 16);
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

/** Records of a batch that are counted against the same contents of the arrays. */
export interface MotifBlock {
  batch: BatchLayout;
  /** The first record, from the start of the batch. */
  first: number;
  count: number;
  /** The number of the first record of the batch in the stream. */
  batchIndex: number;
}

/** The blocks of the records [from, to) of a batch. */
export function* blocksOf(
  batch: BatchLayout,
  { from, to, batchIndex }: { from: number; to: number; batchIndex: number },
): Generator<MotifBlock, void, undefined> {
  for (let first = from; first < to; first += MOTIFS_BLOCK) {
    yield { batch, first, count: Math.min(MOTIFS_BLOCK, to - first), batchIndex };
  }
}

export class MotifKernel {
  readonly layout: MotifLayout;
  readonly kernel: Kernel;
  readonly #settings: MotifSettings;

  /** Range motifs in a kernel whose memory has the arrays, and after them the layout. */
  constructor(kernel: Kernel, settings: MotifSettings, layout: MotifLayout) {
    this.kernel = kernel;
    this.#settings = settings;
    this.layout = layout;
    writeParameters(kernel, settings);
    const { motifsConfigure, motifsFillTables, motifsPartBytes } = kernel.exports;
    const usedBytes = motifsConfigure(layout.tables, layout.workspaces[0] as number);
    const hasSpace = usedBytes <= workspaceBytes(settings) && motifsFillTables() <= tableBytes(settings);
    if (!hasSpace || motifsPartBytes(settings.hashes) !== layout.partBytes) {
      throw new Error('kernel memory map and host disagree');
    }
  }

  /**
   * A kernel with its own memory, which has this number of batches.
   * @throws FirstseenError E_MEMORY when the arrays are larger than WebAssembly can address or the machine grants.
   */
  static async create(
    settings: MotifSettings,
    { batches, ...options }: Pick<KernelOptions, 'module'> & { batches?: number } = {},
  ): Promise<MotifKernel> {
    const sizes = { cellsBytes: motifMemoryBytes(settings), regionBytes: layOutMotifs(settings, 0, batches).end };
    const kernel = await Kernel.create({ ...sizes, ...options, module: options.module ?? (await wholeKernel()) });
    return new MotifKernel(kernel, settings, layOutMotifs(settings, kernel.regionOffset, batches));
  }

  /** The number of open sets. */
  get opened(): number {
    return this.kernel.exports.motifsOpened();
  }

  /** Goes on with this number of open sets. The arrays must be those of a snapshot with them. */
  setOpened(count: number): void {
    this.kernel.exports.motifsSetOpened(count);
  }

  /** Goes on within a batch whose first `count` records have the digests that are in its memory. */
  restoreBatch({ digests, firsts }: BatchLayout, count: number): void {
    const { digestTable, tableSlots } = this.layout;
    this.kernel.bytes.fill(0, digestTable, digestTable + 4 * tableSlots);
    this.kernel.exports.motifsRepeats(digests, 0, count, firsts, digestTable, tableSlots, 0, 1);
  }

  /** Takes all steps of a block. The blocks of a batch must be passed in order. */
  observe({ batch, first, count, batchIndex }: MotifBlock): void {
    const { digestTable, tableSlots, part, partBytes, rowBytes } = this.layout;
    const { exports, bytes } = this.kernel;
    const { digests, firsts, answers, votes } = batch;
    const { recordBytes, hashes } = this.#settings;
    const records = batch.records + first * recordBytes;
    const addresses = batch.addresses + 4 * first;
    exports.motifsDigest(records, count, digests + first * MOTIFS_DIGEST_BYTES);
    exports.motifsHash(records, count, addresses, rowBytes);
    if (first === 0) bytes.fill(0, digestTable, digestTable + 4 * tableSlots);
    exports.motifsRepeats(digests, first, first + count, firsts, digestTable, tableSlots, 0, 1);
    exports.motifsCount(0, hashes, addresses, rowBytes, count, part);
    exports.motifsDecide(first, count, batchIndex, 1, part, partBytes, firsts, answers, votes);
    exports.motifsApply(0, hashes, addresses, rowBytes, count);
  }
}
