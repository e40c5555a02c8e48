// The layout of a run's input and outputs in the kernel's memory, after the cells.

import { BATCH_CAPACITY, SCAN_SPARE_BYTES } from '../kernel/abi.js';
import { type Kernel, wholeLines } from '../kernel/kernel.js';
import { type ScanSettings, type ScratchRegion, scratchBytesFor, scratchBytesForSpans } from '../records/settings.js';

/** Bytes per read. */
export const CHUNK_BYTES = 2 ** 20;

export interface Region {
  offset: number;
  bytes: number;
}

export interface RegionPlan {
  input: Region;
  /** Two buffers for each output, so that one is filled while the other is written. */
  outputs: [Region, Region][];
  scratch: ScratchRegion;
  /** The address after the last region. */
  end: number;
}

export interface RegionRequest {
  regionOffset: number;
  scan: ScanSettings;
  outputCount: number;
}

/** Untouched memory costs only address space, so every region has the size of the worst case. */
export function planRegions({ regionOffset, scan, outputCount }: RegionRequest): RegionPlan {
  let next = regionOffset;
  const take = (bytes: number): Region => {
    const region = { offset: next, bytes };
    next += wholeLines(bytes + SCAN_SPARE_BYTES);
    return region;
  };
  const inputBytes = scan.maxRecordBytes + 4 * CHUNK_BYTES;
  // All records of a batch are in the input, and its verdicts take less than a chunk. A buffer is written as soon as it holds a
  // chunk. One byte more is for a missing newline.
  const outputBytes = inputBytes + CHUNK_BYTES + 1;
  const input = take(inputBytes);
  const outputs = Array.from({ length: outputCount }, (): [Region, Region] => [take(outputBytes), take(outputBytes)]);
  const scratch = take(
    scan.fingerprint === 'spans' ? scratchBytesForSpans(scan, inputBytes, BATCH_CAPACITY) : scratchBytesFor(scan),
  );
  return { input, outputs, scratch, end: next };
}

/** The bytes of memory from one address to another. */
export function bytesBetween(kernel: Kernel, from: number, to: number): Uint8Array<ArrayBuffer> {
  return kernel.bytes.subarray(from, to);
}
