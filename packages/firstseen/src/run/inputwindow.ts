// A window into which a file or pipe is read without a copy, while the kernel works on what is there.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { ByteWindow } from '../framing/window.js';
import type { InputReader } from '../io/source.js';
import type { Kernel } from '../kernel/kernel.js';

/**
 * The memory that an input is read to, in turn: two or more parts, each with room for what is left of the part before
 * in front of what is read.
 */
export interface InputRegion {
  parts: readonly number[];
  /** Bytes of a part in front of what is read first. */
  roomBytes: number;
  /** Bytes of a part from there on, at least two chunks. */
  readBytes: number;
  /** Bytes per read. */
  chunkBytes: number;
}

/** Bytes of a part. */
export function partBytes({ roomBytes, readBytes }: Pick<InputRegion, 'roomBytes' | 'readBytes'>): number {
  return roomBytes + readBytes;
}

/** A read that ends within this time counts as soon. */
const SOON_MILLISECONDS = 2;

/** Tells if a promise is settled soon. */
export async function isSoon(settled: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, SOON_MILLISECONDS, false);
  });
  try {
    return await Promise.race([settled.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface InputWindowOptions {
  kernel: Kernel;
  region: InputRegion;
  reader: Pick<InputReader, 'read' | 'isContinued'>;
  /** True if an unfinished last record waits for its end, which a later run reads. */
  mayGrow: boolean;
}

export class InputWindow extends ByteWindow {
  readonly #kernel: Kernel;
  readonly #region: InputRegion;
  readonly #reader: InputWindowOptions['reader'];
  readonly #mayGrow: boolean;
  /** The part with the window. */
  #part = 0;
  /** The read in progress and its address. */
  #reading: { bytes: Promise<number>; at: number } | undefined;

  constructor({ kernel, region, reader, mayGrow }: InputWindowOptions) {
    super(readStart(region, 0));
    this.#kernel = kernel;
    this.#region = region;
    this.#reader = reader;
    this.#mayGrow = mayGrow;
  }

  override get endsRecord(): boolean {
    return this.isFinal && !this.#mayGrow && !this.#reader.isContinued;
  }

  /** Starts the next read, unless a read is in progress or the input has ended. */
  startReading(): void {
    if (this.#reading || this.isFinal) return;
    const at = this.#readsOn ? this.end : readStart(this.#region, this.#nextPart);
    const bytes = this.#reader.read(this.#kernel.bytes.subarray(at, at + this.#region.chunkBytes));
    // `settle` reports an error of the read. This handler prevents an unhandled rejection before that.
    bytes.catch(() => undefined);
    this.#reading = { bytes, at };
  }

  /** True if less than half of a read is left. */
  get isShort(): boolean {
    return this.end - this.start < this.#region.chunkBytes / 2;
  }

  /**
   * Takes the current read into the window if it arrives soon. An error of the read is left to `settle`.
   * @param work called while the read has not arrived; false if there is nothing to do
   */
  async takeSoon(work: () => boolean): Promise<void> {
    const reading = this.#reading;
    if (!reading) return;
    let isSettled = false;
    const settled = reading.bytes.finally(() => {
      isSettled = true;
    });
    settled.catch(() => undefined);
    do await nextTurn();
    while (!isSettled && work());
    if (await isSoon(settled).catch(() => false)) await this.settle();
  }

  /** Waits for the current read; resolves when its bytes are in the window. */
  async settle(): Promise<void> {
    const reading = this.#reading;
    if (!reading) return;
    const bytes = await reading.bytes;
    if (this.#reading !== reading) return;
    this.#reading = undefined;
    if (reading.at !== this.end) this.#moveBefore(reading.at);
    this.end += bytes;
    this.isFinal = bytes === 0;
  }

  /**
   * True if the next read goes to the memory after the window. Otherwise it goes to the next part, and what is left of the window
   * is moved there when it arrives. After a short read, as from a pipe, what is left may be most of what was read, so it stays.
   */
  get #readsOn(): boolean {
    const { chunkBytes, readBytes } = this.#region;
    return this.isShort && this.end + chunkBytes <= readStart(this.#region, this.#part) + readBytes;
  }

  get #nextPart(): number {
    return (this.#part + 1) % this.#region.parts.length;
  }

  /** Moves the window to the next part, to end at an address there. */
  #moveBefore(at: number): void {
    this.moveTo(this.#kernel, at - (this.end - this.start));
    this.#part = this.#nextPart;
  }
}

/** The address in a part of what is read first. */
function readStart({ parts, roomBytes }: InputRegion, part: number): number {
  return (parts[part] as number) + roomBytes;
}
