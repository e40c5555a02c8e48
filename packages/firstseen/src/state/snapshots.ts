// Saves detectors as snapshots and loads them.

import { checkBytes } from '../check.js';
import { formatCount, formatCounted } from '../count.js';
import { defined } from '../defined.js';
import { Detector } from '../detectors/detector.js';
import type { HostOptions } from '../detectors/host.js';
import { cellsBytesOf, type DetectorSettings } from '../detectors/settings.js';
import { FirstseenError, optionName, phrase } from '../errors.js';
import { WORKSPACE_OFFSET } from '../kernel/abi.js';
import { Kernel } from '../kernel/kernel.js';
import { formatBytes } from '../memory.js';
import { checkKeyScheme, type KeySchemeOptions, keySchemeOf } from '../records/keyscheme.js';
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

/** What is asked of a snapshot. */
export interface LoadOptions extends KeySchemeOptions {
  /** The most memory that the detector may take, in bytes or as text such as `64MiB`; all that it asks for by default. */
  maxMemory?: number | string;
}

/**
 * Reads and checks a header, and checks that it is what was asked for. The detector of a snapshot that does not say how keys are made
 * goes on with the scheme that was asked for.
 * @throws FirstseenError E_SNAPSHOT; E_STATE_DIFFERS when its keys are made differently; E_MEMORY when it needs more memory.
 */
export async function readAskedHeader(source: SnapshotSource, options: LoadOptions): Promise<ReadHeader> {
  const asked = keySchemeOf(options);
  const most =
    options.maxMemory === undefined ? Number.POSITIVE_INFINITY : checkBytes('maxMemory', options.maxMemory, 0);
  const header = await readHeader(source);
  const { settings } = header;
  checkKeyScheme(settings.keyScheme, asked);
  checkMemory(settings, most);
  return { ...header, settings: { ...settings, ...defined({ keyScheme: settings.keyScheme ?? asked }) } };
}

/** @throws FirstseenError E_MEMORY when the cells and the witness of a detector are larger. */
function checkMemory(settings: DetectorSettings, mostBytes: number): void {
  const bytes = cellsBytesOf(settings) + settings.witnessBytes;
  if (bytes <= mostBytes) return;
  const option = optionName('maxMemory');
  throw new FirstseenError(
    'E_MEMORY',
    phrase`the detector of this snapshot takes ${formatBytes(bytes)}, but ${option} is ${formatBytes(mostBytes)}`,
    { option: 'maxMemory', given: mostBytes, expected: `at least ${bytes}`, remedy: phrase`raise ${option}` },
  );
}

/**
 * The detector of a snapshot.
 * @throws FirstseenError E_SNAPSHOT when the bytes are not a complete, intact snapshot of a known version; E_STATE_DIFFERS when
 * keys are made differently than `keys` and `format` say; E_MEMORY when it takes more than `maxMemory`.
 */
export async function load(snapshot: Uint8Array, options: LoadOptions & HostOptions = {}): Promise<Detector> {
  const source = snapshotSource(snapshot);
  return readDetector(source, await readAskedHeader(source, options), options);
}
