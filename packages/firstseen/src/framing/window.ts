// The part of an input that is in kernel memory: bytes of which no record has been taken yet.

import { assertInvariant } from '../base/invariant.js';
import type { Kernel } from '../kernel/kernel.js';

export class ByteWindow {
  /** Address of the first byte. */
  start: number;
  /** Address after the last byte. */
  end: number;
  /** Bytes after `start` in which no end of the first record was found. */
  searchedBytes = 0;
  /** True if the input has ended, so that the window holds the rest of it. */
  isFinal = false;

  constructor(start: number) {
    this.start = start;
    this.end = start;
  }

  /** True if the end of the window ends a record. */
  get endsRecord(): boolean {
    return this.isFinal;
  }

  /**
   * Returns an address, such as the end of the records that are taken.
   * @throws FirstseenError E_INVARIANT unless it is in the window: bytes that were not read would count as taken
   */
  within(address: number): number {
    const { start, end } = this;
    assertInvariant(address >= start && address <= end, 'records end within what was read', { address, start, end });
    return address;
  }

  /** Discards everything before the address. @throws FirstseenError E_INVARIANT as `within` */
  advance(start: number): void {
    this.start = this.within(start);
    this.searchedBytes = 0;
  }

  /** Moves the bytes, so that they begin at the address. */
  protected moveTo(kernel: Kernel, start: number): void {
    kernel.bytes.copyWithin(start, this.start, this.end);
    this.end += start - this.start;
    this.start = start;
  }
}

/** A window into which chunks are copied. */
export class PushWindow extends ByteWindow {
  readonly #kernel: Kernel;
  readonly #offset: number;

  /** @param offset address of a region with room for what is left of the window and for the next chunk */
  constructor(kernel: Kernel, offset: number) {
    super(offset);
    this.#kernel = kernel;
    this.#offset = offset;
  }

  /** Appends a chunk. */
  push(bytes: Uint8Array): void {
    if (this.start > this.#offset) this.moveTo(this.#kernel, this.#offset);
    this.#kernel.bytes.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** Ends the input. */
  finish(): void {
    this.isFinal = true;
  }
}
