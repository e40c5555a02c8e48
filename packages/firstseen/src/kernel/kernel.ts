// The only code that holds views of kernel memory. A kernel is one instance of the module, with a memory of fixed size: it never
// grows, so a view never detaches.

import { formatCounted } from '../base/count.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import {
  BATCH_CAPACITY,
  CACHE_LINE_BYTES,
  CELLS_BYTES_PARAMETER,
  CELLS_OFFSET_PARAMETER,
  DYNAMIC_OFFSET,
  FINGERPRINTS_OFFSET,
  KEYED_PARAMETER,
  type KernelExports,
  LAYOUT_PARAMETER,
  PARAMETER_SLOTS,
  PARAMETERS_OFFSET,
  RECORD_CLASSES_OFFSET,
  RECORD_ENDS_OFFSET,
  RECORD_STARTS_OFFSET,
  REGISTER_COUNT,
  REGISTERS_OFFSET,
  SCAN_BYTES,
  SCAN_OFFSET,
  SEED_HIGH_PARAMETER,
  SEED_LOW_PARAMETER,
  TIMES_OFFSET,
  VERDICTS_OFFSET,
} from './abi.js';
import { detectorKernel } from './detectorkernel.js';
import type { EqualKey } from './keytext.js';
import type { KernelParameter } from './parameter.js';

const PAGE_BYTES = 65536;
/** The largest memory that 32-bit WebAssembly can address, less the last page, which V8 does not grant. */
const MAXIMUM_PAGES = 65535;
export const MAX_MEMORY_BYTES = MAXIMUM_PAGES * PAGE_BYTES;

export interface KernelOptions {
  /** Bytes of the detector's cells; a multiple of 8. */
  cellsBytes: number;
  /** Bytes after the cells for the registers of partitions; none by default. */
  partitionsBytes?: number;
  /** Bytes of the witness after those; none by default. */
  witnessBytes?: number;
  /** Bytes after those for the host's own regions (input, output). */
  regionBytes?: number;
  /** Another build of the module, such as the whole one; by default that with the functions of detectors alone. */
  module?: WebAssembly.Module;
  /** Memory shared with kernels in other threads, created by `sharedMemory` with the same sizes; its own memory by default. */
  memory?: WebAssembly.Memory;
  /** Address of what is at fixed addresses otherwise, for a kernel in a memory that threads share; 0 by default. */
  threadBase?: number;
  /** Makes keys equal by rules (keytext.ts), for a kernel that scans records. */
  equalKeyIn?: (memory: WebAssembly.Memory) => EqualKey;
}

/** The places and sizes of the cells and of the witness in the memory. */
export type KernelParts = Pick<Kernel<unknown>, 'cellsOffset' | 'cellsBytes' | 'witnessOffset' | 'witnessBytes'>;

export interface SharedParameters {
  /** LAYOUT_CLASSIC or LAYOUT_BLOCKED. */
  layout: number;
  /** 0 to 2^64 - 1. */
  seed: bigint;
  /** True if the memory contains a secret. */
  isKeyed: boolean;
}

function noEqualKey(): never {
  throw new Error('this kernel has no rules of equal keys');
}

function importsOf(
  memory: WebAssembly.Memory,
  { threadBase = 0, equalKeyIn = () => noEqualKey }: KernelOptions,
): WebAssembly.Imports {
  return { env: { memory, abort }, equal: { equalKey: equalKeyIn(memory) }, memory: { importedBase: threadBase } };
}

/** Kernels of this process that are in use, for the message when there are too many. */
let kernelCount = 0;
/** Made with the first kernel: not every host has the class. */
let discarded: FinalizationRegistry<undefined> | undefined;

function counted<Counted extends object>(kernel: Counted): Counted {
  if (typeof FinalizationRegistry === 'undefined') return kernel;
  discarded ??= new FinalizationRegistry(() => {
    kernelCount--;
  });
  kernelCount++;
  discarded.register(kernel, undefined);
  return kernel;
}

function abort(_message: number, _file: number, line: number, column: number): never {
  throw new Error(`kernel assertion failed at ${line}:${column}`);
}

/** A kernel. `Exports` are the exports of the module, if it is not the default one. */
export class Kernel<Exports = KernelExports> {
  cellsOffset: number;
  cellsBytes: number;
  /** Address of the registers of partitions. */
  readonly partitionsOffset: number;
  witnessOffset: number;
  witnessBytes: number;
  /** Address of the host's regions. */
  readonly regionOffset: number;
  readonly batchCapacity: number;
  /** The whole memory, as bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly parameters: Float64Array<ArrayBuffer>;
  /** The numbers that change outside the cells, in 64-bit registers. */
  readonly registers: BigUint64Array<ArrayBuffer>;
  readonly fingerprints: BigUint64Array<ArrayBuffer>;
  /** Addresses of the batch and of its verdicts. To ask an array for its offset takes longer than to read these. */
  readonly fingerprintsOffset: number;
  readonly verdictsOffset: number;
  /** The same memory, for scans that write the start and end address of each key. */
  readonly spans: Uint32Array<ArrayBuffer>;
  readonly verdicts: Uint8Array<ArrayBuffer>;
  /** The time of each element of the batch, in milliseconds since 1970. */
  readonly times: Float64Array<ArrayBuffer>;
  readonly recordStarts: Uint32Array<ArrayBuffer>;
  readonly recordEnds: Uint32Array<ArrayBuffer>;
  readonly recordClasses: Uint8Array<ArrayBuffer>;
  readonly scanSettings: Uint8Array<ArrayBuffer>;
  /** The module, for more kernels with memory of their own; undefined if it is built for memory that threads share. */
  readonly module: WebAssembly.Module | undefined;
  readonly #exports: Exports;

