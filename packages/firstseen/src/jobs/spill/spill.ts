// Exact deduplication with partitions on disk. The first reading scatters an entry for each key over the partitions; settling finds
// the record of each key that is kept, in one partition after another; the second reading takes its verdicts from the bitmap.

import { setImmediate } from 'node:timers/promises';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { SPILL_NUMBER_BITS } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { SpillStats } from '../../run/stats.js';
import { Bitmap } from './bitmap.js';
import { BlockFile } from './blocks.js';
import { Counts } from './counts.js';
import type { SpillLayout } from './layout.js';
import { isPlain, type SpillRequest } from './request.js';
import { Settling } from './settling.js';

const MAX_NUMBER = 2 ** SPILL_NUMBER_BITS - 1;

/** The result of settling. */
interface Settled {
  /** The kept records. */
  kept: Bitmap;
  /** The chosen records, if only some of the kept ones are. */
  chosen: Bitmap | undefined;
  counts: Counts | undefined;
}

export class Spill {
  readonly #kernel: Kernel;
  readonly #layout: SpillLayout;
  readonly #folder: string;
  readonly #request: SpillRequest;
  readonly #entries: BlockFile;
  #settled: Settled | undefined;
  #settling: Settling | undefined;
  /** Keys of the first reading, and of the second. */
  #scattered = 0;
  #told = 0;

  /** @throws FirstseenError E_SPILL when no file can be created in the folder. */
  constructor(kernel: Kernel, layout: SpillLayout, folder: string, request: SpillRequest) {
    const { partitionBits, buffersOffset, bufferBytes } = layout;
    this.#kernel = kernel;
    this.#layout = layout;
    this.#folder = folder;
    this.#request = request;
    this.#entries = new BlockFile(kernel, { offset: buffersOffset, bufferBytes, count: 2 ** partitionBits }, folder);
    const isRanked = request.keep.field !== undefined;
    kernel.exports.spillBegin(partitionBits, buffersOffset, bufferBytes, isPlain(request), isRanked);
  }

  get stats(): SpillStats {
    const files = this.#settled;
    const bytes = [files?.kept, files?.chosen, files?.counts].reduce((sum, file) => sum + (file?.writtenBytes ?? 0), 0);
    return {
      passes: 2,
      partitions: this.#entries.blocks.length,
      entries: this.#kernel.exports.spillMade(),
      folder: this.#folder,
      writtenBytes: this.#entries.writtenBytes + bytes,
      parts: this.#settling?.parts ?? 1,
    };
  }

  /** The largest share of the slots of a table that was in use. */
  get load(): number {
    return this.#settling?.load ?? 0;
  }

  /** The first reading: takes the keys of a batch, whose spans are in the kernel. */
  scatter(count: number): void {
    const { exports } = this.#kernel;
    if (this.#scattered + count > MAX_NUMBER) throw new FirstseenError('E_SPILL', `there are over ${MAX_NUMBER} keys`);
    for (let from = 0; ; ) {
      const takenKeys = exports.spillScatter(from, count, this.#scattered + 1);
      this.#scattered += takenKeys - from;
      if (takenKeys === count) return;
      from = takenKeys;
      this.#entries.writeFull();
    }
  }

  /**
   * Settles all partitions. False when aborted before the end.
   * @throws FirstseenError E_KEY_MISSING when records are to be ranked by a field that none of them has.
   */
  async settle(signal: AbortSignal | undefined): Promise<boolean> {
    this.#checkRanks();
    this.#entries.writeAll();
    const settledFiles = this.#begin();
    this.#settled = settledFiles;
    this.#settling = new Settling(this.#kernel, this.#layout, {
      ...settledFiles,
      ...this.#request,
      entries: this.#entries,
      numbers: this.#scattered,
      isPlain: isPlain(this.#request),
    });
    for (const blocks of this.#entries.blocks) {
      this.#settling.take(blocks);
      // Lets signals arrive.
      await setImmediate();
      if (signal?.aborted) return false;
    }
    settledFiles.kept.finish();
    settledFiles.chosen?.finish();
    settledFiles.counts?.finish();
    return true;
  }

  /** The second reading: writes the verdicts of a batch. False when there are more keys than in the first reading. */
  tell(count: number): boolean {
    if (this.#told + count > this.#scattered) return false;
    const { kept, chosen } = this.#settled as Settled;
    const { spillVerdicts, spillChoose } = this.#kernel.exports;
    this.#ofBitmap(kept, count, spillVerdicts);
    if (chosen) this.#ofBitmap(chosen, count, spillChoose);
    this.#told += count;
    return true;
  }

  /** Copies the counts of the last keys that were told to `target`. */
  copyCounts(target: Float64Array): void {
    this.#settled?.counts?.copyTo(target, this.#told - target.length + 1);
  }

  /** Tells if the second reading had as many keys as the first. */
  get isWhole(): boolean {
    return this.#told === this.#scattered;
  }

  close(): void {
    this.#entries.close();
    const { kept, chosen, counts } = this.#settled ?? {};
    for (const file of [kept, chosen, counts]) file?.close();
  }

  #checkRanks(): void {
    const { rule, field } = this.#request.keep;
    if (field === undefined || this.#scattered === 0 || this.#kernel.exports.spillRanked() > 0) return;
    throw new FirstseenError(
      'E_KEY_MISSING',
      phrase`no record has the field of ${optionName('keep')} ${rule}:${field}`,
      {
        ...{ option: 'keep', given: `${rule}:${field}` },
        remedy: 'correct the field; it is written like a key',
      },
    );
  }

  #begin(): Settled {
    const { choice, isCounting } = this.#request;
    const [kernel, layout, folder] = [this.#kernel, this.#layout, this.#folder];
    return {
      kept: new Bitmap(kernel, layout, folder),
      chosen: choice && new Bitmap(kernel, layout.choice, folder),
      counts: isCounting ? new Counts(kernel, layout.counts, { folder, numbers: this.#scattered }) : undefined,
    };
  }

  /** Calls `tell` for the next keys, those of one part of a bitmap at a time. */
  #ofBitmap(bitmap: Bitmap, count: number, tell: (from: number, to: number, number: number) => void): void {
    for (let from = 0; from < count; ) {
      const number = this.#told + 1 + from;
      const to = Math.min(count, from + bitmap.moveTo(number));
      tell(from, to, number);
      from = to;
    }
  }
}
