// The part of an input that is in kernel memory: bytes that are not framed yet, and after them the next read, which proceeds while
// the kernel works.

import type { Kernel } from '../../kernel/kernel.js';
import { CHUNK_BYTES, type Region } from '../regions.js';
import type { InputReader } from './contract.js';

/** The remaining bytes are moved to the start of the region when this many unused bytes precede them. */
const MOST_UNUSED_BYTES = 2 * CHUNK_BYTES;

export class InputWindow {
  /** Address after the last byte read. */
  end: number;
  /** Bytes after `start` in which no end of the first record was found. */
  searchedBytes = 0;
  /** Whether the input has ended, so that the window holds the rest of it. */
  isFinal = false;
  readonly #kernel: Kernel;
  readonly #region: Region;
  readonly #reader: InputReader;
  readonly #mayGrow: boolean;
  #start: number;
  #reading: Promise<number> | undefined;

  /** @param mayGrow whether an unfinished last record waits for its end, which a later run reads */
  constructor(kernel: Kernel, region: Region, reader: InputReader, mayGrow: boolean) {
    this.#kernel = kernel;
    this.#region = region;
    this.#reader = reader;
    this.#mayGrow = mayGrow;
    this.#start = region.offset;
    this.end = region.offset;
  }

  /** Address of the first byte not yet framed. */
  get start(): number {
    return this.#start;
  }

  /** Whether the end of the window ends a record. */
  get endsRecord(): boolean {
    return this.isFinal && !this.#mayGrow && !this.#reader.isContinued;
  }

  /** Discards everything before the address. */
  advance(start: number): void {
    this.#start = start;
    this.searchedBytes = 0;
  }

  /** Starts the next read after the bytes in the window, unless a read is in progress or the input has ended. */
  startReading(): void {
    if (this.#reading || this.isFinal) return;
    this.#makeRoom();
    const reading = this.#reader.read(this.#kernel.bytes.subarray(this.end, this.end + CHUNK_BYTES));
    // `settle` reports an error of the read. This handler prevents an unhandled rejection before that.
    reading.catch(() => undefined);
    this.#reading = reading;
  }

  /** Waits for the current read; resolves when its bytes are in the window. */
  async settle(): Promise<void> {
    if (!this.#reading) return;
    const bytes = await this.#reading;
    if (!this.#reading) return;
    this.#reading = undefined;
    this.end += bytes;
    this.isFinal = bytes === 0;
  }

  #makeRoom(): void {
    const { offset, bytes } = this.#region;
    const isFull = this.end + CHUNK_BYTES > offset + bytes;
    if (!isFull && this.start - offset < MOST_UNUSED_BYTES) return;
    this.#kernel.bytes.copyWithin(offset, this.start, this.end);
    this.end -= this.start - offset;
    this.#start = offset;
  }
}
