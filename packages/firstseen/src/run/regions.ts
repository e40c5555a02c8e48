// The layout of a run's input and outputs in the kernel's memory, after the cells.

import { lastWhole } from '../base/bisection.js';
import { formatCounted } from '../base/count.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import { type DetectorSettings, kernelSizes } from '../detectors/settings.js';
import { bufferBytes, CHUNK_BYTES } from '../io/sink.js';
import { BATCH_CAPACITY, SCAN_SPARE_BYTES } from '../kernel/abi.js';
import { MAX_MEMORY_BYTES, regionOffset, wholeCacheLines } from '../kernel/kernel.js';
import { maxRecordBytes as maxRecordRow } from '../options/records.js';
import { type ScanSettings, type ScratchRegion, scratchBytesFor, scratchBytesForSpans } from '../records/settings.js';
import { BANKS, bankSeatsOf, crewBytes } from '../threads/crew.js';
import { SHARED_DETECTOR_BYTES } from '../threads/detector.js';
import { type InputRegion, partBytes } from './inputwindow.js';
import type { ResolvedJob } from './job.js';

/** Chunks that are read at a time for each of several threads, which meet between reads, and for all of them. */
const THREAD_CHUNKS = 4;
const MAX_CHUNKS = 32;

export interface Region {
  offset: number;
  bytes: number;
}

export interface Regions {
  input: InputRegion;
  /** Two buffers for each output, so that one is filled while the other is written. */
  outputs: [Region, Region][];
  scratch: ScratchRegion;
  threads: ThreadRegions;
  /** The address after the last region. */
  end: number;
}

/** The regions that threads need. */
export interface ThreadRegions {
  /** The longest piece of the input for which the scratch regions of the seats have room. */
  maxPieceBytes: number;
  /** Of the seats of banks. */
  scratch: ScratchRegion[];
  /** Address of the seats other than the first, and of the tasks. */
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
export function layOutRegions({ regionOffset, scan, outputCount, threads }: RegionRequest): Regions {
  let next = regionOffset;
  const take = (bytes: number): Region => {
    const region = { offset: next, bytes };
    next += wholeCacheLines(bytes + SCAN_SPARE_BYTES);
    return region;
  };
  const chunks = threads === 1 ? 1 : Math.min(THREAD_CHUNKS * threads, MAX_CHUNKS);
  const chunkBytes = chunks * CHUNK_BYTES;
  const part = { roomBytes: scan.maxRecordBytes + chunkBytes, readBytes: 2 * chunkBytes };
  const inputBytes = partBytes(part);
  // With threads, one part is read while another is scanned and records of a third are copied.
  const partCount = threads === 1 ? 2 : 3;
  const seats = bankSeatsOf(threads);
  const seatsOfBank = Math.max(1, seats / BANKS);
  // All records of the batches of a bank are in one part of the input, and their verdicts take less. Each can get a newline.
  const outputBytes = bufferBytes(inputBytes + seatsOfBank * BATCH_CAPACITY);
  const parts = Array.from({ length: partCount }, () => take(inputBytes).offset);
  const input = { ...part, chunkBytes, parts };
  const outputs = Array.from({ length: outputCount }, (): [Region, Region] => [take(outputBytes), take(outputBytes)]);
  const scratchBytes =
    scan.fingerprint === 'spans' ? scratchBytesForSpans(scan, inputBytes, BATCH_CAPACITY) : scratchBytesFor(scan);
  const scratch = take(scratchBytes);
  // A piece is a share of the window, and what is left of its last record. A window whose record is longer is taken by one thread.
  const maxPieceBytes = Math.ceil(inputBytes / seatsOfBank) + CHUNK_BYTES;
  const seatBytes =
    scan.fingerprint === 'spans' ? scratchBytesForSpans(scan, maxPieceBytes, BATCH_CAPACITY) : scratchBytes;
  const regionsOfThreads = {
    maxPieceBytes,
    scratch: Array.from({ length: seats }, () => take(seatBytes)),
    crew: take(crewBytes(threads)).offset,
    detector: take(SHARED_DETECTOR_BYTES).offset,
  };
  return { input, outputs, scratch, threads: regionsOfThreads, end: next };
}

export interface RunRegionsRequest {
  settings: DetectorSettings;
  job: ResolvedJob;
  scan: ScanSettings;
  outputCount: number;
  threads: number;
}

/** The regions of the job, followed by those of the run. */
function regionsOf({ settings, job, scan, outputCount, threads }: RunRegionsRequest): Regions {
  const { maxRecordBytes } = scan;
  const offset = regionOffset(kernelSizes(settings));
  const end = job.regionsEnd?.({ offset, threads, maxRecordBytes }) ?? offset;
  return layOutRegions({ regionOffset: end, scan, outputCount, threads });
}

/** The regions of a run and their size in all, for as many of the threads as there is memory for. */
export function regionsFor(request: RunRegionsRequest): { regions: Regions; regionBytes: number; threads: number } {
  const { settings, threads } = request;
  const regions = regionsOf(request);
  if (threads > 1 && regions.end > MAX_MEMORY_BYTES) return regionsFor({ ...request, threads: threads - 1 });
  checkRecordBytes(request, regions);
  return { regions, regionBytes: regions.end - regionOffset(kernelSizes(settings)), threads };
}

/** The most bytes of a record for which a run with one thread has memory; 0 if it has none for any. */
function largestRecordBytes(request: RunRegionsRequest): number {
  const fits = (maxRecordBytes: number) =>
    regionsOf({ ...request, scan: { ...request.scan, maxRecordBytes } }).end <= MAX_MEMORY_BYTES;
  return lastWhole([0, request.scan.maxRecordBytes], fits);
}

/** @throws FirstseenError E_MEMORY for records that are longer than by default, and too long for the memory. */
function checkRecordBytes(request: RunRegionsRequest, { end }: Regions): void {
  const { maxRecordBytes } = request.scan;
  if (end <= MAX_MEMORY_BYTES || maxRecordBytes <= maxRecordRow.default) return;
  const maxBytes = largestRecordBytes(request);
  // The detector is at fault if it leaves no room for records of the usual length.
  if (maxBytes < maxRecordRow.default) return;
  const most = `at most ${formatCounted(maxBytes, 'byte')}`;
  const beside = `beside ${formatBytes(request.settings.memoryBytes)} of the detector there is memory for records of ${most}`;
  throw new FirstseenError(
    'E_MEMORY',
    phrase`${optionName('maxRecordBytes')} is ${formatCounted(maxRecordBytes, 'byte')}, but ${beside}`,
    {
      option: 'maxRecordBytes',
      given: maxRecordBytes,
      expected: most,
      remedy: phrase`give a smaller ${optionName('maxRecordBytes')}, or less ${optionName('memory')}`,
    },
  );
}
