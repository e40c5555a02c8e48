// How often each key occurs. Settling scatters the counts over ranges of numbers. The second reading has the counts of one range at
// a time in memory.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { TALLY_PAIR_BYTES } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import { BlockFile } from './blocks.js';
import type { CountsLayout } from './layout.js';

/** Writes that are smaller take longer than everything else. */
const MIN_BUFFER_BYTES = 64;
const MAX_BUFFER_BYTES = 2 ** 20;

/** @throws FirstseenError E_MEMORY when the memory is too small for so many records. */
function bufferBytesFor(bytes: number, ranges: number): number {
  const each = Math.floor(bytes / ranges) - Uint32Array.BYTES_PER_ELEMENT;
  const whole = Math.min(MAX_BUFFER_BYTES, Math.floor(each / TALLY_PAIR_BYTES) * TALLY_PAIR_BYTES);
  if (whole >= MIN_BUFFER_BYTES) return whole;
  throw new FirstseenError('E_MEMORY', 'the memory is too small for the counts of so many records', {
    option: 'memory',
    remedy: phrase`give more ${optionName('memory')}`,
  });
}

export class Counts {
  readonly #kernel: Kernel;
  readonly #layout: CountsLayout;
  readonly #file: BlockFile;
  readonly #window: Float64Array;
  /** The range in memory; -1 before the first. */
  #range = -1;

  /** Begins the scattering of the counts of keys numbered up to `numbers`. @throws FirstseenError E_MEMORY or E_SPILL */
  constructor(kernel: Kernel, layout: CountsLayout, { folder, numbers }: { folder: string; numbers: number }) {
    const { buffersOffset, buffersBytes, windowOffset, windowNumbers } = layout;
    const count = Math.max(1, Math.ceil(numbers / windowNumbers));
    const bufferBytes = bufferBytesFor(buffersBytes, count);
    kernel.exports.spillBuffers(count, buffersOffset, bufferBytes);
    this.#kernel = kernel;
    this.#layout = layout;
    this.#file = new BlockFile(kernel, { offset: buffersOffset, bufferBytes, count }, folder);
    this.#window = new Float64Array(kernel.bytes.buffer, windowOffset, windowNumbers);
  }

  get writtenBytes(): number {
    return this.#file.writtenBytes;
  }

  /** Scatters the counts in a table of so many slots. */
  scatter(slots: number): void {
    const { windowNumbers } = this.#layout;
    for (let from = 0; ; ) {
      from = this.#kernel.exports.tallyScatter(from, windowNumbers);
      if (from === slots) return;
      this.#file.writeFull();
    }
  }

  /** Ends the scattering. */
  finish(): void {
    this.#file.writeAll();
  }

  /** Copies the counts of the keys from this number on to `target`; 0 for those without one. */
  copyTo(target: Float64Array, number: number): void {
    const { windowNumbers } = this.#layout;
    for (let copiedCounts = 0; copiedCounts < target.length; ) {
      const at = number - 1 + copiedCounts;
      this.#moveTo(Math.floor(at / windowNumbers));
      const start = at % windowNumbers;
      const partCounts = Math.min(target.length - copiedCounts, windowNumbers - start);
      target.set(this.#window.subarray(start, start + partCounts), copiedCounts);
      copiedCounts += partCounts;
    }
  }

  close(): void {
    this.#file.close();
  }

  #moveTo(range: number): void {
    if (range === this.#range) return;
    this.#range = range;
    this.#window.fill(0);
    const { blockOffset, windowOffset } = this.#layout;
    for (const block of this.#file.blocks[range] ?? []) {
      this.#file.read(block, blockOffset);
      this.#kernel.exports.tallySpread(blockOffset, block.bytes / TALLY_PAIR_BYTES, windowOffset);
    }
  }
}