  private constructor(instance: WebAssembly.Instance, memory: WebAssembly.Memory, options: KernelOptions) {
    const { threadBase = 0 } = options;
    this.#exports = instance.exports as Exports;
    const buffer = memory.buffer as ArrayBuffer;
    this.batchCapacity = BATCH_CAPACITY;
    this.cellsOffset = DYNAMIC_OFFSET;
    this.cellsBytes = options.cellsBytes;
    this.partitionsOffset = this.cellsOffset + wholeCacheLines(options.cellsBytes);
    this.witnessOffset = this.partitionsOffset + wholeCacheLines(options.partitionsBytes ?? 0);
    this.witnessBytes = options.witnessBytes ?? 0;
    this.regionOffset = regionOffset(options);
    this.bytes = new Uint8Array(buffer);
    this.parameters = new Float64Array(buffer, threadBase + PARAMETERS_OFFSET, PARAMETER_SLOTS);
    this.registers = new BigUint64Array(buffer, threadBase + REGISTERS_OFFSET, REGISTER_COUNT);
    this.fingerprintsOffset = threadBase + FINGERPRINTS_OFFSET;
    this.verdictsOffset = threadBase + VERDICTS_OFFSET;
    this.fingerprints = new BigUint64Array(buffer, this.fingerprintsOffset, this.batchCapacity);
    this.spans = new Uint32Array(buffer, threadBase + FINGERPRINTS_OFFSET, 2 * this.batchCapacity);
    this.verdicts = new Uint8Array(buffer, this.verdictsOffset, this.batchCapacity);
    this.times = new Float64Array(buffer, threadBase + TIMES_OFFSET, this.batchCapacity);
    this.recordStarts = new Uint32Array(buffer, threadBase + RECORD_STARTS_OFFSET, this.batchCapacity);
    this.recordEnds = new Uint32Array(buffer, threadBase + RECORD_ENDS_OFFSET, this.batchCapacity);
    this.recordClasses = new Uint8Array(buffer, threadBase + RECORD_CLASSES_OFFSET, this.batchCapacity);
    this.scanSettings = new Uint8Array(buffer, threadBase + SCAN_OFFSET, SCAN_BYTES);
    this.module = options.memory ? undefined : options.module;
  }

  /**
   * @throws FirstseenError E_MEMORY when cells and regions together exceed what WebAssembly can address, or the machine does not
   * grant the memory.
   */
  static async create<Exports = KernelExports>(options: KernelOptions): Promise<Kernel<Exports>> {
    const module = options.module ?? (await detectorKernel());
    const memory = options.memory ?? allocate(kernelPages(options), false);
    const instance = await WebAssembly.instantiate(module, importsOf(memory, options)).catch((cause) => {
      throw instanceError(cause, options);
    });
    return counted(new Kernel<Exports>(instance, memory, { ...options, module }));
  }

  /** As `create`, at once, from a module that is compiled. @throws FirstseenError E_MEMORY as `create` does. */
  static ofModule<Exports = KernelExports>(module: WebAssembly.Module, options: KernelOptions): Kernel<Exports> {
    const memory = options.memory ?? allocate(kernelPages(options), false);
    try {
      const instance = new WebAssembly.Instance(module, importsOf(memory, options));
      return counted(new Kernel<Exports>(instance, memory, { ...options, module }));
    } catch (cause) {
      throw instanceError(cause, options);
    }
  }

  /** Makes other parts of the memory the cells and the witness, for a memory that has several detectors. */
  moveTo({ cellsOffset, cellsBytes, witnessOffset, witnessBytes }: KernelParts): void {
    this.cellsOffset = cellsOffset;
    this.cellsBytes = cellsBytes;
    this.witnessOffset = witnessOffset;
    this.witnessBytes = witnessBytes;
  }

  /** Writes the parameters that detectors, streams and range motifs share. */
  writeParameters({ layout, seed, isKeyed }: SharedParameters): void {
    const { parameters } = this;
    parameters[CELLS_OFFSET_PARAMETER] = this.cellsOffset;
    parameters[CELLS_BYTES_PARAMETER] = this.cellsBytes;
    parameters[LAYOUT_PARAMETER] = layout;
    parameters[SEED_LOW_PARAMETER] = Number(seed & 0xffffffffn);
    parameters[SEED_HIGH_PARAMETER] = Number(seed >> 32n);
    parameters[KEYED_PARAMETER] = isKeyed ? 1 : 0;
  }

