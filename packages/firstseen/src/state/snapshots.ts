// Saves detectors as snapshots and loads them.

import { formatCount, formatCounted } from '../count.js';
import { checkDetector, Detector } from '../detectors/detector.js';
import type { HostOptions } from '../detectors/host.js';
import { FirstseenError } from '../errors.js';
import { WORKSPACE_OFFSET } from '../kernel/abi.js';
import { Kernel } from '../kernel/kernel.js';
import {
  brokenSnapshot,
  CHECKSUM_BYTES,
  type Checksum,
  checkPart,
  decodeHeader,
  encodeHeader,
  encodeTrailer,
  FIXED_HEADER_BYTES,
  MOST_HEADER_BYTES,
  readLengths,
  type SnapshotHeader,
} from './format.js';

const emptyNote = new Uint8Array(0);

/** Computes checksums. Bytes outside the kernel's memory are copied behind its cells first. */
function checksumIn(kernel: Kernel): Checksum {
  const target = WORKSPACE_OFFSET;
  const run = kernel.exports.checksum;
  const view = new DataView(kernel.bytes.buffer);
  return (bytes) => {
    const isInside = bytes.buffer === kernel.bytes.buffer;
    if (!isInside) kernel.bytes.set(bytes, kernel.regionOffset);
    run(isInside ? bytes.byteOffset : kernel.regionOffset, bytes.length, target);
    return view.getBigUint64(target, true);
  };
}

/** The checksum function of a kernel without cells, for headers. */
async function headerChecksum(): Promise<Checksum> {
  return checksumIn(await Kernel.create({ cellsBytes: 0, regionBytes: MOST_HEADER_BYTES }));
}

/** Bytes of a region up to its last word that is not zero. */
function usedPart(kernel: Kernel, region: Uint8Array): Uint8Array {
  return region.subarray(0, kernel.exports.usedBytes(region.byteOffset, region.length) >>> 0);
}

function partsOf(detector: Detector, note: Uint8Array, checksum: Checksum): Uint8Array[] {
  const { kernel, settings } = detector;
  const regions = [usedPart(kernel, kernel.cells)];
  if (settings.witnessBytes > 0) regions.push(usedPart(kernel, kernel.witness));
  const [storedCellsBytes = 0, storedWitnessBytes = 0] = regions.map((part) => part.length);
  const header = { settings, state: detector.slots(), note, storedCellsBytes, storedWitnessBytes };
  const trailed = regions.flatMap((part) => [part, encodeTrailer(part, checksumIn(kernel))]);
  return [encodeHeader(header, checksum), ...trailed];
}

/**
 * A snapshot in consecutive parts. The cells and the witness are views of the detector's memory: write them before the detector
 * observes another element.
 */
export async function snapshotParts(detector: Detector, note: Uint8Array = emptyNote): Promise<Uint8Array[]> {
  return partsOf(detector, note, await headerChecksum());
}

/** Reads `target.length` bytes at `position` of a snapshot into `target`. */
export type ReadAt = (target: Uint8Array, position: number) => Promise<void>;

export interface SnapshotSource {
  bytes: number;
  readAt: ReadAt;
}

export interface RestoreOptions extends HostOptions {
  /** Skips the witness of the snapshot. The detector continues without one. */
  leavesWitness?: boolean;
}

/** A header, and the offsets of the parts behind it. */
export interface ReadHeader extends SnapshotHeader {
  headerBytes: number;
  cellsEndBytes: number;
}

/** Reads and checks a header without the cells. */
export async function readHeader(source: SnapshotSource): Promise<ReadHeader> {
  const fixed = new Uint8Array(Math.min(FIXED_HEADER_BYTES, source.bytes));
  await source.readAt(fixed, 0);
  const { headerBytes, cellsEndBytes } = readLengths(fixed, source.bytes);
  const bytes = new Uint8Array(headerBytes);
  await source.readAt(bytes, 0);
  const header = decodeHeader(bytes, await headerChecksum());
  checkEnd(header, cellsEndBytes, source.bytes);
  return { ...header, headerBytes, cellsEndBytes };
}

