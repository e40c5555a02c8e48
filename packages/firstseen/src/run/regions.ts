// The layout of a run's input and outputs in the kernel's memory, after the cells.

import { BATCH_CAPACITY, SCAN_SPARE_BYTES } from '../kernel/abi.js';
import { type Kernel, wholeLines } from '../kernel/kernel.js';
import { type ScanSettings, type ScratchRegion, scratchBytesFor, scratchBytesForSpans } from '../records/settings.js';
import { crewBytes, seatsOf } from '../threads/crew.js';
import { SHARED_DETECTOR_BYTES } from '../threads/detector.js';
import { halfBytes, type InputRegion } from './input/inputwindow.js';

/** Bytes per read in a run with one thread, and of a buffer of an output that is written. */
export const CHUNK_BYTES = 2 ** 20;
/** As many bytes are read for each of several threads, which meet between reads. */
const THREAD_CHUNKS = 4;

export interface Region {
  offset: number;
  bytes: number;
}

export interface RegionPlan {
  input: InputRegion;
  /** Two buffers for each output, so that one is filled while the other is written. */
  outputs: [Region, Region][];
  scratch: ScratchRegion;
  threads: ThreadRegions;
  /** The address after the last region. */
  end: number;
}

/** What threads need. */
export interface ThreadRegions {
  /** The longest piece of the input for which the scratch regions of the seats besides the first have room. */
  mostPieceBytes: number;
  /** Of the seats besides the first. */
  scratch: ScratchRegion[];
  /** Address of the seats besides the first, and of the tasks. */
  crew: number;
  /** Address of what the detector needs to be observed by threads. */
  detector: number;
}

export interface RegionRequest {
  regionOffset: number;
  scan: ScanSettings;
  outputCount: number;
  threads: number;
}

/** Untouched memory costs only address space, so every region has the size of the worst case. */
export function planRegions({ regionOffset, scan, outputCount, threads }: RegionRequest): RegionPlan {
  let next = regionOffset;
  const take = (bytes: number): Region => {
    const region = { offset: next, bytes };
    next += wholeLines(bytes + SCAN_SPARE_BYTES);
    return region;
  };
  const chunkBytes = (threads === 1 ? 1 : THREAD_CHUNKS * threads) * CHUNK_BYTES;
  const half = { roomBytes: scan.maxRecordBytes + chunkBytes, readBytes: 2 * chunkBytes };
  const inputBytes = halfBytes(half);
  // All records of a batch are in one half of the input, and its verdicts take less than a chunk. A buffer is written as soon as it
  // holds a chunk. One byte more is for a missing newline.
  const outputBytes = inputBytes + CHUNK_BYTES + 1;
  const input = { ...half, chunkBytes, halves: [take(inputBytes).offset, take(inputBytes).offset] as const };
  const outputs = Array.from({ length: outputCount }, (): [Region, Region] => [take(outputBytes), take(outputBytes)]);
  const scratchBytes =
    scan.fingerprint === 'spans' ? scratchBytesForSpans(scan, inputBytes, BATCH_CAPACITY) : scratchBytesFor(scan);
  const scratch = take(scratchBytes);
  // A piece is a share of the window, and what is left of its last record. A window whose record is longer is taken by one thread.
  const mostPieceBytes = Math.ceil(inputBytes / seatsOf(threads)) + CHUNK_BYTES;
  const seatBytes =
    scan.fingerprint === 'spans' ? scratchBytesForSpans(scan, mostPieceBytes, BATCH_CAPACITY) : scratchBytes;
  const others = {
    mostPieceBytes,
    scratch: Array.from({ length: seatsOf(threads) - 1 }, () => take(seatBytes)),
    crew: take(crewBytes(threads)).offset,
    detector: take(SHARED_DETECTOR_BYTES).offset,
  };
  return { input, outputs, scratch, threads: others, end: next };
}

/** The bytes of memory from one address to another. */
export function bytesBetween(kernel: Kernel, from: number, to: number): Uint8Array<ArrayBuffer> {
  return kernel.bytes.subarray(from, to);
}
