// One bit for each key: whether its record is the one of its value that is kept. A part of the bitmap is in kernel memory. If that
// part does not cover all keys, the others are in a file.

import { SpillFile } from '../../io/file/spillfile.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { BitmapLayout } from './layout.js';

const BITS_PER_BYTE = 8;

export class Bitmap {
  readonly #kernel: Kernel;
  readonly #numbers: number;
  readonly #window: Uint8Array<ArrayBuffer>;
  readonly #folder: string;
  #file: SpillFile | undefined;
  /** The index of the part in memory. */
  #index = 0;
  #isWritable = true;

  /** Clears the bitmap. */
  constructor(kernel: Kernel, { windowOffset, windowNumbers }: BitmapLayout, folder: string) {
    this.#kernel = kernel;
    this.#numbers = windowNumbers;
    this.#folder = folder;
    this.#window = kernel.bytes.subarray(windowOffset, windowOffset + windowNumbers / BITS_PER_BYTE);
    this.#window.fill(0);
  }

  get writtenBytes(): number {
    return this.#file?.writtenBytes ?? 0;
  }

  /**
   * Brings the part with this key into memory, and makes it that of the kernel; returns how many keys of it there are from this key
   * on.
   */
  moveTo(number: number): number {
    const index = Math.floor((number - 1) / this.#numbers);
    if (index !== this.#index) {
      this.#write();
      this.#index = index;
      const readBytes = this.#file?.read(this.#window, index * this.#window.length) ?? 0;
      this.#window.fill(0, readBytes);
    }
    this.#kernel.exports.spillWindow(this.#window.byteOffset, index * this.#numbers + 1, this.#numbers);
    return (index + 1) * this.#numbers + 1 - number;
  }

  /** Ends the setting of bits. */
  finish(): void {
    if (this.#file) this.#write();
    this.#isWritable = false;
  }

  close(): void {
    this.#file?.close();
  }

  #write(): void {
    if (!this.#isWritable) return;
    this.#file ??= new SpillFile(this.#folder);
    this.#file.write(this.#window, this.#index * this.#window.length);
  }
}
