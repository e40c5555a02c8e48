// Exact deduplication with partitions on disk. The first reading scatters an entry for each key over the partitions; settling finds
// the first entry of each value in one partition after another; the second reading takes its verdicts from the bitmap.

import { setImmediate } from 'node:timers/promises';
import { FirstseenError } from '../../base/errors.js';
import { SpillFile } from '../../io/file/spillfile.js';
import { SPILL_ENTRY_BYTES, SPILL_NUMBER_BITS } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { SpillStats } from '../../run/stats.js';
import { Bitmap } from './bitmap.js';
import type { SpillLayout } from './layout.js';

const MOST_NUMBER = 2 ** SPILL_NUMBER_BITS - 1;

/** Bytes of the file of entries that belong to one partition, in the order in which they were written. */
interface Block {
  position: number;
  bytes: number;
}

export class Spill {
  readonly #kernel: Kernel;
  readonly #layout: SpillLayout;
  readonly #folder: string;
  readonly #entries: SpillFile;
  readonly #blocks: Block[][];
  #bitmap: Bitmap | undefined;
  /** Keys of the first reading, and of the second. */
  #scattered = 0;
  #told = 0;
  /** A partition is settled in 2^partBits parts. */
  #partBits = 0;
  #load = 0;

  /** @throws FirstseenError E_SPILL when no file can be created in the folder. */
  constructor(kernel: Kernel, layout: SpillLayout, folder: string) {
    const { partitionBits, buffersOffset, bufferBytes } = layout;
    this.#kernel = kernel;
    this.#layout = layout;
    this.#folder = folder;
    this.#entries = new SpillFile(folder);
    this.#blocks = Array.from({ length: 2 ** partitionBits }, () => []);
    kernel.exports.spillBegin(partitionBits, buffersOffset, bufferBytes);
  }

  get stats(): SpillStats {
    return {
      passes: 2,
      partitions: this.#blocks.length,
      entries: this.#entries.bytes / SPILL_ENTRY_BYTES,
      writtenBytes: this.#entries.writtenBytes + (this.#bitmap?.writtenBytes ?? 0),
      parts: 2 ** this.#partBits,
    };
  }

  /** The largest share of the slots of a table that was in use. */
  get load(): number {
    return this.#load;
  }

  /** The first reading: takes the keys of a batch, whose spans are in the kernel. */
  scatter(count: number): void {
    const { exports } = this.#kernel;
    if (this.#scattered + count > MOST_NUMBER)
      throw new FirstseenError('E_SPILL', `there are over ${MOST_NUMBER} keys`);
    for (let from = 0; ; ) {
      const taken = exports.spillScatter(from, count, this.#scattered + 1);
      this.#scattered += taken - from;
      if (taken === count) return;
      from = taken;
      this.#writeBuffer(exports.spillFullPartition());
    }
  }

  /** Settles all partitions. False when aborted before the end. */
  async settle(signal: AbortSignal | undefined): Promise<boolean> {
    for (const partition of this.#blocks.keys()) this.#writeBuffer(partition);
    this.#bitmap = new Bitmap(this.#kernel, this.#layout, this.#folder);
    for (const blocks of this.#blocks) {
      this.#settlePartition(blocks, this.#bitmap);
      // Lets signals arrive.
      await setImmediate();
      if (signal?.aborted) return false;
    }
    this.#bitmap.finish();
    return true;
  }

  /** The second reading: writes the verdicts of a batch. False when there are more keys than in the first reading. */
  tell(count: number): boolean {
    if (this.#told + count > this.#scattered) return false;
    for (let from = 0; from < count; ) {
      const number = this.#told + 1;
      const to = Math.min(count, from + (this.#bitmap as Bitmap).moveTo(number));
      this.#kernel.exports.spillVerdicts(from, to, number);
      this.#told += to - from;
      from = to;
    }
    return true;
  }

  /** Whether the second reading had as many keys as the first. */
  get isWhole(): boolean {
    return this.#told === this.#scattered;
  }

  close(): void {
    this.#entries.close();
    this.#bitmap?.close();
  }

  #writeBuffer(partition: number): void {
    const { exports, bytes } = this.#kernel;
    const { buffersOffset, bufferBytes } = this.#layout;
    const fill = exports.spillFill(partition);
    if (fill === 0) return;
    const start = buffersOffset + partition * bufferBytes;
    const position = this.#entries.append(bytes.subarray(start, start + fill));
    (this.#blocks[partition] as Block[]).push({ position, bytes: fill });
    exports.spillEmpty(partition);
  }

  /** Settles a partition in as few parts as possible. Bits that were set before a part turned out too large remain right. */
  #settlePartition(blocks: readonly Block[], bitmap: Bitmap): void {
    const entries = blocks.reduce((sum, { bytes }) => sum + bytes / SPILL_ENTRY_BYTES, 0);
    if (entries === 0) return;
    // Room for all entries, at a load of seven eighths at most.
    const bits = Math.min(this.#layout.mostTableBits, Math.ceil(Math.log2((entries * 8) / 7 + 1)) + 1);
    while (!this.#settleParts(blocks, bitmap, bits)) this.#partBits++;
  }

  #settleParts(blocks: readonly Block[], bitmap: Bitmap, bits: number): boolean {
    const { exports } = this.#kernel;
    const { tableOffset } = this.#layout;
    for (let part = 0; part < 2 ** this.#partBits; part++) {
      exports.spillSettleBegin(tableOffset, bits, part, this.#partBits);
      const room = exports.spillRoom();
      if (!blocks.every((block) => this.#settleBlock(block, bitmap))) return false;
      this.#load = Math.max(this.#load, (room - exports.spillRoom()) / 2 ** bits);
    }
    return true;
  }

  /** False if the table has become full. */
  #settleBlock({ position, bytes }: Block, bitmap: Bitmap): boolean {
    const { exports, bytes: memory } = this.#kernel;
    const { blockOffset } = this.#layout;
    const block = memory.subarray(blockOffset, blockOffset + bytes);
    if (this.#entries.read(block, position) < bytes) throw new Error('the file of entries became shorter');
    const view = new DataView(block.buffer, block.byteOffset, bytes);
    const count = bytes / SPILL_ENTRY_BYTES;
    for (let settled = 0; ; ) {
      settled += exports.spillSettle(blockOffset + settled * SPILL_ENTRY_BYTES, count - settled);
      if (settled === count) return true;
      if (exports.spillRoom() === 0) return false;
      bitmap.moveTo(numberOf(view, settled));
    }
  }
}

/** The number of the key of an entry. */
function numberOf(view: DataView, entry: number): number {
  const second = view.getBigUint64(entry * SPILL_ENTRY_BYTES + SPILL_ENTRY_BYTES / 2, true);
  return Number(BigInt.asUintN(SPILL_NUMBER_BITS, second));
}
