// A minimal host: feeds the kernel's scanner in pieces, keeps the unconsumed rest and moves it to the front.

import { readFileSync } from 'node:fs';
import { SECRET_OFFSET, SEED_HIGH_PARAMETER, SEED_LOW_PARAMETER } from '../../../src/kernel/abi.ts';
import { Kernel } from '../../../src/kernel/kernel.ts';
import { configureScan, type ScanSettings, scratchBytesFor } from '../../../src/records/settings.ts';

export interface ScannedRecord {
  start: number;
  end: number;
  class: number;
  fingerprint: bigint;
}

const MARGIN_BYTES = 64;

/** Bytes that fill the memory after the input. They would change every answer if they were read as input. */
const HOSTILE = '\n"\\,}{]\n';

export const kernelVariants = ['release', 'debug'] as const;
export type KernelVariant = (typeof kernelVariants)[number];

export interface HostOptions {
  seed?: bigint;
  /** The 16 bytes of the key of siphash. */
  secret?: Uint8Array;
  /** The number of bytes between the kernel's fixed addresses and the region that is scanned. */
  cellsBytes?: number;
}

export async function createKernel(
  variant: KernelVariant,
  regionBytes: number,
  { seed = 0n, secret, cellsBytes = 64 }: HostOptions = {},
): Promise<Kernel> {
  const file = new URL(`../../../build/kernel.${variant}.wasm`, import.meta.url);
  const module = await WebAssembly.compile(readFileSync(file));
  const kernel = await Kernel.create({ cellsBytes, regionBytes, module });
  kernel.parameters[SEED_LOW_PARAMETER] = Number(seed & 0xffffffffn);
  kernel.parameters[SEED_HIGH_PARAMETER] = Number(seed >> 32n);
  if (secret) kernel.bytes.set(secret, SECRET_OFFSET);
  return kernel;
}

export class ScanHost {
  readonly kernel: Kernel;
  readonly #inputBytes: number;

  private constructor(kernel: Kernel, inputBytes: number) {
    this.kernel = kernel;
    this.#inputBytes = inputBytes;
  }

  /** @param inputBytes the length of the longest input for `scan` */
  static async create(variant: KernelVariant, inputBytes: number, options?: HostOptions): Promise<ScanHost> {
    return new ScanHost(await createKernel(variant, 4 * inputBytes + 1024, options), inputBytes);
  }

  /** Scans an input in pieces that end at `cuts`, in ascending order. Positions are counted from the start of the input. */
  scan(input: Uint8Array, settings: ScanSettings, cuts: readonly number[] = []): ScannedRecord[] {
    const scratchOffset = this.kernel.regionOffset + this.#inputBytes + MARGIN_BYTES;
    configureScan(this.kernel, settings, { offset: scratchOffset, bytes: scratchBytesFor(settings) });
    const records: ScannedRecord[] = [];
    let consumed = 0;
    for (const cut of [...cuts, input.length]) {
      this.#place(input.subarray(consumed, cut));
      consumed += this.#scanRegion(cut - consumed, cut === input.length, consumed, records);
    }
    return records;
  }

  #place(bytes: Uint8Array): void {
    this.kernel.bytes.set(bytes, this.kernel.regionOffset);
    for (let i = 0; i < MARGIN_BYTES; i++) {
      this.kernel.bytes[this.kernel.regionOffset + bytes.length + i] = HOSTILE.charCodeAt(i % HOSTILE.length);
    }
  }

  /** Scans the region until no more records are found. Returns the number of bytes consumed. */
  #scanRegion(length: number, isFinal: boolean, inputStart: number, records: ScannedRecord[]): number {
    const base = this.kernel.regionOffset;
    const end = base + length;
    let position = base;
    let count: number;
    do {
      count = this.kernel.exports.scan(position, end, isFinal ? 1 : 0);
      const first = records.length;
      for (let i = 0; i < count; i++) records.push(this.#record(i, inputStart - base));
      const exceptions = records.slice(first).filter((record) => record.class !== 0).length;
      if (this.kernel.exports.scanExceptions() !== exceptions) throw new Error('scanExceptions miscounts');
      position = this.kernel.exports.scanPosition() >>> 0;
    } while (count > 0);
    return position - base;
  }

  #record(i: number, shift: number): ScannedRecord {
    return {
      start: (this.kernel.recordStarts[i] ?? 0) + shift,
      end: (this.kernel.recordEnds[i] ?? 0) + shift,
      class: this.kernel.recordClasses[i] ?? 0,
      fingerprint: this.kernel.fingerprints[i] ?? 0n,
    };
  }
}
