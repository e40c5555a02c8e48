// Settles partitions, one after the other: finds the record of each key that is kept, and how often the key occurs.

import { assertInvariant } from '../../base/invariant.js';
import { RANKED_ENTRY_BYTES, SPILL_ENTRY_BYTES, SPILL_NUMBER_BITS } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { Bitmap } from './bitmap.js';
import type { Block, BlockFile } from './blocks.js';
import type { Counts } from './counts.js';
import { COUNT_BYTES, type SpillLayout } from './layout.js';
import type { Choice, SpillRequest } from './request.js';

export interface SettlingRequest extends SpillRequest {
  entries: BlockFile;
  /** The number of keys. */
  numbers: number;
  /** True if only the first entry of each key is needed. */
  isPlain: boolean;
  kept: Bitmap;
  chosen: Bitmap | undefined;
  counts: Counts | undefined;
}

const ANY: Choice = { least: 0, most: Number.POSITIVE_INFINITY };

export class Settling {
  readonly #kernel: Kernel;
  readonly #layout: SpillLayout;
  readonly #request: SettlingRequest;
  /** A partition is settled in 2^partBits parts. */
  #partBits = 0;
  /** The largest share of the slots of a table that was in use. */
  load = 0;

  constructor(kernel: Kernel, layout: SpillLayout, request: SettlingRequest) {
    this.#kernel = kernel;
    this.#layout = layout;
    this.#request = request;
  }

  /** The number of parts in which the last partition was settled. */
  get parts(): number {
    return 2 ** this.#partBits;
  }

  /**
   * Settles a partition in as few parts as possible. Bits that were set, and counts that were written, before a part turned out too
   * large remain right.
   */
  take(blocks: readonly Block[]): void {
    const entryBytes = this.#isRanked ? RANKED_ENTRY_BYTES : SPILL_ENTRY_BYTES;
    // Entries with ranks are longer than this, so there are fewer.
    const entries = blocks.reduce((sum, { bytes }) => sum + bytes / entryBytes, 0);
    if (entries === 0) return;
    // Room for all entries, at a load of seven eighths at most.
    const bits = Math.min(this.#layout.maxTableBits, Math.ceil(Math.log2((entries * 8) / 7 + 1)) + 1);
    while (!this.#settleParts(blocks, bits)) this.#partBits++;
  }

  get #isRanked(): boolean {
    return this.#request.keep.field !== undefined;
  }

  #settleParts(blocks: readonly Block[], bits: number): boolean {
    const { exports } = this.#kernel;
    const { tableOffset } = this.#layout;
    for (let part = 0; part < 2 ** this.#partBits; part++) {
      exports.spillSettleBegin(tableOffset, bits, part, this.#partBits);
      if (!this.#request.isPlain) this.#beginTally(bits);
      const room = exports.spillRoom();
      if (!blocks.every((block) => this.#settleBlock(block))) return false;
      if (!this.#request.isPlain) this.#endPart(2 ** bits);
      this.load = Math.max(this.load, (room - exports.spillRoom()) / 2 ** bits);
    }
    return true;
  }

  /** Places what a table of 2^bits slots has besides its entries. */
  #beginTally(bits: number): void {
    const { tableOffset, end } = this.#layout;
    const { keep, choice, isCounting } = this.#request;
    const tableEnd = tableOffset + SPILL_ENTRY_BYTES * 2 ** bits;
    const hasCounts = choice !== undefined || isCounting;
    this.#kernel.exports.tallyBegin(hasCounts ? tableEnd : 0, keep.rule === 'last');
    const countsEnd = tableEnd + (hasCounts ? COUNT_BYTES * 2 ** bits : 0);
    if (this.#isRanked) this.#kernel.exports.bestBegin(countsEnd, end, keep.rule === 'min');
  }

  /** Takes a part from the table, after its last entry. */
  #endPart(slots: number): void {
    const { kept, chosen, choice, counts } = this.#request;
    this.#mark(kept, ANY);
    if (chosen && choice) this.#mark(chosen, choice);
    counts?.scatter(slots);
  }

  /** Sets the bits of the records of keys that occur so often. */
  #mark(bitmap: Bitmap, { least, most }: Choice): void {
    const { numbers } = this.#request;
    for (let number = 1; number <= numbers; ) {
      const covered = bitmap.moveTo(number);
      this.#kernel.exports.tallyMark(least, most);
      number += covered;
    }
  }

  /** Settles a block; returns false if the table has become full. */
  #settleBlock(block: Block): boolean {
    const { exports } = this.#kernel;
    const { blockOffset } = this.#layout;
    const count = block.bytes / SPILL_ENTRY_BYTES;
    this.#request.entries.read(block, blockOffset);
    if (this.#isRanked) return Boolean(exports.bestSettle(blockOffset, block.bytes));
    if (!this.#request.isPlain) return exports.tallySettle(blockOffset, count) === count;
    for (let settledEntries = 0; ; ) {
      this.#request.kept.moveTo(this.#numberOf(blockOffset + settledEntries * SPILL_ENTRY_BYTES));
      settledEntries += exports.spillSettle(blockOffset + settledEntries * SPILL_ENTRY_BYTES, count - settledEntries);
      if (settledEntries === count) return true;
      if (exports.spillRoom() === 0) return false;
    }
  }

  /**
   * The number of the key of the entry at an address.
   * @throws FirstseenError E_INVARIANT unless it is one of the run: the bit of its record would be in no bitmap, and the record be lost
   */
  #numberOf(address: number): number {
    const view = new DataView(this.#kernel.bytes.buffer, address + SPILL_ENTRY_BYTES / 2);
    const number = Number(BigInt.asUintN(SPILL_NUMBER_BITS, view.getBigUint64(0, true)));
    const { numbers } = this.#request;
    assertInvariant(number >= 1 && number <= numbers, 'an entry has the number of a key', { number, numbers });
    return number;
  }
}
