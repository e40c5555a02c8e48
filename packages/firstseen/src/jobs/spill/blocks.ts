// A file of blocks. Each block was a buffer of the kernel, of a partition or of a range of numbers.

import { SpillFile } from '../../io/file/spillfile.js';
import type { Kernel } from '../../kernel/kernel.js';

/** A part of the file, written at once. */
export interface Block {
  position: number;
  bytes: number;
}

/** The place of the buffers in the memory of the kernel. */
export interface Buffers {
  offset: number;
  bufferBytes: number;
  count: number;
}

export class BlockFile {
  readonly #kernel: Kernel;
  readonly #buffers: Buffers;
  readonly #file: SpillFile;
  readonly #blocks: Block[][];

  /** @throws FirstseenError E_SPILL when no file can be created in the folder. */
  constructor(kernel: Kernel, buffers: Buffers, folder: string) {
    this.#kernel = kernel;
    this.#buffers = buffers;
    this.#file = new SpillFile(folder);
    this.#blocks = Array.from({ length: buffers.count }, () => []);
  }

  get bytes(): number {
    return this.#file.bytes;
  }

  get writtenBytes(): number {
    return this.#file.writtenBytes;
  }

  /** The blocks of each buffer, in the order in which they were written. */
  get blocks(): readonly (readonly Block[])[] {
    return this.#blocks;
  }

  /** Writes the buffer that has no room. */
  writeFull(): void {
    this.#write(this.#kernel.exports.spillFullBuffer());
  }

  /** Writes all buffers that have anything. */
  writeAll(): void {
    for (const buffer of this.#blocks.keys()) this.#write(buffer);
  }

  /** Reads a block to an address of the kernel. */
  read({ position, bytes }: Block, address: number): void {
    const target = this.#kernel.bytes.subarray(address, address + bytes);
    if (this.#file.read(target, position) < bytes) throw new Error('a file of blocks became shorter');
  }

  close(): void {
    this.#file.close();
  }

  #write(buffer: number): void {
    const { exports, bytes } = this.#kernel;
    const { offset, bufferBytes } = this.#buffers;
    const fill = exports.spillFill(buffer);
    if (fill === 0) return;
    const start = offset + buffer * bufferBytes;
    const position = this.#file.append(bytes.subarray(start, start + fill));
    (this.#blocks[buffer] as Block[]).push({ position, bytes: fill });
    exports.spillEmpty(buffer);
  }
}
