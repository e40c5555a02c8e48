// The part of an input that lies in kernel memory: bytes not yet framed, and the read that goes on behind them while the
// kernel works on them.

import type { Kernel } from '../../kernel/kernel.js';
import { CHUNK_BYTES, type Region } from '../regions.js';
import type { InputReader } from './contract.js';

/** Move what is left to the front once this much lies unused before it. */
const MOST_UNUSED_BYTES = 2 * CHUNK_BYTES;

export class Window {
  /** Address past the last byte read. */
  end: number;
  /** How far behind `start` the end of the first record was looked for in vain. */
  searchedBytes = 0;
  /** The input has ended; what is in the window is its rest. */
  isFinal = false;
  readonly #kernel: Kernel;
  readonly #region: Region;
  readonly #reader: InputReader;
  #start: number;
  #reading: Promise<number> | undefined;

  constructor(kernel: Kernel, region: Region, reader: InputReader) {
    this.#kernel = kernel;
    this.#region = region;
    this.#reader = reader;
    this.#start = region.offset;
    this.end = region.offset;
  }

  /** Address of the first byte not yet framed. */
  get start(): number {
    return this.#start;
  }

  /** Everything before the address is done with. */
  advance(start: number): void {
    this.#start = start;
    this.searchedBytes = 0;
  }

  /** Starts the next read behind the bytes at hand, unless one goes on or the input has ended. */
  startReading(): void {
    if (this.#reading || this.isFinal) return;
    this.#makeRoom();
    const reading = this.#reader.read(this.#kernel.bytes.subarray(this.end, this.end + CHUNK_BYTES));
    // Whoever waits for it meets its error; until then nobody may be there to hear it.
    reading.catch(() => undefined);
    this.#reading = reading;
  }

  /** The read that goes on; resolves when its bytes are part of the window. */
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