  /** Writes the parameters of one family or stream. */
  setParameters(parameters: readonly KernelParameter[]): void {
    for (const [slot, value] of parameters) this.parameters[slot] = value;
  }

  /** The functions of the kernel. */
  get exports(): Exports {
    return this.#exports;
  }

  get cells(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(this.cellsOffset, this.cellsOffset + this.cellsBytes);
  }

  get witness(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(this.witnessOffset, this.witnessOffset + this.witnessBytes);
  }
}

/**
 * Pages of memory of such a kernel.
 * @throws FirstseenError E_MEMORY when they exceed what WebAssembly can address.
 */
export function kernelPages({
  cellsBytes,
  partitionsBytes = 0,
  witnessBytes = 0,
  regionBytes = 0,
}: KernelOptions): number {
  const besideBytes = wholeCacheLines(partitionsBytes) + wholeCacheLines(witnessBytes) + regionBytes;
  const pages = Math.ceil((DYNAMIC_OFFSET + wholeCacheLines(cellsBytes) + besideBytes) / PAGE_BYTES);
  if (pages > MAXIMUM_PAGES) {
    const withoutWitness = besideBytes - wholeCacheLines(witnessBytes);
    const maxBytes = MAX_MEMORY_BYTES - DYNAMIC_OFFSET - wholeCacheLines(cellsBytes) - withoutWitness;
    if (witnessBytes > maxBytes && maxBytes >= CACHE_LINE_BYTES) throw tooLargeWitness(witnessBytes, maxBytes);
    throw tooLarge(cellsBytes, besideBytes, regionBytes > 0);
  }
  return pages;
}

/** Address of the host's regions in such a kernel. */
export function regionOffset({ cellsBytes, partitionsBytes = 0, witnessBytes = 0 }: KernelOptions): number {
  return (
    DYNAMIC_OFFSET + wholeCacheLines(cellsBytes) + wholeCacheLines(partitionsBytes) + wholeCacheLines(witnessBytes)
  );
}

/**
 * Memory that kernels in several threads share. Their module must be built for shared memory.
 * @throws FirstseenError E_MEMORY as `Kernel.create` does.
 */
export function sharedMemory(options: KernelOptions): WebAssembly.Memory {
  return allocate(kernelPages(options), true);
}

export function wholeCacheLines(bytes: number): number {
  return Math.ceil(bytes / CACHE_LINE_BYTES) * CACHE_LINE_BYTES;
}

function tooLargeWitness(witnessBytes: number, maxBytes: number): FirstseenError {
  const maxText = formatCounted(maxBytes - (maxBytes % CACHE_LINE_BYTES), 'byte');
  return new FirstseenError(
    'E_MEMORY',
    phrase`${optionName('witness.memory')} is ${formatBytes(witnessBytes)}, but beside the detector there is room for at most ${maxText}`,
    {
      option: 'witness.memory',
      given: witnessBytes,
      expected: `at most ${maxText}`,
      remedy: phrase`give less ${optionName('witness.memory')}, or less ${optionName('memory')}`,
    },
  );
}

/** @param hasRecords true if records take a part of the memory */
function tooLarge(cellsBytes: number, besideBytes: number, hasRecords: boolean): FirstseenError {
  const maxBytes = Math.max(0, MAX_MEMORY_BYTES - DYNAMIC_OFFSET - besideBytes);
  return new FirstseenError(
    'E_MEMORY',
    `the detector takes ${formatBytes(cellsBytes)}, but 32-bit WebAssembly has 4GiB, of which input, output and witness take ${formatBytes(besideBytes)} and leave ${formatCounted(maxBytes, 'byte')}`,
    {
      option: 'memory',
      given: cellsBytes,
      expected: `at most ${formatCounted(maxBytes, 'byte')}`,
      remedy: phrase`give less ${optionName('memory')}, ${hasRecords ? 'allow shorter records, ' : ''}or split the stream by key`,
    },
  );
}

function allocate(pages: number, shared: boolean): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared });
  } catch (cause) {
    throw notGranted(pages * PAGE_BYTES, cause);
  }
}

/** The number of kernels from which on memory ends because of the address space that each kernel reserves. */
const MANY_KERNELS = 1000;

function notGranted(bytes: number, cause: unknown): FirstseenError {
  const problem = `the system did not grant ${formatBytes(bytes)} of memory`;
  if (kernelCount < MANY_KERNELS) {
    const remedy = phrase`give less ${optionName('memory')}`;
    return new FirstseenError('E_MEMORY', problem, { option: 'memory', given: bytes, remedy, cause });
  }
  const count = `this process has ${formatCounted(kernelCount, 'detector')}, each in a WebAssembly memory of its own`;
  return new FirstseenError('E_MEMORY', `${problem}: ${count}`, {
    remedy: 'keep small detectors together with createPool, or release some',
    cause,
  });
}

/** The error of an instance that was not created: a `RangeError` for want of memory or address space. */
function instanceError(cause: unknown, options: KernelOptions): unknown {
  return cause instanceof RangeError ? notGranted(kernelPages(options) * PAGE_BYTES, cause) : cause;
}
