// Kernels whose memory has the homes of many detectors with the same settings, one after the other. A home has the cells of its
// detector, its witness and its registers. One of the detectors of a kernel is the current one, whose registers the kernel has.

import { closedError, shownValue } from '../base/errors.js';
import { Detector } from '../detectors/detector.js';
import { type DetectorOrigin, FamilyKernel, type Home } from '../detectors/home.js';
import { MAX_KEY_BYTES } from '../detectors/host.js';
import { type DetectorSettings, kernelSizes } from '../detectors/settings.js';
import { DYNAMIC_OFFSET, REGISTERS_BYTES } from '../kernel/abi.js';
import { Kernel, type KernelParts, MAX_MEMORY_BYTES, wholeCacheLines } from '../kernel/kernel.js';
import { checksumIn } from '../snapshot/checksum.js';
import type { Checksum } from '../snapshot/frame.js';
import type { Recency, RecencyEntry } from './recency.js';

/** Bytes after the homes, for a key. Memory is used only up to the longest key. */
const REGION_BYTES = MAX_KEY_BYTES;

/** The most bytes of homes that one kernel can have. */
export const MAX_HOMES_BYTES = MAX_MEMORY_BYTES - DYNAMIC_OFFSET - REGION_BYTES;

/** The parts of a home, one after the other: the cells, the witness and the registers. */
export interface HomeLayout {
  bytes: number;
  cellsBytes: number;
  witnessBytes: number;
  /** The offset from the beginning of the home. */
  registersOffset: number;
}

export function homeLayout(settings: DetectorSettings): HomeLayout {
  const { cellsBytes, witnessBytes } = kernelSizes(settings);
  const registersOffset = wholeCacheLines(cellsBytes) + wholeCacheLines(witnessBytes);
  return { bytes: registersOffset + REGISTERS_BYTES, cellsBytes, witnessBytes, registersOffset };
}

function partsAt(offset: number, { cellsBytes, witnessBytes }: HomeLayout): KernelParts {
  return { cellsOffset: offset, cellsBytes, witnessOffset: offset + wholeCacheLines(cellsBytes), witnessBytes };
}

export interface PoolKernelOptions {
  settings: DetectorSettings;
  /** The number of homes. */
  homes: number;
  host: HomeHost;
}

/** The home of a detector of a pool. */
export class PooledHome implements Home, RecencyEntry {
  readonly name: string;
  readonly detector: Detector;
  older: this | undefined;
  newer: this | undefined;
  /** The reason why the detector cannot be used; undefined as long as it can. */
  #ending: string | undefined;
  /** The kernel. It is undefined when the detector has ended, so that a detector that is kept does not keep the memory. */
  #kernel: PoolKernel | undefined;
  readonly #offset: number;

  constructor({ name, settings, origin, kernel, offset }: PooledHomeOptions) {
    this.name = name;
    this.#kernel = kernel;
    this.#offset = offset;
    this.older = undefined;
    this.newer = undefined;
    this.detector = Detector.inHome(settings, this, origin);
  }

  enter(): FamilyKernel {
    if (this.#kernel && this.#ending === undefined) return this.#kernel.enter(this, this.#offset);
    const problem = `the detector ${shownValue(this.name)} ${this.#ending}`;
    throw closedError(problem, 'get it from the pool for each use');
  }

  /** Takes the detector out of its pool. */
  close(): void {
    this.#kernel?.host.remove(this);
  }

  /** Refuses the detector for this reason, until `resume`. */
  suspend(ending: string): void {
    this.#ending = ending;
  }

  /** Allows the detector again. */
  resume(): void {
    this.#ending = undefined;
  }

  /** Refuses the detector from now on, for this reason. */
  end(ending: string): void {
    this.#ending = ending;
    this.#kernel = undefined;
  }

  /** Frees the memory for another detector. */
  free(): void {
    this.#kernel?.free(this, this.#offset);
  }
}

interface PooledHomeOptions {
  name: string;
  settings: DetectorSettings;
  origin: DetectorOrigin;
  kernel: PoolKernel;
  offset: number;
}

/** The services of a pool for its homes. */
export interface HomeHost {
  readonly recency: Recency<PooledHome>;
  remove(home: PooledHome): void;
}

/** A kernel with a number of homes. */
export class PoolKernel {
  readonly host: HomeHost;
  readonly #family: FamilyKernel;
  readonly #layout: HomeLayout;
  /** Addresses of homes that were freed, then the address after the last home that was taken, then the end of all homes. */
  readonly #freed: number[] = [];
  #next: number;
  readonly #end: number;
  #current: PooledHome | undefined;
  #currentOffset = 0;

  constructor(module: WebAssembly.Module, { settings, homes, host }: PoolKernelOptions) {
    this.host = host;
    this.#layout = homeLayout(settings);
    const homesBytes = homes * this.#layout.bytes;
    const kernel = Kernel.ofModule(module, { cellsBytes: homesBytes, regionBytes: REGION_BYTES });
    this.#next = kernel.cellsOffset;
    this.#end = this.#next + homesBytes;
    kernel.moveTo(partsAt(this.#next, this.#layout));
    this.#family = new FamilyKernel(kernel, settings);
  }

  /** Computes checksums. No detector changes. */
  get checksum(): Checksum {
    return checksumIn(this.#family.kernel);
  }

  /** The address of a home that no detector has, which is zero; undefined if there is none. */
  take(): number | undefined {
    const freed = this.#freed.pop();
    if (freed !== undefined || this.#next === this.#end) return freed;
    const offset = this.#next;
    this.#next += this.#layout.bytes;
    return offset;
  }

  free(home: PooledHome, offset: number): void {
    if (this.#current === home) this.#current = undefined;
    this.#family.kernel.bytes.fill(0, offset, offset + this.#layout.bytes);
    this.#freed.push(offset);
  }

  /** Makes the detector of a home the current one. */
  enter(home: PooledHome, offset: number): FamilyKernel {
    this.host.recency.use(home);
    if (this.#current !== home) this.#switchTo(home, offset);
    return this.#family;
  }

  #switchTo(home: PooledHome, offset: number): void {
    const { kernel } = this.#family;
    const { registersOffset } = this.#layout;
    if (this.#current) kernel.exports.homeLeave(this.#currentOffset + registersOffset);
    kernel.moveTo(partsAt(offset, this.#layout));
    kernel.exports.homeEnter(offset, offset + registersOffset);
    this.#family.configure();
    this.#current = home;
    this.#currentOffset = offset;
  }
}
