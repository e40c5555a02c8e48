// A kernel that frames records and hashes their keys, next to that of a detector in another kernel.

import type { DetectorSettings } from '../detectors/settings.js';
import { BATCH_CAPACITY, CACHE_LINE_BYTES, LAYOUT_CLASSIC, SCAN_SPARE_BYTES, SECRET_OFFSET } from '../kernel/abi.js';
import { Kernel, wholeCacheLines } from '../kernel/kernel.js';
import { equalKeyIn } from '../kernel/keytext.js';
import { wholeKernel } from '../kernel/wholekernel.js';
import type { ScratchRegion } from '../records/settings.js';

export interface ScannerOptions {
  /** Records that are not longer are taken as a whole. */
  maxRecordBytes: number;
  /** The most bytes of input that are added at a time. */
  pieceBytes: number;
  /** Bytes for decoded and composite keys. */
  scratchBytes: number;
  /** The module of the kernel; by default the library compiles it. */
  module?: WebAssembly.Module | undefined;
}

export interface Scanner {
  readonly kernel: Kernel;
  /** The address of the input, and of a region with room for all of it and for a line end after each record. */
  readonly input: number;
  readonly output: number;
  readonly scratch: ScratchRegion;
}

/** @throws FirstseenError E_MEMORY when the machine does not grant the memory */
export async function openScanner(options: ScannerOptions): Promise<Scanner> {
  const { maxRecordBytes, pieceBytes, scratchBytes, module } = options;
  const inputBytes = wholeCacheLines(maxRecordBytes + pieceBytes + SCAN_SPARE_BYTES);
  const scratch = wholeCacheLines(scratchBytes + SCAN_SPARE_BYTES);
  const outputBytes = wholeCacheLines(inputBytes + BATCH_CAPACITY);
  const kernel = await Kernel.create({
    cellsBytes: CACHE_LINE_BYTES,
    regionBytes: inputBytes + outputBytes + scratch,
    equalKeyIn,
    module: module ?? (await wholeKernel()),
  });
  const input = kernel.regionOffset;
  const output = input + inputBytes;
  return { kernel, input, output, scratch: { offset: output + outputBytes, bytes: scratch } };
}

/** Makes the fingerprints of a scanner those of a detector: its seed and its secret. */
export function hashAs({ kernel }: Scanner, { seed, secret }: Pick<DetectorSettings, 'seed' | 'secret'>): void {
  kernel.writeParameters({ layout: LAYOUT_CLASSIC, seed, isKeyed: secret !== undefined });
  secret?.copyTo(kernel.bytes, SECRET_OFFSET);
}
