// Detectors to bytes and back.

import { Detector, type HostOptions } from '../detectors/detector.js';
import { FirstseenError } from '../errors.js';
import { Kernel } from '../kernel/kernel.js';
import {
  brokenSnapshot,
  CHECKSUM_BYTES,
  type Checksum,
  checkCells,
  decodeHeader,
  encodeHeader,
  encodeTrailer,
  FIXED_BYTES,
  MOST_HEADER_BYTES,
  readLengths,
  type SnapshotHeader,
} from './snapshot.js';

const emptyNote = new Uint8Array(0);

/** The checksum of bytes, wherever they are: what lies outside the kernel's memory is copied behind its cells first. */
function checksumIn(kernel: Kernel): Checksum {
  const target = kernel.constant('WORKSPACE_OFFSET');
  const run = kernel.function('checksum');
  const view = new DataView(kernel.bytes.buffer);
  return (bytes) => {
    const isInside = bytes.buffer === kernel.bytes.buffer;
    if (!isInside) kernel.bytes.set(bytes, kernel.regionOffset);
    run(isInside ? bytes.byteOffset : kernel.regionOffset, bytes.length, target);
    return view.getBigUint64(target, true);
  };
}

/** A kernel without cells that only takes checksums of headers. */
async function headerChecksum(): Promise<Checksum> {
  return checksumIn(await Kernel.create({ cellsBytes: 0, regionBytes: MOST_HEADER_BYTES }));
}

function partsOf(detector: Detector, note: Uint8Array, checksum: Checksum): Uint8Array[] {
  const { kernel, settings } = detector;
  const storedCellsBytes = kernel.function('usedBytes')(kernel.cellsOffset, kernel.cellsBytes) >>> 0;
  const cells = kernel.cells.subarray(0, storedCellsBytes);
  const header = { settings, state: kernel.state, note, storedCellsBytes };
  return [encodeHeader(header, checksum), cells, encodeTrailer(cells, checksumIn(kernel))];
}

/**
 * A snapshot in parts, to be written one after the other. The second part is a view of the living cells: write it before
 * the detector observes anything more.
 */
export async function snapshotParts(detector: Detector, note: Uint8Array = emptyNote): Promise<Uint8Array[]> {
  return partsOf(detector, note, await headerChecksum());
}

/** Reads `target.length` bytes that start at `position` of a snapshot into `target`. */
export type ReadAt = (target: Uint8Array, position: number) => Promise<void>;

export interface SnapshotSource {
  bytes: number;
  readAt: ReadAt;
}

/** Reads and checks a header; the cells stay unread. */
export async function readHeader(source: SnapshotSource): Promise<SnapshotHeader & { headerBytes: number }> {
  const fixed = new Uint8Array(Math.min(FIXED_BYTES, source.bytes));
  await source.readAt(fixed, 0);
  const { headerBytes } = readLengths(fixed, source.bytes);
  const header = new Uint8Array(headerBytes);
  await source.readAt(header, 0);
  return { ...decodeHeader(header, await headerChecksum()), headerBytes };
}

/** The detector that was saved; it answers bit for bit as the saved one would have. */
export async function readDetector(
  source: SnapshotSource,
  header: SnapshotHeader & { headerBytes: number },
  host: HostOptions = {},
): Promise<Detector> {
  const detector = await Detector.ofSettings(header.settings, host);
  const { kernel } = detector;
  if (header.state.length !== kernel.state.length) {
    throw brokenSnapshot(`it has ${header.state.length} slots of state, and a detector has ${kernel.state.length}`);
  }
  const cells = kernel.cells.subarray(0, header.storedCellsBytes);
  await source.readAt(cells, header.headerBytes);
  const trailer = new Uint8Array(CHECKSUM_BYTES);
  await source.readAt(trailer, header.headerBytes + header.storedCellsBytes);
  checkCells(cells, trailer, checksumIn(kernel));
  kernel.state.set(header.state);
  if (!detector.hasPossibleState()) throw brokenSnapshot('its counts and its cells contradict each other');
  return detector;
}

/**
 * The exact state of a detector: settings, counters, generator and cells, as one array of bytes. What is observed before
 * the promise resolves may or may not be in it, but never in part.
 */
export async function save(detector: Detector, note: Uint8Array = emptyNote): Promise<Uint8Array> {
  const checksum = await headerChecksum();
  // From here on nothing waits, so nothing is observed between the reading of one part and of the next.
  const parts = partsOf(detector, note, checksum);
  const snapshot = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    snapshot.set(part, at);
    at += part.length;
  }
  return snapshot;
}

/**
 * The detector of a snapshot.
 * @throws FirstseenError E_SNAPSHOT when the bytes are not a whole, intact snapshot of a version that is known.
 */
export async function load(snapshot: Uint8Array, host: HostOptions = {}): Promise<Detector> {
  if (!(snapshot instanceof Uint8Array)) {
    throw new FirstseenError(
      'E_SNAPSHOT',
      'a snapshot must be a Uint8Array, as save makes it; wrap other bytes in one',
    );
  }
  const source: SnapshotSource = {
    bytes: snapshot.length,
    readAt: async (target, position) => {
      target.set(snapshot.subarray(position, position + target.length));
    },
  };
  return readDetector(source, await readHeader(source), host);
}