/** Checks the length of the witness, which only the whole header contains, against the bytes of the snapshot. */
function checkEnd({ settings, storedWitnessBytes }: SnapshotHeader, cellsEndBytes: number, bytes: number): void {
  if (settings.witnessBytes === 0) return;
  const totalBytes = cellsEndBytes + storedWitnessBytes + CHECKSUM_BYTES;
  if (totalBytes !== bytes)
    throw brokenSnapshot(`it should have ${formatCounted(totalBytes, 'byte')}, but has ${formatCount(bytes)}`);
}

/** Reads the part at `position` and its checksum, which follows it. */
async function readPart(
  { readAt }: SnapshotSource,
  what: string,
  part: Uint8Array,
  position: number,
  checksum: Checksum,
): Promise<void> {
  await readAt(part, position);
  const trailer = new Uint8Array(CHECKSUM_BYTES);
  await readAt(trailer, position + part.length);
  checkPart(what, part, trailer, checksum);
}

/** The saved detector, with its witness unless that is skipped. It gives the same answers as the saved one would have given. */
export async function readDetector(
  source: SnapshotSource,
  header: ReadHeader,
  host: RestoreOptions = {},
): Promise<Detector> {
  const settings = host.leavesWitness ? { ...header.settings, witnessBytes: 0 } : header.settings;
  const detector = await Detector.ofSettings(settings, host);
  const { kernel } = detector;
  if (!detector.takeSlots(header.state)) {
    const problem = `it has ${header.state.length} state slots, but a detector has ${detector.slots().length}`;
    throw brokenSnapshot(problem);
  }
  const checksum = checksumIn(kernel);
  const cells = kernel.cells.subarray(0, header.storedCellsBytes);
  await readPart(source, 'cells', cells, header.headerBytes, checksum);
  if (settings.witnessBytes > 0) {
    const witness = kernel.witness.subarray(0, header.storedWitnessBytes);
    await readPart(source, 'witness', witness, header.cellsEndBytes, checksum);
    detector.startWitness();
  }
  if (!detector.hasPossibleState()) throw brokenSnapshot('its counts and its cells contradict each other');
  return detector;
}

/**
 * The exact state of a detector as one array of bytes: settings, counters, generator and cells. Elements observed before the
 * promise resolves are contained completely or not at all.
 */
export async function save(detector: Detector, note: Uint8Array = emptyNote): Promise<Uint8Array> {
  checkDetector('detector', detector);
  const checksum = await headerChecksum();
  // Nothing is awaited from here on, so no element is observed between two parts.
  const parts = partsOf(detector, note, checksum);
  const snapshot = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    snapshot.set(part, at);
    at += part.length;
  }
  return snapshot;
}

/** A snapshot in memory as a source. @throws FirstseenError E_SNAPSHOT when it is something else. */
export function snapshotSource(snapshot: Uint8Array): SnapshotSource {
  if (!(snapshot instanceof Uint8Array)) {
    throw new FirstseenError('E_SNAPSHOT', `a snapshot has the type ${typeof snapshot}`, {
      given: snapshot,
      expected: 'a Uint8Array',
      remedy: 'pass a Uint8Array, as save returns it',
    });
  }
  return {
    bytes: snapshot.length,
    readAt: async (target, position) => {
      target.set(snapshot.subarray(position, position + target.length));
    },
  };
}

/**
 * The detector of a snapshot.
 * @throws FirstseenError E_SNAPSHOT when the bytes are not a complete, intact snapshot of a known version.
 */
export async function load(snapshot: Uint8Array, host: HostOptions = {}): Promise<Detector> {
  const source = snapshotSource(snapshot);
  return readDetector(source, await readHeader(source), host);
}
